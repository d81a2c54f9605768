import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file that appears whole or not at all: written beside its place, forced to disk, then renamed.
///
/// What is there already stays until ``commit()``. A device or pipe is written directly.
struct AtomicFile: ~Copyable {
    /// Where the file will be.
    let path: String
    private let temporary: String?
    private let descriptor: FileDescriptor

    /// Starts a file.
    ///
    /// - Parameters:
    ///   - path: where it will be.
    ///   - permissions: of a new file; plans and states are nobody else's business.
    /// - Throws: ``CommandFailure`` with the system's reason.
    init(_ path: String, permissions: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]) throws {
        self.path = path
        var status = stat()
        let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        do {
            if isSpecial {
                temporary = nil
                descriptor = try FileDescriptor.open(path, .writeOnly)
            } else {
                let name = "\(path).\(getpid()).partial"
                temporary = name
                descriptor = try FileDescriptor.open(
                    name,
                    .writeOnly,
                    options: [.create, .truncate],
                    permissions: permissions
                )
            }
        } catch {
            throw CommandFailure(.failure, "cannot write \(path): \(error)")
        }
    }

    /// Appends bytes.
    func write(_ bytes: [UInt8]) throws {
        do {
            try descriptor.writeAll(bytes)
        } catch {
            throw CommandFailure(.failure, "cannot write \(path): \(error)")
        }
    }

    /// Puts the file in its place.
    consuming func commit() throws {
        guard let temporary else { return }
        guard fsync(descriptor.rawValue) == 0, rename(temporary, path) == 0 else {
            throw CommandFailure(.failure, "cannot write \(path): \(Errno(rawValue: errno))")
        }
    }

    deinit {
        try? descriptor.close()
        // After a commit nothing of that name is left.
        if let temporary { unlink(temporary) }
    }

    /// Writes a whole file.
    static func write(_ bytes: [UInt8], to path: String, permissions: FilePermissions = .ownerReadWrite) throws {
        let file = try AtomicFile(path, permissions: permissions)
        try file.write(bytes)
        try file.commit()
    }
}
