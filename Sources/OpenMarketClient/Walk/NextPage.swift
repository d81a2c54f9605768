/// What a page says of the page behind it.
enum NextPage: Hashable, Sendable {
    /// Nothing: this market's pages do not lead to one another.
    case unsaid
    /// That there is none.
    case none
    /// A token, or an address of the market's as it was checked: path and query.
    case at(String)
    /// An address that must not be followed, for this reason.
    case refused(String)

    /// Whether there is one.
    var goesOn: Bool {
        switch self {
        case .unsaid, .none: false
        case .at, .refused: true
        }
    }
}
