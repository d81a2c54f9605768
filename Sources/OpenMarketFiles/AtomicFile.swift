package import SystemPackage

/// A file that is written atomically: under a temporary name in its folder, forced to disk, then renamed.
///
/// An existing file stays until ``commit()``. The new file keeps the old owner and mode as far as the system allows,
/// and is never readable by more people. A link stays a link.
///
/// A device, a pipe or an inherited descriptor is written directly: `/dev/stdout` may be a file that others append to.
///
/// Left-overs of a killed run are removed when the next file is written to the same path.
package struct AtomicFile: ~Copyable {
    /// The permissions of files that everybody may read: exports, manifests, reviews.
    package static let readableByAll: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]

    /// The final path, with links resolved.
    package let path: String
    private let target: Target
    private let keepsOwner: Bool
    /// Whether ``commit()`` may replace an existing file.
    private let replaces: Bool
    private let replaceable: FileRole

    private enum Target {
        case temporary(TemporaryFile)
        case special(FileDescriptor)

        var descriptor: FileDescriptor {
            switch self {
            case .temporary(let file): file.descriptor
            case .special(let descriptor): descriptor
            }
        }
    }

    /// `permissions` apply to a new file; plans and states are readable by their owner only.
    ///
    /// Without `replaces`, an existing file stays, even one that appears meanwhile. `replaceable` lists the roles in
    /// which the file may be read and yet be rewritten.
    ///
    /// Throws ``FileError``, or ``FileConflict`` if the file would replace an input.
    package init(
        _ path: String,
        permissions: FilePermissions = AtomicFile.readableByAll,
        replaces: Bool = true,
        replacing replaceable: FileRole = []
    ) throws {
        guard path.utf8.last != UInt8(ascii: "/") else { throw FileError(.write, path, .folderName) }
        // That an existing file may be replaced was checked with the command's options, and ``commit()`` checks it again.
        try FileRegister.current.requireFree(path, replacing: replaceable, mayReplace: false)
        let given = FileSystem.descriptor(named: path)
        let (status, place) = try FileError.explaining(.write, path) {
            // Reports errors of the path now, such as a name that is too long, and not in ``commit()``.
            (try FileSystem.status(of: path), try FileSystem.destination(of: path))
        }
        let isSpecial = given != nil || status.map { $0.type != .regular } ?? false
        let path = isSpecial ? path : FileSystem.resolved(path) ?? place
        let permissions = status.map { permissions.intersection($0.permissions) } ?? permissions
        var keepsOwner = true
        target = try FileError.explaining(.write, path) {
            if let given { return .special(try .copy(ofGiven: given)) }
            guard !isSpecial else {
                return .special(try FileDescriptor.open(path, .writeOnly, options: .closeOnExec))
            }
            TemporaryFile.removeLeftOvers(of: path)
            let file = try TemporaryFile(for: path, permissions: permissions)
            if let status { keepsOwner = file.takeOver(status, permissions: permissions) }
            return .temporary(file)
        }
        self.path = path
        self.keepsOwner = keepsOwner
        self.replaces = replaces
        self.replaceable = replaceable
    }

    /// Whether this is a device or a pipe, which is not replaced.
    package var isSpecial: Bool { if case .special = target { true } else { false } }

    /// The path of the content until ``commit()``, for writers that need a name; `nil` for a device or a pipe.
    package func temporaryPath() -> String? { if case .temporary(let file) = target { file.path } else { nil } }

    package func write(_ bytes: [UInt8]) throws(FileError) {
        try FileError.explaining(.write, path) { _ = try target.descriptor.writeAll(bytes) }
    }

    /// Requires that the files read meanwhile do not conflict with this output.
    package borrowing func requireFree() throws(FileConflict) {
        try FileRegister.current.requireFree(path, replacing: replaceable, mayReplace: replaces)
    }

    /// Moves the file to its path.
    ///
    /// Throws ``FileError``, or ``FileConflict`` if it would replace a file that was read meanwhile.
    package consuming func commit() throws {
        guard case .temporary(let file) = target else { return }
        try requireFree()
        let former = FileLocation(path).identity
        do {
            try file.move(to: path, replaces: replaces)
        } catch .fileExists where !replaces {
            throw FileError(.write, path, .taken)
        } catch {
            throw FileError(.write, path, error)
        }
        FileRegister.current.noteWritten(path, insteadOf: former)
    }

    deinit {
        switch target {
        case .temporary(let file): file.discard()
        case .special(let descriptor): try? descriptor.close()
        }
    }

    /// Writes a whole file.
    ///
    /// Throws ``FileError``, or ``FileConflict`` if it would replace an input.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        permissions: FilePermissions = .ownerReadWrite,
        replaces: Bool = true,
        replacing replaceable: FileRole = []
    ) throws {
        let file = try AtomicFile(path, permissions: permissions, replaces: replaces, replacing: replaceable)
        try file.write(bytes)
        try file.commit()
    }

    /// Starts to rewrite a user's file: it keeps owner, mode and links, and a new one replaces none.
    ///
    /// Throws ``FileError`` if its owner cannot be kept, or if it has a hard link, which would keep the old content.
    /// Also throws ``FileConflict``.
    package static func rewriting(_ path: String) throws -> AtomicFile {
        if let status = try? Stat(FilePath(path)), status.type == .regular, status.linkCount > 1 {
            throw FileError(.write, path, .hardLinked)
        }
        let isNew = FileSystem.isMissing(path)
        let permissions = isNew ? Self.readableByAll : FilePermissions(rawValue: 0o7777)
        let file = try AtomicFile(path, permissions: permissions, replaces: !isNew, replacing: .manifest)
        guard file.keepsOwner else { throw FileError(.write, path, .otherOwner) }
        return file
    }
}
