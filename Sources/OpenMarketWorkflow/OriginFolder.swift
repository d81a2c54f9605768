import OpenMarket
import OpenMarketFiles
import Synchronization

/// The folder that the state's origins are relative to.
final class OriginFolder: OriginNames {
    private let paths: DocumentPaths
    /// Origins by file, because each operation asks for one.
    private let known = Mutex<[String: String]>([:])

    init(_ folder: String) { paths = DocumentPaths(folder: FileSystem.absolute(folder)) }

    /// The path from the folder; `-` for standard input or a pipe.
    ///
    /// The file need not exist: a saved plan is applied without it, and a pull writes it last.
    func origin(of file: String) -> String {
        known.withLock { known in
            if let origin = known[file] { return origin }
            let folder = FileSystem.absolute(FileSystem.folder(of: file))
            let path = FileSystem.path(of: FileSystem.name(of: file), in: folder)
            let isFile = !file.hasPrefix("<") && FileSystem.mayBecomeRegular(file)
            let origin = isFile ? paths.relative(path, always: true) : "-"
            known[file] = origin
            return origin
        }
    }

    /// The path of the file that an origin names, from the command's working folder; `nil` if it is gone or no file.
    func file(of origin: String) -> String? {
        let path = paths.absolute(origin)
        guard origin != "-", FileSystem.isRegular(path) else { return nil }
        return DocumentPaths(folder: DocumentFolder.current).relative(path)
    }

    func origins(of files: [String], in entries: StateEntries) -> Origins {
        let names = Dictionary(files.map { ($0, origin(of: $0)) }) { first, _ in first }
        var origins = Origins(names: names)
        let targets = Set(files.compactMap(FileSystem.identity))
        for other in entries.knownOrigins where other != "-" && !names.values.contains(other) {
            let path = paths.absolute(other)
            if case .missing = FileSystem.kind(of: path) {
                origins.gone.insert(other)
            } else if FileSystem.identity(of: path).map(targets.contains) ?? false {
                origins.read.insert(other)
            }
        }
        return origins
    }
}
