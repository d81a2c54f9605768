import OpenMarket
import OpenMarketDescription

/// Whether the rows of a list whose pages begin behind a row came in strict order, within pages and from page to page.
///
/// Then each page was all rows between the last one before it and its own last one, at its moment. No insert, delete or
/// edit takes a row from what is not read yet to what is: so nothing that was there throughout can have been passed over.
struct KeysetOrder {
    private let form: ListForm
    private var last: Value?
    /// Whether every row was behind the one before, in all passes.
    private(set) var isStrict = true
    /// Two rows with the same value: a page that begins behind one of them may leave the other out.
    private(set) var tie: String?

    private enum Value {
        case id(MarketID)
        case key(String)
    }

    init(_ form: ListForm) { self.form = form }

    /// Begins another pass.
    mutating func begin() { last = nil }

    /// Goes back to the row that a page was asked for behind, because the market no longer knows a later one.
    mutating func goBack(to page: LivePage, row: Int) { last = value(of: row, of: page) }

    /// Takes in the next page.
    ///
    /// - Returns: the values of its first row and of the row that it was asked for behind, where the first is not behind
    ///   the other.
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
