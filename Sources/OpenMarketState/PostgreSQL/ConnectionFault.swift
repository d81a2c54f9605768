enum ConnectionFault: Error {
    /// The connection failed or broke, so it is unknown whether the server executed the statement.
    case lost(String)
    /// No answer came in time, so it is unknown whether the server executed the statement.
    case silent
    /// The server refused the statement, without effect.
    case refused(code: String, message: String)

    /// Whether the server may have executed the statement.
    var leavesDoubt: Bool {
        switch self {
        case .lost, .silent: true
        case .refused: false
        }
    }

    /// Whether a retry may succeed, because sessions conflicted.
    var isCollision: Bool {
        if case .refused(let code, _) = self { ["40001", "40P01"].contains(code) } else { false }
    }

    /// Whether the tables do not exist.
    var isMissingTable: Bool {
        if case .refused(let code, _) = self { ["42P01", "3F000"].contains(code) } else { false }
    }
}
