import OpenMarket
import OpenMarketDescription

/// Whether the rows of a list whose pages begin after a row came in strict order, within pages and across them.
///
/// Then each page was complete, at its moment, from the previous page's last row to its own last row. No insert, delete
/// or edit moves a row from the unread part to the read part. So all products that existed throughout were read.
struct KeysetOrder {
    private let form: ListTraits
    private var last: Value?
    /// Whether every row came after the previous one, in all passes.
    private(set) var isStrict = true
    /// Two rows with the same value: a page that begins after one of them may omit the other.
    private(set) var tie: String?

    private enum Value {
        case id(MarketID)
        case key(String)
    }

    init(_ form: ListTraits) { self.form = form }

    mutating func begin() { last = nil }

    /// Adds the next page.
    ///
    /// If its first row does not come after the row in its request, the values of both are returned.
    mutating func add(_ page: LivePage) -> (first: String, last: String)? {
        var overlap: (first: String, last: String)?
        for place in page.ids.indices {
            guard let value = value(of: place, of: page) else {
                isStrict = false
                continue
            }
            if let last {
                switch relation(value, last) {
                case form.order?.direction == .rising ? .greater : .less: break
                case .same:
                    isStrict = false
                    if place > 0 { tie = text(of: value) } else { overlap = (text(of: value), text(of: last)) }
                default:
                    isStrict = false
                    if place == 0 { overlap = (text(of: value), text(of: last)) }
                }
            }
            last = value
        }
        return overlap
    }

    private func value(of place: Int, of page: LivePage) -> Value? {
        guard form.isSortedByKey else { return nil }
        if form.isKeyID { return .id(page.ids[place]) }
        return page.orderKey(at: place).map { .key($0) }
    }

    private func relation(_ one: Value, _ other: Value) -> OrderKey.Relation? {
        switch (one, other) {
        case (.id(let one), .id(let other)): OrderKey.relation(one, other)
        case (.key(let one), .key(let other)): OrderKey.relation(one, other)
        default: nil
        }
    }

    private func text(of value: Value) -> String {
        switch value {
        case .id(let id): id.description
        case .key(let key): key
        }
    }
}
