import OpenMarket
import OpenMarketFiles
import SystemPackage

/// A state's file, and the files beside it.
struct StateFiles: Hashable, Sendable {
    /// The file, symbolic links resolved as far as it exists, so that one state has one lock.
    let path: String

    init(_ path: String) {
        self.path =
            FileSystem.resolved(path)
            ?? FileSystem.resolved(FileSystem.folder(of: path)).map {
                FileSystem.path(of: FileSystem.name(of: path), in: $0)
            }
            ?? path
    }

    /// How the names of a state's files end, behind the state's own name.
    static let endings = ["", "-wal", "-shm", "-journal", ".lock", ".new"]

    var location: StateLocation { StateLocation(path) }
    var folder: String { FileSystem.folder(of: path) }
    var lock: String { path + ".lock" }
    var writeAheadLog: String { path + "-wal" }
    /// A state on its way into being; takes its place when it is whole.
    var draft: String { path + ".new" }

    /// The copy made before the migration to a version.
    func backup(beforeVersion version: Int) -> String { "\(path).before-v\(version)" }

    /// The state that a path is a backup of by its name; `nil` for any other path.
    static func original(ofBackup path: String) -> String? {
        let parts = path.split(separator: ".before-v", omittingEmptySubsequences: false)
        guard parts.count > 1, let version = parts.last, !version.isEmpty, version.allSatisfy(\.isNumber) else {
            return nil
        }
        return parts.dropLast().joined(separator: ".before-v")
    }

    /// The size of a state's file in bytes; `nil` where nothing is.
    static func size(of path: String) throws -> Int? {
        do {
            let status = try Stat(FilePath(path))
            guard status.type == .regular else {
                throw StateError(.io, "cannot use \(path) as a state: it is not a regular file")
            }
            return Int(status.size)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch let error as Errno {
            throw StateError(FileError(.read, path, error))
        }
    }

    /// Whether a file is a state by its content: a database with the mark of one.
    static func isState(_ path: String) -> Bool {
        guard let head = FileSystem.head(of: path, count: 72) else { return false }
        let application = head.suffix(4).reduce(0 as Int32) { $0 << 8 | Int32($1) }
        return head.starts(with: "SQLite format 3\0".utf8)
            && [StateSchema.applicationID, StateSchema.prereleaseApplicationID].contains(application)
    }
}
