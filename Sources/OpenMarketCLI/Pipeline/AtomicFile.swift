import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file that appears whole or not at all: written beside its place, forced to disk, then renamed.
///
/// What is there already stays until ``commit()``; a new file is never readable to more people than the old one, and a
/// link stays one. A device or pipe is written directly.
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
        var status = stat()
        let exists = stat(path, &status) == 0
        let isSpecial = exists && status.st_mode & S_IFMT != S_IFREG
        let path = exists && !isSpecial ? Self.resolved(path) : path
        self.path = path
        let permissions = exists ? permissions.intersection(FilePermissions(rawValue: status.st_mode)) : permissions
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

    /// The file that a path leads to through links.
    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether this is a device or a pipe, which stays what it is.
    var isSpecial: Bool { temporary == nil }

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
