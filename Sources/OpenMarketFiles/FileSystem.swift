import OpenMarket
package import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// System calls that swift-system lacks; no other file calls them.
package enum FileSystem {
    /// The size of a read in bytes.
    static let chunkSize = 1 << 16

    // MARK: - Paths

    /// The path up to and including its last slash; empty without a slash.
    ///
    /// It works on bytes, as the system does: a slash and a combining mark after it are one `Character`.
    package static func prefix(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(Substring(path.utf8[...$0])) } ?? ""
    }

    /// The folder of a path; `.` if it has none.
    package static func folder(of path: String) -> String {
        let prefix = prefix(of: path)
        return prefix.isEmpty ? "." : prefix == "/" ? prefix : String(Substring(prefix.utf8.dropLast()))
    }

    package static func name(of path: String) -> String {
        String(Substring(path.utf8.dropFirst(prefix(of: path).utf8.count)))
    }

    package static func path(of name: String, in folder: String) -> String {
        folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
    }

    /// The absolute path of a present or future file, without `.`, `..` and symbolic links, as far as it exists.
    package static func absolute(_ path: String) -> String {
        var existing = path.hasPrefix("/") ? path : Self.path(of: path, in: resolved(".") ?? "/")
        var missing: [String] = []
        while true {
            if let found = resolved(existing) {
                return missing.reversed().reduce(found) { folder, name in
                    name == ".." ? Self.folder(of: folder) : Self.path(of: name, in: folder)
                }
            }
            let name = name(of: existing)
            if !name.isEmpty, name != "." { missing.append(name) }
            existing = folder(of: existing)
        }
    }

    /// The absolute path without symbolic links; `nil` if there is no such file.
    package static func resolved(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(validatingCString: pointer)
    }

    /// The target of a path, link by link, even if it does not exist; names of descriptors are not followed.
    ///
    /// Throws `Errno` if the links form a cycle.
    package static func destination(of path: String) throws(Errno) -> String {
        var path = path
        for _ in 0..<40 {
            guard !isInDescriptorFolder(path), let target = target(ofLink: path) else { return path }
            path = target.hasPrefix("/") ? target : Self.path(of: target, in: folder(of: path))
        }
        throw .tooManySymbolicLinkLevels
    }

    /// The descriptor that a path such as `/dev/stdout` or `/dev/fd/1` refers to; `nil` for other paths.
    static func descriptor(named path: String) -> Int32? {
        guard let place = try? destination(of: path), isInDescriptorFolder(place) else { return nil }
        return Int32(name(of: place))
    }

    /// Whether a path is in a folder of the process's open descriptors, such as `/dev/fd`.
    private static func isInDescriptorFolder(_ path: String) -> Bool {
        guard Int32(name(of: path)) != nil, let folder = resolved(folder(of: path)) else { return false }
        let own = "/proc/\(processID)/"
        return folder == "/dev/fd" || folder == own + "fd" || folder.hasPrefix(own + "task/") && folder.hasSuffix("/fd")
    }

    /// Whether a resolved path is in a resolved folder.
    package static func contains(folder: String, path: String) -> Bool {
        path.utf8.starts(with: Self.path(of: "", in: folder).utf8)
    }

    // MARK: - Inspection

    /// The kind of file at a path, with symbolic links followed.
    package enum Kind {
        case regular(size: Int)
        case folder
        /// A pipe or a terminal, which can be read once.
        case stream
        case missing
        case unreachable(String)
    }

    /// The kind of file at a path.
    ///
    /// If a role is given, the file is recorded as read, whether or not it exists.
    package static func kind(of path: String, as role: FileRole? = nil) -> Kind {
        do {
            let status = try Stat(FilePath(path))
            if let role { FileRegister.current.note(status, as: role) }
            return switch status.type {
            case .regular: .regular(size: Int(clamping: status.size))
            case .directory: .folder
            default: .stream
            }
        } catch {
            if let role { FileRegister.current.note(path, as: role) }
            return error == .noSuchFileOrDirectory || error == .notDirectory
                ? .missing : .unreachable(error.description)
        }
    }

    /// Whether there is a regular file that a new one would replace; false for a device, a pipe or a descriptor.
    package static func isRegular(_ path: String, followingLink: Bool = true) -> Bool {
        (try? Stat(FilePath(path), followTargetSymlink: followingLink))?.type == .regular
            && descriptor(named: path) == nil
    }

    /// The status of a path, with links followed; `nil` if it does not exist.
    static func status(of path: String) throws(Errno) -> Stat? {
        do {
            return try Stat(FilePath(path))
        } catch {
            guard error == .noSuchFileOrDirectory else { throw error }
            return nil
        }
    }

    /// Whether anything exists there, even a broken link.
    package static func exists(_ path: String) -> Bool {
        (try? Stat(FilePath(path), followTargetSymlink: false)) != nil
    }

    /// Whether a path does not exist, with links followed.
    package static func isMissing(_ path: String) -> Bool { (try? Stat(FilePath(path))) == nil }

    /// Whether a path is or would be a regular file, and not a device, a pipe or a descriptor.
    package static func mayBecomeRegular(_ path: String) -> Bool {
        descriptor(named: path) == nil && (try? Stat(FilePath(path))).map { $0.type == .regular } ?? true
    }

    package static func areSame(_ path: String, _ other: String) -> Bool {
        guard let identity = identity(of: path) else { return false }
        return identity == Self.identity(of: other)
    }

    package static func identity(of path: String) -> FileIdentity? {
        (try? Stat(FilePath(path))).map { FileIdentity(of: $0) }
    }

    /// The names in a folder, unsorted, without `.` and `..`; `nil` if it cannot be listed.
    package static func names(in folder: String) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// A sentence for the user about a path that does not exist.
    package static func absence(of path: String) -> String {
        target(ofLink: path).map { "\(path) is a link to \($0), which does not exist" } ?? "\(path) does not exist"
    }

    /// The name in a path's folder that is most similar to its last part.
    package static func nearestName(to path: String) -> String? {
        Suggestion.nearest(
            to: name(of: path),
            in: (names(in: folder(of: path)) ?? []).filter { $0 != name(of: path) }.sorted()
        )
    }

    /// A name in the path's folder that differs only in Unicode form, as in archives created on a Mac.
    ///
    /// `nil` if there is none, or more than one.
    package static func respelt(_ path: String) -> String? {
        let name = name(of: path)
        guard !name.isEmpty, name != ".", name != ".." else { return nil }
        var folder = folder(of: path)
        var found = path
        if case .missing = kind(of: folder) {
            guard let other = respelt(folder) else { return nil }
            folder = other
            found = Self.path(of: name, in: folder)
            if case .missing = kind(of: found) {} else { return found }
        }
        let names = names(in: folder)?.filter { $0 == name && !$0.isExactly(name) } ?? []
        return names.count == 1 ? Self.path(of: names[0], in: folder) : nil
    }

    /// The first bytes of a regular file, without recording it as read; fewer if it is shorter, `nil` if there is none.
    package static func head(of path: String, atMost count: Int) -> [UInt8]? {
        guard let descriptor = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking]) else {
            return nil
        }
        defer { try? descriptor.close() }
        return (try? Stat(descriptor))?.type == .regular ? try? descriptor.head(count) : nil
    }

    /// Whether the folder's disk lacks room for a few pages.
    package static func isFull(_ folder: String) -> Bool {
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return false }
        return UInt64(disk.f_bavail) * UInt64(disk.f_frsize) < 64 * 1024
    }

    // MARK: - Changes

    /// Creates a folder and its parents; an existing one is unchanged.
    ///
    /// The ``FileError`` states the folder that could not be created.
    package static func createFolder(_ path: String, permissions: FilePermissions) throws(FileError) {
        guard mkdir(path, permissions.rawValue) != 0 else { return }
        var error = Errno.current
        if error == .noSuchFileOrDirectory, path.contains("/"), path != "/" {
            try createFolder(folder(of: path), permissions: permissions)
            guard mkdir(path, permissions.rawValue) != 0 else { return }
            error = .current
        }
        guard error == .fileExists else { throw FileError(.createFolder, path, error) }
    }

    /// Opens a file that only its owner can read and write, whatever the umask, and creates a missing one.
    ///
    /// `followsLink` permits a symbolic link; a file that is emptied and rewritten must not be one.
    package static func openPrivate(_ path: String, followsLink: Bool = true) throws(FileError) -> FileDescriptor {
        let descriptor = try FileError.explaining(.open, path) {
            try FileDescriptor.open(
                path,
                .readWrite,
                options: followsLink ? [.create, .closeOnExec] : [.create, .closeOnExec, .noFollow],
                permissions: .ownerReadWrite
            )
        }
        // Another user's file keeps its mode; it was opened, so it is usable.
        descriptor.setPermissions(.ownerReadWrite)
        return descriptor
    }

    /// Opens a file for reading, without recording it as read; `nil` if there is none.
    package static func openIfPresent(_ path: String) throws(FileError) -> FileDescriptor? {
        try FileError.explaining(.open, path) {
            do {
                return try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            } catch Errno.noSuchFileOrDirectory {
                return nil
            }
        }
    }

    /// Waits for the kernel's lock of a folder, which ends when the descriptor closes; throws `Errno`.
    package static func lock(folder: String) throws -> FileDescriptor {
        let descriptor = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
        while flock(descriptor.rawValue, LOCK_EX) != 0, Errno.current == .interrupted {}
        return descriptor
    }

    /// Removes a file; a missing one is not an error.
    package static func remove(_ path: String) throws(FileError) {
        guard unlink(path) != 0 else { return }
        let error = Errno.current
        guard error == .noSuchFileOrDirectory else { throw FileError(.remove, path, error) }
    }

    /// Renames a file, and syncs its new name to disk.
    ///
    /// The file's content must be synced already. Throws `fileExists` if a file exists there and `replaces` is false.
    package static func move(_ path: String, to place: String, replaces: Bool = true) throws(Errno) {
        if replaces {
            guard rename(path, place) == 0 else { throw .current }
        } else if link(path, place) == 0 {
            unlink(path)
        } else {
            let error = Errno.current
            // Not every file system has hard links. There an empty file reserves the path first, if it is free.
            guard [.notPermitted, .notSupported, .tooManyLinks].contains(error) else { throw error }
            do {
                try FileDescriptor.open(
                    place,
                    .writeOnly,
                    options: [.create, .exclusiveCreate, .closeOnExec],
                    permissions: .ownerReadWrite
                ).close()
            } catch {
                throw error as? Errno ?? .ioError
            }
            guard rename(path, place) == 0 else { throw .current }
        }
        // If a folder cannot be opened or synced, the system lacks a stronger way.
        guard
            let folder = try? FileDescriptor.open(
                folder(of: place),
                .readOnly,
                options: [.directory, .closeOnExec]
            )
        else { return }
        defer { try? folder.close() }
        do {
            try folder.synchronize()
        } catch  where error != .invalidArgument && error != .notSupported {
            throw error
        } catch {}
    }

    // MARK: - Links

    /// The target of a symbolic link; `nil` if there is no link.
    package static func target(ofLink path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &target, target.count)
        return count > 0 ? String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    /// Creates a symbolic link, and replaces an existing one.
    package static func makeLink(_ path: String, to target: String) throws(FileError) {
        // A new link is created without a temporary name, which a killed run would leave.
        if symlink(target, path) == 0 || Self.target(ofLink: path) == target { return }
        let temporary = path + ".partial"
        unlink(temporary)
        guard symlink(target, temporary) == 0, rename(temporary, path) == 0 else {
            let error = Errno.current
            unlink(temporary)
            throw FileError(.write, path, error)
        }
    }

    // MARK: - The process

    package static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package static var processID: Int32 { getpid() }
}

extension FileDescriptor {
    /// A copy of an inherited descriptor; both share one file offset.
    ///
    /// Throws `Errno`; descriptors that the process opened itself count as missing.
    static func copy(ofGiven number: Int32) throws(Errno) -> FileDescriptor {
        let flags = fcntl(number, F_GETFD)
        guard flags >= 0, flags & FD_CLOEXEC == 0 else { throw .badFileDescriptor }
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .current }
        return FileDescriptor(rawValue: copy)
    }

    // MARK: - Content

    /// The next bytes, at most ``FileSystem/chunkSize``; empty at the end.
    package func readChunk() throws(Errno) -> [UInt8] {
        try bytes(FileSystem.chunkSize) { try read(into: $0) }
    }

    package func readAll() throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let chunk = try readChunk()
            guard !chunk.isEmpty else { return bytes }
            bytes += chunk
        }
    }

    /// The first bytes of the file, or those from an offset on; fewer if it is shorter.
    package func head(_ count: Int, from place: Int64 = 0) throws(Errno) -> [UInt8] {
        try bytes(count) { try read(fromAbsoluteOffset: place, into: $0) }
    }

    private func bytes(
        _ count: Int,
        _ read: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do {
                filled = try read(UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error as? Errno ?? .ioError
            }
        }
        if let failure { throw failure }
        return bytes
    }

    package func replaceContent(with bytes: [UInt8]) throws {
        try resize(to: 0)
        try writeAll(toAbsoluteOffset: 0, bytes)
    }

    package func synchronize() throws(Errno) {
        guard fsync(rawValue) == 0 else { throw .current }
    }

    // MARK: - Rights

    /// Acquires the kernel's lock of the file without waiting; false if it is held elsewhere.
    ///
    /// The kernel drops it when the last descriptor closes.
    package func lock(shared: Bool = false) throws(Errno) -> Bool {
        while flock(rawValue, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            let error = Errno.current
            guard error == .interrupted else {
                guard error == .wouldBlock else { throw error }
                return false
            }
        }
        return true
    }

    /// Releases the lock, if there is one, and closes the file.
    ///
    /// A forked process holds a copy of the descriptor, and with it the lock, until it calls `exec`.
    package func unlockAndClose() {
        _ = flock(rawValue, LOCK_UN)
        try? close()
    }

    /// Sets the mode, as far as the system allows.
    func setPermissions(_ permissions: FilePermissions) { _ = fchmod(rawValue, permissions.rawValue) }

    /// Changes owner and group; `nil` leaves one unchanged.
    func setOwner(_ user: UserID?, _ group: GroupID?) -> Bool {
        fchown(rawValue, user?.rawValue ?? .max, group?.rawValue ?? .max) == 0
    }
}

extension Errno {
    static var current: Errno { Errno(rawValue: errno) }
}

extension Stat {
    var modified: (seconds: Int, nanoseconds: Int) { (st_mtim.tv_sec, st_mtim.tv_nsec) }
}

extension UserID {
    static var effective: UserID { UserID(rawValue: geteuid()) }
}
