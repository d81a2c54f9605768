/// Which page of the list is asked for.
///
/// A walk over the list says it; a request is made of it as the market's description says.
enum PageAddress: Hashable, Sendable {
    /// A page by its number.
    ///
    /// - Parameters:
    ///   - number: from 1, whatever number the market's first page has. Where pages are asked for by offset, that is the
    ///     rows of the pages before.
    ///   - size: rows a page. Where the market has a size of its own, it only says how many are expected.
    case number(Int, size: Int)
    /// The page behind a row with this value; `nil` for the first page.
    case after(String?, size: Int)
    /// The page that a token of the page before leads to; `nil` for the first page.
    case cursor(String?, size: Int)
    /// The page at the path and query that the page before gave, as they were checked; `nil` for the first page.
    case next(String?, size: Int)
    /// The only page.
    case whole

    /// It in one line, as it is kept for a later run.
    var kept: String {
        switch self {
        case .number(let number, let size): "number \(size) \(number)"
        case .after(let place, let size): "after \(size)" + (place.map { " " + $0 } ?? "")
        case .cursor(let token, let size): "cursor \(size)" + (token.map { " " + $0 } ?? "")
        case .next(let address, let size): "next \(size)" + (address.map { " " + $0 } ?? "")
        case .whole: "whole"
        }
    }

    /// What was kept of an address; `nil` where it is not one.
    init?(kept: String) {
        let parts = kept.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        if parts == ["whole"] {
            self = .whole
            return
        }
        guard parts.count > 1, let size = Int(parts[1]), size > 0 else { return nil }
        let place = parts.count > 2 ? String(parts[2]) : nil
        switch parts[0] {
        case "number":
            guard let number = place.flatMap({ Int($0) }), number > 0 else { return nil }
            self = .number(number, size: size)
        case "after": self = .after(place, size: size)
        case "cursor": self = .cursor(place, size: size)
        case "next": self = .next(place, size: size)
        default: return nil
        }
    }
}
