import OpenMarket

/// Whether new rows came first: by falling id, or by falling key and then by falling id.
///
/// A list with an undefined order within a day may show some products twice and others not at all, even without
/// changes.
struct ListOrder {
    /// Whether the id breaks ties of the key, according to the market's description.
    private let includesID: Bool
    private var lastID: MarketID?
    private var lastKey: String?
    /// Whether all rows came by falling id, regardless of their keys.
    private(set) var fallsByID = true
    private(set) var risesByID = true
    private var fallsByKey = true

    init(_ order: ListTraits.Order?) { includesID = order?.includesID ?? false }

    var isNewestFirst: Bool { fallsByID && includesID || fallsByKey }

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
