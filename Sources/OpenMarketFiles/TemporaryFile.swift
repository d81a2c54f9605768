import OpenMarket
import SystemPackage

/// A file under a name that cannot be guessed, beside the path where its content belongs: `NAME.RANDOM.partial`.
///
/// Its maker holds a lock on it for as long as it works on it, so that others can distinguish a left-over from a file in use,
/// whatever machine its maker runs on.
struct TemporaryFile {
    private static let ending = ".partial"
    private static let digits = 32

    let descriptor: FileDescriptor
    let path: String

    /// Makes the file, which no other process can have made: a link of that name is not followed.
    ///
    /// - Parameters:
    ///   - place: where the content will be.
    ///   - permissions: of the file.
    /// - Throws: `Errno`.
    init(for place: String, permissions: FilePermissions) throws {
        while true {
            let name = String(UInt128.random(in: .min ... .max), radix: 16, width: Self.digits)
            let path = FileSystem.prefix(of: place) + Self.beginning(place) + name + Self.ending
            let descriptor = try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: permissions
            )
            // A process that clears away may have met the file before the lock was there; then a new one is made.
            if descriptor.lockIfSupported(), let status = try? Stat(descriptor), status.linkCount > 0 {
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
    func takeOver(_ old: Stat, permissions: FilePermissions) -> Bool {
        var mode = permissions
        var isOwned = false
        if let status = try? Stat(descriptor) {
            let sameGroup = status.groupID == old.groupID
            isOwned = status.userID == old.userID && sameGroup || descriptor.setOwner(old.userID, old.groupID)
            if !isOwned, !sameGroup, !descriptor.setOwner(nil, old.groupID) {
                mode.subtract([.groupReadWriteExecute, .setGroupID])
            }
        }
        descriptor.setPermissions(mode)
        return isOwned
    }

    /// Puts the file in its place, and makes sure that it is there after a power cut.
    ///
    /// - Parameters:
    ///   - place: where the content will be.
    ///   - replaces: whether a file that is there by now is replaced.
    /// - Throws: `Errno`, `fileExists` where one is there and stays.
    func move(to place: String, replaces: Bool = true) throws(Errno) {
        try descriptor.synchronize()
        try FileSystem.move(path, to: place, replaces: replaces)
    }

    /// Removes the file unless it is in its place by now, and gives the descriptor back.
    func discard() {
        try? FileSystem.remove(path)
        try? descriptor.close()
    }

    /// Removes what runs that were killed left beside a place.
    ///
    /// What is still being written stays.
    static func removeLeftOvers(of place: String) {
        removeLeftOvers(in: FileSystem.prefix(of: place), beginning: beginning(place))
    }

    /// Removes what runs that were killed left in a folder that is only ours.
    ///
    /// - Parameters:
    ///   - folder: the folder with its slash.
    ///   - beginning: what the names begin with.
    static func removeLeftOvers(in folder: String, beginning: String = "") {
        for name in FileSystem.names(in: folder + ".") ?? [] {
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
        let options: FileDescriptor.OpenOptions = [.noFollow, .nonBlocking, .closeOnExec]
        guard let descriptor = try? FileDescriptor.open(path, .readOnly, options: options) else { return }
        defer { try? descriptor.close() }
        guard (try? Stat(descriptor))?.type == .regular, (try? descriptor.lock()) == true,
            !FileRegister.current.isInput(path, but: .keptPicture)
        else { return }
        try? FileSystem.remove(path)
    }

    /// What the names begin with; short, because a name has its limits too.
    private static func beginning(_ place: String) -> String { FileSystem.name(of: place).prefix(40) + "." }
}
