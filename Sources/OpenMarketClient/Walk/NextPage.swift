enum NextPage: Hashable, Sendable {
    /// None: this market's pages do not lead to one another.
    case unsaid
    case none
    /// A token, or a checked address of the market: path and query.
    case at(String)
    /// An address that must not be followed, for this reason.
    case refused(String)

    var goesOn: Bool {
        switch self {
        case .unsaid, .none: false
        case .at, .refused: true
        }
    }
}
