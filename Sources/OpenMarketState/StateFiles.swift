import OpenMarket

/// A state's file, and the files beside it.
struct StateFiles: Hashable, Sendable {
    /// The file, symbolic links resolved as far as it exists, so that one state has one lock.
    let path: String

    init(_ path: String) {
        // Paths are cut by bytes, as the system does: a mark that joins a slash makes one character of the two.
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap(String.init) ?? path
        self.path =
            SystemFiles.resolved(path)
            ?? SystemFiles.resolved(Self.folder(of: path)).map { ($0 == "/" ? "" : $0) + "/" + name }
            ?? path
    }

    /// How the names of a state's files end, behind the state's own name.
    static let endings = ["", "-wal", "-shm", "-journal", ".lock", ".new"]

    var location: StateLocation { StateLocation(path) }
    var folder: String { Self.folder(of: path) }
    var lock: String { path + ".lock" }
    var writeAheadLog: String { path + "-wal" }
    /// A state on its way into being; takes its place when it is whole.
    var draft: String { path + ".new" }

    /// The copy made before the migration to a version.
    func backup(beforeVersion version: Int) -> String { "\(path).before-v\(version)" }

    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
