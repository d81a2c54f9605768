import GRDB
import OpenMarket
import OpenMarketFiles
import SystemPackage

extension StateError {
    init(_ error: any Error, at files: StateFiles) {
        switch error {
        case let error as StateError: self = error
        case let error as FileError: self.init(error)
        case let error as DatabaseError: self = .sqlite(error, at: files)
        case let error as UnreadableValue: self = .damaged(files.location, because: error.reason)
        case is RowDecodingError: self = .damaged(files.location, because: "a value in it is of the wrong kind")
        case is DocumentError, is JSONError:
            self = .damaged(files.location, because: "an operation in its journal cannot be read")
        default: self = StateError(.io, "cannot use the state \(files.path): \(error)")
        }
    }

    init(_ error: FileError) {
        switch error.reason {
        case .system(.noSpace), .system(.diskQuotaExceeded):
            let what = "cannot \(error.action.rawValue) \(error.path)"
            self.init(.diskFull, "\(what): the disk is full; free space and try again")
        case .system(.readOnlyFileSystem), .system(.permissionDenied), .system(.notPermitted):
            self.init(.readOnly, "\(error); make its folder writable or use another state")
        default:
            self.init(.io, error.description)
        }
    }

    /// Converts a file error of the system to a ``StateError``.
    static func explaining<Value>(
        _ action: FileError.Action,
        _ path: String,
        _ body: () throws -> Value
    ) throws(StateError) -> Value {
        do {
            return try FileError.explaining(action, path, body)
        } catch {
            throw StateError(error)
        }
    }

    static func damaged(_ location: StateLocation, because reason: String) -> StateError {
        StateError(
            .damaged,
            "the state \(location) is damaged: \(reason); it is unchanged. "
                + "Move it aside and put back a backup, or import an export of it"
        )
    }

    /// The error for a state of another version than this program reads.
    static func newer(_ location: StateLocation, _ version: Int, reads known: Int) -> StateError {
        StateError(
            .otherVersion,
            "the state \(location) has version \(version) and was written by a newer openmarket; this one reads up "
                + "to version \(known). Update it, or export the state with the version that wrote it "
                + "(state export), move it aside, and import the export"
        )
    }

    private static func full(_ files: StateFiles) -> StateError {
        StateError(
            .diskFull,
            "cannot write the state \(files.path): the disk is full; free space and run again, the state is intact"
        )
    }

    private static func sqlite(_ error: DatabaseError, at files: StateFiles) -> StateError {
        // SQLite's message alone: the full description would repeat the statement.
        let words = error.message ?? "error \(error.resultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT, .SQLITE_MISMATCH:
            return .damaged(files.location, because: words)
        case .SQLITE_FULL: return full(files)
        // If there is no space for a log's index, SQLite reports a disk error.
        case .SQLITE_IOERR where FileSystem.isFull(files.folder),
            .SQLITE_CANTOPEN where FileSystem.isFull(files.folder):
            return full(files)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN:
            return StateError(
                .readOnly,
                "cannot write the state \(files.path): \(words); make the file and its folder writable "
                    + "or use another state"
            )
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return StateError(
                .locked,
                "another program is writing the state \(files.path); try again when it is done"
            )
        case .SQLITE_CONSTRAINT:
            return StateError(.conflict, "the state \(files.path) refuses a contradiction: \(words)")
        default:
            return StateError(.io, "cannot use the state \(files.path): \(words)")
        }
    }
}
