import OpenMarket
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

/// A path with links resolved, and the file there, if one exists.
struct FileLocation: Sendable {
    var identity: FileIdentity?
    /// Whether the path holds anything but a regular file, or is written through a descriptor that the process has
    /// open.
    var isSpecial: Bool
    private var path: String

    init(_ path: String) {
        let status = try? Stat(FilePath(path))
        identity = status.flatMap { FileIdentity($0) }
        isSpecial = status != nil && identity == nil || FileSystem.descriptor(named: path) != nil
        // A link means its target, even one that does not exist yet.
        self.path = FileSystem.absolute((try? FileSystem.destination(of: path)) ?? path)
    }

    /// Whether two paths lead to one file, or would once it exists.
    func isSame(as other: FileLocation) -> Bool {
        identity != nil && identity == other.identity || path.isExactly(other.path)
    }

    /// Whether the file is, or will be, anywhere below a folder.
    func isBelow(_ folder: String) -> Bool {
        FileSystem.contains(folder: FileSystem.absolute(folder), path: path)
    }

    /// Whether it is a file of a state: in `.openmarket`, or in a folder that contains states.
    var isStateFile: Bool {
        let folders = FileSystem.folder(of: path).split(separator: "/")
        return [[".openmarket"], [".openmarket", "runs"], [".openmarket", "pictures"]].contains {
            folders.suffix($0.count).elementsEqual($0) { $0 == $1 }
        }
    }
}
