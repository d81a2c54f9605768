/// The rows of a page, compared with a state: a few bytes for each row that matches, a product for each other row.
///
/// In most plans most rows match, which saves memory and a second comparison.
struct ComparedRows: PageRows {
    /// A row that matches the state: the fields that it shows, and values that the state does not keep.
    struct Shown: Sendable {
        /// The position of the entry in the state.
        var position: Int32
        var createdAt: String?
        var vendorName: String?
        var fields = ProductFieldSet()
        var showsVendor = false
        /// Whether the row showed the absence of a sale, which the state does not record.
        var showsNoSale = false
        var showsIssuedAt = false
        /// Whether the row showed the entry's key.
        var showsKey = false
        var isWhole = false
    }

    enum Row: Sendable {
        case shown(Shown)
        case product(LiveProduct)
    }

    private let known: KnownProducts
    /// In the market's order.
    private(set) var rows: [Row] = []
    private var last: Shown?

    init(comparedWith known: KnownProducts) {
        self.known = known
    }

    var count: Int { rows.count }

    mutating func append(_ row: LiveRow) {
        guard let position = known.positions[row.id], known.entries.isKnownShown(Int(position), by: row) else {
            rows.append(.product(LiveProduct(row)))
            return
        }
        let shown = Shown(
            position: position,
            createdAt: Self.string(row.createdAt, after: last?.createdAt),
            vendorName: Self.string(row.vendorName, after: last?.vendorName),
            fields: row.shownFields,
            showsVendor: row.vendorID != nil,
            showsNoSale: row.sale == .fullPrice,
            showsIssuedAt: row.issuedAt != nil,
            showsKey: row.key != nil,
            isWhole: row.isWhole
        )
        rows.append(.shown(shown))
        last = shown
    }

    mutating func append(_ product: LiveProduct) { rows.append(.product(product)) }

    mutating func keep(_ places: [Int]) {
        guard places.count < rows.count else { return }
        rows = places.map { rows[$0] }
    }

    /// Shares the previous row's text if it is the same, as most are.
    private static func string(_ text: JSONText?, after previous: String?) -> String? {
        text?.isExactly(previous) == true ? previous : text?.string
    }
}

struct KnownProducts: Sendable {
    let entries: StateEntries
    /// The position of each product's entry; if several entries share an ID, one of them.
    let positions: [MarketID: Int32]

    init(_ entries: StateEntries) {
        self.entries = entries
        var positions: [MarketID: Int32] = [:]
        positions.reserveCapacity(entries.count)
        for (position, id) in entries.ids.enumerated() { positions[id] = Int32(truncatingIfNeeded: position) }
        self.positions = positions
    }
}
