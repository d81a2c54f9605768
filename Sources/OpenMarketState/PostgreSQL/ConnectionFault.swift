/// Why a statement brought nothing.
enum ConnectionFault: Error {
    /// The connection could not be made, or broke: whether the server carried out what it was sent is not known.
    case lost(String)
    /// No answer came in time: neither is it known then.
    case silent
    /// The server refuses, and has done nothing.
    case refused(code: String, message: String)

    /// Whether the server may have carried out what it was sent.
    var leavesDoubt: Bool {
        switch self {
        case .lost, .silent: true
        case .refused: false
        }
    }

    /// Whether the same statement may pass when it is repeated: sessions were in each other's way.
    var isCollision: Bool {
        if case .refused(let code, _) = self { ["40001", "40P01"].contains(code) } else { false }
    }

    /// Whether what was to be written contradicts what is there.
    var isContradiction: Bool {
        if case .refused(let code, _) = self { code.hasPrefix("23") } else { false }
    }

    /// Whether the tables are not there.
    var isMissingTable: Bool {
        if case .refused(let code, _) = self { ["42P01", "3F000"].contains(code) } else { false }
    }
}
