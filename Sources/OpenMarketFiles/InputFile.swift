import Crypto
package import OpenMarket
package import SystemPackage

/// Opens files for reading and records each one in the ``FileRegister``.
package enum InputFile {
    /// Opens a file for reading.
    ///
    /// A pipe or a device is read only if the process inherited it, such as `/dev/stdin`: another may never end, or
    /// have no writer. The descriptor is closed on exec. Throws `Errno`.
    package static func open(
        _ path: String,
        as role: FileRole,
        options: FileDescriptor.OpenOptions = []
    ) throws(Errno) -> FileDescriptor {
        let descriptor: FileDescriptor
        do {
            descriptor = try open(path, options)
        } catch {
            // An unreadable file is also an input.
            FileRegister.current.note(path, as: role)
            throw error as? Errno ?? .ioError
        }
        if let status = try? Stat(descriptor) { FileRegister.current.note(status, as: role) }
        return descriptor
    }

    private static func open(_ path: String, _ options: FileDescriptor.OpenOptions) throws -> FileDescriptor {
        let options = options.union(.closeOnExec)
        // The option keeps the call from waiting for a pipe's writer; a regular file ignores it.
        let descriptor = try FileDescriptor.open(path, .readOnly, options: options.union(.nonBlocking))
        let type = try? Stat(descriptor).type
        guard type != .regular, type != .directory, path != "/dev/null" else { return descriptor }
        try descriptor.close()
        guard FileSystem.descriptor(named: path) != nil else { throw Errno.notSupported }
        return try FileDescriptor.open(path, .readOnly, options: options)
    }

    /// Passes all bytes of a file in chunks, until the end or until the closure stops.
    package static func forEachChunk(
        of path: String,
        as role: FileRole,
        _ body: ([UInt8]) -> Bool
    ) throws(Errno) {
        let file = try open(path, as: role)
        defer { try? file.close() }
        while true {
            let chunk = try file.readChunk()
            guard !chunk.isEmpty, body(chunk) else { return }
        }
    }

    /// A file's bytes; `-` is standard input.
    package static func bytes(of path: String, as role: FileRole = .other) throws(FileError) -> [UInt8] {
        if path == "-" { return try FileError.explaining(.read, path) { try FileDescriptor.standardInput.readAll() } }
        var bytes: [UInt8] = []
        do {
            try forEachChunk(of: path, as: role) { chunk in
                bytes += chunk
                return true
            }
        } catch .noSuchFileOrDirectory {
            throw FileError(.read, path, .missing(nearest: FileSystem.nearestName(to: path)))
        } catch {
            throw FileError(.read, path, error)
        }
        return bytes
    }

    /// The SHA-256 of a file; only a chunk of it is in memory at a time.
    package static func digest(of path: String, as role: FileRole) throws(FileError) -> ContentDigest {
        var hash = SHA256()
        do {
            try forEachChunk(of: path, as: role) { chunk in
                hash.update(data: chunk)
                return true
            }
        } catch {
            throw FileError(.read, path, error)
        }
        return ContentDigest(bytes: hash.finalize())
    }
}
