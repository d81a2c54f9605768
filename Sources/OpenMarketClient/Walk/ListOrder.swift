import OpenMarket

/// Whether rows came in an order in which what is new comes first: by falling id, or by a falling key and, within one of
/// it, by falling id.
///
/// A list that leaves the order of a day's products open shows some of them twice and others not at all on its way from
/// page to page, though nothing changes.
struct ListOrder {
    /// Whether ties of the key are settled by the id, as the market's description says.
    private let includesID: Bool
    private var lastID: MarketID?
    private var lastKey: String?
    /// Whether all rows came by falling id, whatever their keys.
    private(set) var fallsByID = true
    /// Whether all rows came by rising id.
    private(set) var risesByID = true
    private var fallsByKey = true

    init(_ order: ListForm.Order?) { includesID = order?.includesID ?? false }

    /// Whether all rows came in such an order.
    var isNewestFirst: Bool { fallsByID && includesID || fallsByKey }

    /// Takes in the next row that was not there before.
    mutating func add(_ id: MarketID, key: String?) {
        if let lastID {
            let relation = OrderKey.relation(id, lastID)
            if relation != .less { fallsByID = false }
            if relation != .greater { risesByID = false }
            if fallsByKey {
                switch key.flatMap({ key in lastKey.flatMap { OrderKey.relation(key, $0) } }) {
                case .less: break
                case .same: fallsByKey = includesID && relation == .less
                case .greater, nil: fallsByKey = false
                }
            }
        }
        lastID = id
        lastKey = key
    }
}
