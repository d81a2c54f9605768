import OpenMarket

extension StateError {
    /// Converts an error of the server, the connection or this tool.
    init(_ error: any Error, at location: StateLocation) {
        switch error {
        case let error as StateError: self = error
        case ConnectionFault.lost(let words):
            self.init(.io, "cannot reach the state \(location): \(words)")
        case ConnectionFault.silent:
            self.init(.io, "the state \(location) does not answer")
        case ConnectionFault.refused(let code, let words):
            self.init(code: code, words, at: location)
        case let error as UnreadableValue: self = .damaged(location, because: error.reason)
        case is DocumentError, is JSONError:
            self = .damaged(location, because: "an operation in its journal cannot be read")
        default: self.init(.io, "cannot use the state \(location): \(error)")
        }
    }

    private init(code: String, _ words: String, at location: StateLocation) {
        switch code {
        case "25006", "42501":
            self.init(.readOnly, "cannot write the state \(location): \(words)")
        case "53100":
            self.init(
                .diskFull,
                "cannot write the state \(location): \(words); free space and run again, the state is intact"
            )
        case "23505" where words.contains(StateTables.oneKeyOfProduct):
            self.init(.taken, "the state \(location) has the product under another key: \(words)")
        case _ where code.hasPrefix("23"):
            self.init(.conflict, "the state \(location) refuses a contradiction: \(words)")
        default:
            self.init(.io, "cannot use the state \(location): \(words)")
        }
    }

    /// Whether the data to write contradicts existing data.
    var isContradiction: Bool { code == .conflict || code == .taken }

    /// The error for a database that was restored to an earlier point in time.
    static func forgotten(_ location: StateLocation) -> StateError {
        StateError(
            .io,
            "the database of the state \(location) lost data that it acknowledged: it was restored, or a standby took "
                + "over without all data; the next apply settles operations in flight"
        )
    }

    /// The error for a session without an answer from its database for too long.
    static func lost(_ location: StateLocation, _ words: String?) -> StateError {
        StateError(
            .io,
            "the state \(location) does not answer" + (words.map { ": \($0)" } ?? "")
                + "; sending stopped, and the next apply settles operations in flight"
        )
    }
}
