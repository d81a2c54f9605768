#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

import OpenMarket

/// The few calls of the system that neither SQLite nor the standard library makes for us.
enum SystemFiles {
    /// What an error number is about.
    enum Kind {
        case full, readOnly, other
    }

    static func kind(of number: Int32) -> Kind {
        switch number {
        case ENOSPC, EDQUOT: .full
        case EROFS, EACCES, EPERM: .readOnly
        default: .other
        }
    }

    static func text(of number: Int32) -> String {
        String(cString: strerror(number))
    }

    // MARK: - Folders and files

    /// A path without symbolic links; `nil` where nothing is.
    static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// The size of a file in bytes; `nil` where nothing is.
    static func size(_ path: String) throws -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw StateError.system(errno, "read", path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StateError(.io, "cannot use \(path) as a state: it is no regular file")
        }
        return Int(status.st_size)
    }

    /// Makes a folder that only its owner can enter, and those above it.
    static func createFolder(_ path: String) throws {
        guard mkdir(path, 0o700) != 0 else { return }
        switch errno {
        case EEXIST:
            return
        case ENOENT where path.contains("/") && path != "/":
            try createFolder(StateFiles.folder(of: path))
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw StateError.system(errno, "create the folder", path)
            }
        case let number:
            throw StateError.system(number, "create the folder", path)
        }
    }

    /// Whether a file is a state by its content: a database with the mark of one.
    static func isState(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        var head = [UInt8](repeating: 0, count: 72)
        guard pread(descriptor, &head, head.count, 0) == head.count else { return false }
        let application = head.suffix(4).reduce(0 as Int32) { $0 << 8 | Int32($1) }
        return head.starts(with: "SQLite format 3\0".utf8)
            && [StateSchema.applicationID, StateSchema.prereleaseApplicationID].contains(application)
    }

    /// Opens a file that only its owner can read and write, made if it is not there, whatever the umask.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - followsLink: Whether the file may be elsewhere; what is emptied and written anew must not be.
    /// - Returns: A descriptor for reading and writing.
    /// - Throws: ``StateError``.
    static func openPrivate(_ path: String, followsLink: Bool = true) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW), 0o600)
        guard descriptor >= 0 else { throw StateError.system(errno, "open", path) }
        // A file of another user's stays as it is; opening it has shown that it can be used.
        _ = fchmod(descriptor, 0o600)
        return descriptor
    }

    /// Makes a file that only its owner can read and write, or makes an existing one such.
    static func createPrivate(_ path: String) throws {
        closeFile(try openPrivate(path))
    }

    static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw StateError.system(errno, "remove", path) }
    }

    /// Puts a finished file in its place, durably.
    static func rename(_ path: String, to target: String) throws {
        guard Self.renameCall(path, target) == 0 else { throw StateError.system(errno, "create", target) }
        let folder = open(StateFiles.folder(of: target), O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        // Some network shares cannot sync a folder; the file is in its place all the same.
        _ = fsync(folder)
        _ = close(folder)
    }

    private static func renameCall(_ path: String, _ target: String) -> Int32 {
        #if canImport(Glibc)
        Glibc.rename(path, target)
        #elseif canImport(Musl)
        Musl.rename(path, target)
        #else
        Darwin.rename(path, target)
        #endif
    }

    static func syncFile(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StateError.system(errno, "open", path) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StateError.system(errno, "write", path) }
    }

    /// Whether a folder's disk has no room for a few pages.
    static func isFull(_ folder: String) -> Bool {
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return false }
        return UInt64(disk.f_bavail) * UInt64(disk.f_frsize) < 64 * 1024
    }

    // MARK: - Locks

    /// Opens a file for reading; `nil` where nothing is.
    static func openExisting(_ path: String) throws -> Int32? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor < 0 else { return descriptor }
        if errno == ENOENT { return nil }
        throw StateError.system(errno, "open", path)
    }

    /// Takes the kernel's lock of an open file without waiting; the kernel drops it when the last descriptor closes.
    ///
    /// - Returns: `false` when another one holds it.
    static func lock(_ descriptor: Int32, shared: Bool, path: String) throws -> Bool {
        while true {
            if flock(descriptor, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 { return true }
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return false
            case let number: throw StateError.system(number, "lock", path)
            }
        }
    }

    /// The first 4096 bytes of an open file.
    static func contents(_ descriptor: Int32) -> [UInt8] {
        let size = 4096
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, size, 0))
        }
    }

    /// Replaces what an open file holds.
    static func overwrite(_ descriptor: Int32, with bytes: [UInt8], path: String) throws {
        guard ftruncate(descriptor, 0) == 0 else { throw StateError.system(errno, "write", path) }
        guard bytes.isEmpty || pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
            throw StateError.system(errno, "write", path)
        }
    }

    static func closeFile(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    // MARK: - Who and when

    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static var processID: Int32 { getpid() }

    /// The time now.
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
