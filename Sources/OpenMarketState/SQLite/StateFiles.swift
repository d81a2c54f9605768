import OpenMarket
import OpenMarketFiles
import SystemPackage

struct StateFiles: Hashable, Sendable {
    /// The file's path; symbolic links are resolved as far as it exists, so that one state has one lock.
    let path: String

    init(_ path: String) {
        self.path =
            FileSystem.resolved(path)
            ?? FileSystem.resolved(FileSystem.folder(of: path)).map {
                FileSystem.path(of: FileSystem.name(of: path), in: $0)
            }
            ?? path
    }

    /// The suffixes of a state's files after the name of the database.
    static let endings = ["", "-wal", "-shm", "-journal", ".lock", ".new"]

    var location: StateLocation { StateLocation(path) }
    var folder: String { FileSystem.folder(of: path) }
    var lock: String { path + ".lock" }
    var writeAheadLog: String { path + "-wal" }
    /// A state that is being created; moved to `path` once it is complete.
    var draft: String { path + ".new" }

    /// The files that are written while a state is open; `nil` for one that does not exist.
    var identities: [FileIdentity?] { Self.written.map { FileSystem.identity(of: path + $0) } }

    private static let written = ["", "-wal", "-shm"]

    /// Checks that no file of the state has another hard link, under which it would have another lock and another log.
    func requireOneName() throws {
        for ending in Self.written { _ = try Self.size(of: path + ending) }
    }

    /// The copy created before the migration to a version.
    func backup(beforeVersion version: Int) -> String { "\(path).before-v\(version)" }

    /// The state that a path is a backup of, by its name; `nil` for any other path.
    static func original(ofBackup path: String) -> String? {
        let parts = path.split(separator: ".before-v", omittingEmptySubsequences: false)
        guard parts.count > 1, let version = parts.last, !version.isEmpty, version.allSatisfy(\.isNumber) else {
            return nil
        }
        return parts.dropLast().joined(separator: ".before-v")
    }

    static func size(of path: String) throws -> Int? {
        do {
            let status = try Stat(FilePath(path))
            guard status.type == .regular else {
                throw StateError(.io, "cannot use \(path) as a state: it is not a regular file")
            }
            guard status.linkCount <= 1 else {
                throw StateError(
                    .io,
                    "cannot use \(path) as a state: it has a second hard link (cp -l, rsync --link-dest), and "
                        + "another run could write it there. Separate the file: cp FILE NEW && mv NEW FILE"
                )
            }
            return Int(status.size)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch let error as Errno {
            throw StateError(FileError(.read, path, error))
        }
    }

    /// Whether a file is a state by its content: a SQLite database with the application id.
    static func isState(_ path: String) -> Bool {
        FileKind.databaseID(of: path) == StateSchema.applicationID
    }
}
