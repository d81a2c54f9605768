import OpenMarketFiles
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file under a name that nobody can guess, beside the place where its content belongs: `NAME.RANDOM.partial`.
///
/// Its maker holds a lock on it for as long as it works on it, so that others can tell a left-over from a file in use,
/// whatever machine its maker runs on.
struct TemporaryFile {
    private static let ending = ".partial"
    private static let digits = 32

    let descriptor: FileDescriptor
    /// Where it is.
    let path: String

    /// Makes the file, which nobody else can have made: a link of that name is not followed.
    ///
    /// - Parameters:
    ///   - place: where the content will be.
    ///   - permissions: of the file.
    /// - Throws: `Errno`.
    init(for place: String, permissions: FilePermissions) throws {
        while true {
            let random = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
            let name = random.map { String(repeating: "0", count: Self.digits / 2 - $0.count) + $0 }.joined()
            let path = Self.folder(of: place) + Self.beginning(place) + name + Self.ending
            let descriptor = try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: permissions
            )
            let isLocked = flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0
            var status = stat()
            // Somebody who clears away may have met the file before the lock was there; then a new one is made.
            if isLocked || errno != EWOULDBLOCK, fstat(descriptor.rawValue, &status) == 0, status.st_nlink > 0 {
                self.path = path
                self.descriptor = descriptor
                return
            }
            try? descriptor.close()
        }
    }

    /// Gives the file the owner and the mode of the one whose place it takes, whatever the umask.
    ///
    /// - Parameters:
    ///   - old: what the system says of that one.
    ///   - permissions: the mode.
    /// - Returns: whether owner and group are those of the old one. Where the group is another, it may do nothing.
    func takeOver(_ old: stat, permissions: FilePermissions) -> Bool {
        var status = stat()
        var mode = permissions
        var isOwned = false
        if fstat(descriptor.rawValue, &status) == 0 {
            isOwned =
                status.st_uid == old.st_uid && status.st_gid == old.st_gid
                || fchown(descriptor.rawValue, old.st_uid, old.st_gid) == 0
            let hasGroup = isOwned || status.st_gid == old.st_gid || fchown(descriptor.rawValue, .max, old.st_gid) == 0
            if !hasGroup { mode.subtract([.groupReadWriteExecute, .setGroupID]) }
        }
        _ = fchmod(descriptor.rawValue, mode.rawValue)
        return isOwned
    }

    /// Puts the file in its place, and makes sure that it is there after a power cut.
    ///
    /// - Parameters:
    ///   - place: where the content will be.
    ///   - replaces: whether a file that is there by now is replaced.
    /// - Throws: `Errno`, `fileExists` where one is there and stays.
    func move(to place: String, replaces: Bool = true) throws {
        guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
        if replaces {
            guard rename(path, place) == 0 else { throw Errno(rawValue: errno) }
        } else {
            try moveIntoGap(place)
        }
        // Where a folder cannot be opened or synced as such, the system has no stronger promise to give.
        let folder = open(Self.folder(of: place) + ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        guard fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP else { throw Errno(rawValue: errno) }
    }

    /// Puts the file where nothing is, at once or not at all.
    private func moveIntoGap(_ place: String) throws {
        if link(path, place) == 0 {
            unlink(path)
            return
        }
        let error = Errno(rawValue: errno)
        // Not every file system has hard links. There an empty file takes the place first, which nobody else can have made.
        guard [.notPermitted, .notSupported, .tooManyLinks].contains(error) else { throw error }
        let gap = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard gap >= 0 else { throw Errno(rawValue: errno) }
        close(gap)
        guard rename(path, place) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Removes the file unless it is in its place by now, and gives the descriptor back.
    func discard() {
        unlink(path)
        try? descriptor.close()
    }

    /// Removes what runs that were killed left beside a place.
    ///
    /// What somebody is still writing stays.
    static func removeLeftOvers(of place: String) {
        removeLeftOvers(in: folder(of: place), beginning: beginning(place))
    }

    /// Removes what runs that were killed left in a folder that is only ours.
    ///
    /// - Parameters:
    ///   - folder: the folder with its slash.
    ///   - beginning: what the names begin with.
    static func removeLeftOvers(in folder: String, beginning: String = "") {
        guard let stream = opendir(folder + ".") else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let random = name.utf8.dropLast(ending.utf8.count).suffix(digits)
            let rest = name.utf8.count - digits - ending.utf8.count
            guard name.utf8.starts(with: beginning.utf8), name.hasSuffix(ending), random.count == digits,
                beginning.isEmpty ? rest > 0 : rest == beginning.utf8.count,
                random.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            else { continue }
            removeUnlessInUse(folder + name)
        }
    }

    private static func removeUnlessInUse(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            flock(descriptor, LOCK_EX | LOCK_NB) == 0, !FileRegister.current.isInput(path, but: .keptPicture)
        else { return }
        unlink(path)
    }

    /// The folder with its slash; empty for the current one.
    private static func folder(of place: String) -> String {
        place.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(place[...$0]) } ?? ""
    }

    /// What the names begin with; short, for a name has its limits too.
    private static func beginning(_ place: String) -> String {
        place.dropFirst(folder(of: place).count).prefix(40) + "."
    }
}
