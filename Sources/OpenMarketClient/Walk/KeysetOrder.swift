import OpenMarket
import OpenMarketDescription

/// Whether the rows of a list whose pages begin after a row came in strict order, within pages and across them.
///
/// Then each page was complete, at its moment, from the previous page's last row to its own last row. No insert, delete
/// or edit moves a row from the unread part to the read part. So all products that existed throughout were read.
struct KeysetOrder {
    private let form: ListTraits
    private var last: (id: MarketID, key: String)?
    /// Whether every row came after the previous one, in all passes.
    private(set) var isStrict = true
    /// Two rows with the same value: a page that begins after one of them may omit the other.
    private(set) var tie: String?

    init(_ form: ListTraits) { self.form = form }

    mutating func begin() { last = nil }

    mutating func add(_ page: LivePage) {
        for (place, id) in page.ids.enumerated() {
            guard form.isSortedByKey, let key = form.isKeyID ? id.description : page.orderKey(at: place) else {
                isStrict = false
                continue
            }
            if let last {
                let relation = form.isKeyID ? OrderKey.relation(id, last.id) : OrderKey.relation(key, last.key)
                if relation != (form.order?.direction == .rising ? .greater : .less) { isStrict = false }
                // A page may begin with the row of its request.
                if relation == .same, place > 0 { tie = key }
            }
            last = (id, key)
        }
    }
}
