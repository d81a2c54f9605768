import GRDB
import OpenMarket

extension StateError {
    /// What an error of SQLite's, or of our own, means for the user.
    init(_ error: any Error, at files: StateFiles) {
        switch error {
        case let error as StateError: self = error
        case let error as DatabaseError: self = .sqlite(error, at: files)
        case is RowDecodingError: self = .damaged(files, because: "a value in it is of the wrong kind")
        case is DocumentError, is JSONError:
            self = .damaged(files, because: "an operation in its journal cannot be read")
        default: self = StateError(.io, "cannot use the state \(files.path): \(error)")
        }
    }

    /// What a system call's error number means for the user; `action` is what was tried, such as `create`.
    static func system(_ number: Int32, _ action: String, _ path: String) -> StateError {
        switch SystemFiles.kind(of: number) {
        case .full:
            StateError(.diskFull, "cannot \(action) \(path): the disk is full; make room and try again")
        case .readOnly:
            StateError(
                .readOnly,
                "cannot \(action) \(path): \(SystemFiles.text(of: number)); make its folder writable or use another state"
            )
        case .other:
            StateError(.io, "cannot \(action) \(path): \(SystemFiles.text(of: number))")
        }
    }

    static func damaged(_ files: StateFiles, because reason: String) -> StateError {
        StateError(
            .damaged,
            "the state \(files.path) is damaged: \(reason); nothing was changed. "
                + "Move it aside and put back a backup, or import an export of it"
        )
    }

    private static func full(_ files: StateFiles) -> StateError {
        StateError(
            .diskFull,
            "cannot write the state \(files.path): the disk is full; make room and run again, nothing is lost"
        )
    }

    private static func sqlite(_ error: DatabaseError, at files: StateFiles) -> StateError {
        // Only SQLite's own words: the full description would repeat the statement.
        let words = error.message ?? "error \(error.resultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT, .SQLITE_MISMATCH:
            return .damaged(files, because: words)
        case .SQLITE_FULL: return full(files)
        // A log's index that finds no room is reported as an error of the disk.
        case .SQLITE_IOERR where SystemFiles.isFull(files.folder),
            .SQLITE_CANTOPEN where SystemFiles.isFull(files.folder):
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
            return StateError(.conflict, "the state \(files.path) refuses what contradicts it: \(words)")
        default:
            return StateError(.io, "cannot use the state \(files.path): \(words)")
        }
    }
}
