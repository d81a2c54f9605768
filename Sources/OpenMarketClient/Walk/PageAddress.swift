import OpenMarketDescription

/// The address of a page of the list, selected by a walk.
///
/// The market's description determines the request.
enum PageAddress: Hashable, Sendable {
    /// A page by its number.
    ///
    /// The number counts from 1, whatever number the market's first page has. The offset of an offset style follows
    /// from the previous pages. If the market uses its own page size, `size` is only the expected number of rows.
    case number(Int, size: Int)
    /// The page after a row with this value; `nil` for the first page.
    case after(String?, size: Int)
    /// The page for a token from the previous page; `nil` for the first page.
    case cursor(String?, size: Int)
    /// The page at the checked path and query from the previous page; `nil` for the first page.
    case next(String?, size: Int)
    case whole

    static func first(_ style: MarketDescription.Page.Style, size: Int) -> PageAddress {
        switch style {
        case .number, .offset: .number(1, size: size)
        case .keyset: .after(nil, size: size)
        case .cursor: .cursor(nil, size: size)
        case .next: .next(nil, size: size)
        case .whole: .whole
        }
    }

    /// The address as one line, to be kept for a later run.
    var kept: String {
        switch self {
        case .number(let number, let size): "number \(size) \(number)"
        case .after(let place, let size): "after \(size)" + (place.map { " " + $0 } ?? "")
        case .cursor(let token, let size): "cursor \(size)" + (token.map { " " + $0 } ?? "")
        case .next(let address, let size): "next \(size)" + (address.map { " " + $0 } ?? "")
        case .whole: "whole"
        }
    }

    /// Parses ``kept``; `nil` if the text is not an address.
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
