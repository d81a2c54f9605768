import OpenMarket
import SystemPackage

/// A file with an unguessable name next to its final path: `NAME.RANDOM.partial`.
///
/// Its creator keeps it locked. So others can distinguish a left-over from a file in use, even one created on another
/// machine.
struct TemporaryFile {
    private static let ending = ".partial"
    private static let digits = 32

    let descriptor: FileDescriptor
    let path: String

    /// Creates the file; it fails if the name exists, so no other process's file or link is used.
    ///
    /// `place` is the final path of the content. Throws `Errno`.
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
            // Another process may have removed the file before it was locked; then a new one is created.
            if descriptor.lockIfSupported(), let status = try? Stat(descriptor), status.linkCount > 0 {
                self.path = path
                self.descriptor = descriptor
                return
            }
            try? descriptor.close()
        }
    }

    /// Gives the file the owner and mode of the file that it replaces, whatever the umask.
    ///
    /// Returns whether owner and group are the old ones. A group other than the old one is left without permissions.
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

    /// Moves the file to its final path and syncs the new name to disk.
    ///
    /// Throws `fileExists` if a file exists there and `replaces` is false.
    func move(to place: String, replaces: Bool = true) throws(Errno) {
        try descriptor.synchronize()
        try FileSystem.move(path, to: place, replaces: replaces)
    }

    /// Removes the file unless it was moved to its final path, and closes the descriptor.
    func discard() {
        try? FileSystem.remove(path)
        try? descriptor.close()
    }

    /// Removes left-overs of killed runs next to a path, except files still being written.
    static func removeLeftOvers(of place: String) {
        removeLeftOvers(in: FileSystem.prefix(of: place), beginning: beginning(place))
    }

    /// Removes left-overs of killed runs from a folder that only this tool uses.
    ///
    /// `folder` ends with a slash; `beginning` is the prefix of the names.
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

    /// The prefix of the names; shortened, because a file system limits the length of names.
    private static func beginning(_ place: String) -> String { FileSystem.name(of: place).prefix(40) + "." }
}
