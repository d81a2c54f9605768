/// Where a state is: the file, and the files beside it.
struct StateLocation: Hashable, Sendable {
    /// The file, symbolic links resolved as far as it exists, so that one state has one lock.
    let path: String

    init(_ path: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        self.path =
            SystemFiles.resolved(path)
            ?? SystemFiles.resolved(Self.folder(of: path)).map { ($0 == "/" ? "" : $0) + "/" + name }
            ?? path
    }

    var folder: String { Self.folder(of: path) }
    var lock: String { path + ".lock" }
    var writeAheadLog: String { path + "-wal" }
    /// A state on its way into being; takes its place when it is whole.
    var draft: String { path + ".new" }

    /// The copy made before the migration to a version.
    func backup(beforeVersion version: Int) -> String { "\(path).before-v\(version)" }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
