import GRDB

extension StateError {
    /// What an error of SQLite's, or of our own, means for the user.
    init(_ error: any Error, at location: StateLocation) {
        switch error {
        case let error as StateError: self = error
        case let error as DatabaseError: self = .sqlite(error, at: location)
        case is RowDecodingError: self = .damaged(location, because: "a value in it is of the wrong kind")
        case is DecodingError, is StateLines.Fault:
            self = .damaged(location, because: "an operation in its journal cannot be read")
        default: self = StateError(.io, "cannot use the state \(location.path): \(error)")
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
                "cannot \(action) \(path): \(SystemFiles.text(of: number)); make its folder writable or name another state with --state"
            )
        case .other:
            StateError(.io, "cannot \(action) \(path): \(SystemFiles.text(of: number))")
        }
    }

    static func damaged(_ location: StateLocation, because reason: String) -> StateError {
        StateError(
            .damaged,
            "the state \(location.path) is damaged: \(reason); nothing was changed. "
                + "Move it aside and put back a backup, or import an export of it"
        )
    }

    private static func full(_ location: StateLocation) -> StateError {
        StateError(
            .diskFull,
            "cannot write the state \(location.path): the disk is full; make room and run again, nothing is lost"
        )
    }

    private static func sqlite(_ error: DatabaseError, at location: StateLocation) -> StateError {
        // Only SQLite's own words: the full description would repeat the statement.
        let words = error.message ?? "error \(error.resultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT, .SQLITE_MISMATCH:
            return .damaged(location, because: words)
        case .SQLITE_FULL: return full(location)
        // A log's index that finds no room is reported as an error of the disk.
        case .SQLITE_IOERR where SystemFiles.isFull(location.folder),
            .SQLITE_CANTOPEN where SystemFiles.isFull(location.folder):
            return full(location)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN:
            return StateError(
                .readOnly,
                "cannot write the state \(location.path): \(words); make the file and its folder writable "
                    + "or name another state with --state"
            )
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return StateError(
                .locked,
                "another program is writing the state \(location.path); try again when it is done"
            )
        case .SQLITE_CONSTRAINT:
            return StateError(.conflict, "the state \(location.path) refuses what contradicts it: \(words)")
        default:
            return StateError(.io, "cannot use the state \(location.path): \(words)")
        }
    }
}
