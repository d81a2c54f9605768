import SystemPackage

/// An existing file, whatever its name: links, hard links and other spellings of its path are the same file.
package struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var number: UInt64

    /// `nil` for anything but a regular file: a pipe or a device is never replaced.
    init?(_ status: Stat) {
        guard status.type == .regular else { return nil }
        self.init(of: status)
    }

    init(of status: Stat) {
        device = UInt64(truncatingIfNeeded: status.deviceID.rawValue)
        number = UInt64(truncatingIfNeeded: status.inode.rawValue)
    }
}

/// The location of a present or future file: the existing folder, with links resolved, and the name in it.
struct FilePlace: Sendable {
    /// The file, if it exists.
    var identity: FileIdentity?
    /// Whether the path holds anything but a regular file, or is written through a descriptor that the process has
    /// open.
    var isSpecial = false
    /// The deepest existing folder of the path; `nil` if not even `.` can be examined.
    private var folder: FileIdentity?
    private var folderPath: String
    /// The rest of the path.
    private var name: String

    init(_ path: String) {
        let status = try? Stat(FilePath(path))
        identity = status.flatMap { FileIdentity($0) }
        isSpecial = status != nil && identity == nil || FileSystem.descriptor(named: path) != nil
        // A link means its target, even one that does not exist yet.
        var rest =
            (identity == nil ? nil : FileSystem.resolved(path)) ?? (try? FileSystem.destination(of: path)) ?? path
        var names: [String] = []
        repeat {
            let (above, last) = Self.split(rest)
            if !last.isEmpty, last != "." { names.append(last) }
            rest = above
            folder = (try? Stat(FilePath(rest))).map { FileIdentity(of: $0) }
        } while folder == nil && rest != "." && rest != "/"
        folderPath = rest
        name = names.reversed().joined(separator: "/")
    }

    /// Whether two paths lead to one file, or would once it exists.
    func isSame(as other: FilePlace) -> Bool {
        if let identity, identity == other.identity { return true }
        guard let folder, folder == other.folder else { return false }
        if name.utf8.elementsEqual(other.name.utf8) { return true }
        // The file system decides whether names in other letters, or other bytes for the same letters, are the same.
        return name.lowercased() == other.name.lowercased() && Self.ignoresCase(folderPath)
    }

    /// Whether it is a file of a state: in `.openmarket`, or in a folder that states keep there.
    var isStateFile: Bool {
        guard let folder = FileSystem.resolved(folderPath) else { return false }
        let names = FileSystem.folder(of: FileSystem.path(of: name, in: folder)).split(separator: "/")
        return names.last == ".openmarket" || names.suffix(2).elementsEqual([".openmarket", "runs"])
            || names.suffix(2).elementsEqual([".openmarket", "pictures"])
    }

    private static func ignoresCase(_ folder: String) -> Bool {
        for name in FileSystem.names(in: folder) ?? [] {
            let other = name == name.uppercased() ? name.lowercased() : name.uppercased()
            guard other != name, let status = try? Stat(FilePath(folder + "/" + name)) else { continue }
            guard let found = try? Stat(FilePath(folder + "/" + other)) else { return false }
            return FileIdentity(of: status) == FileIdentity(of: found)
        }
        return false
    }

    /// Whether the file is, or will be, anywhere below a folder.
    func isBelow(_ folder: String) -> Bool {
        guard let above = FileSystem.resolved(folder), let own = FileSystem.resolved(folderPath) else { return false }
        return FileSystem.contains(folder: above, path: own + "/" + name)
    }

    /// Splits a path into its folder and last name; by bytes, as the system does.
    private static func split(_ path: String) -> (folder: String, name: String) {
        var path = path[...]
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path = Substring(path.utf8.dropLast()) }
        return (FileSystem.folder(of: String(path)), FileSystem.name(of: String(path)))
    }
}
