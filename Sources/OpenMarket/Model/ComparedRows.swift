/// The rows of a page, compared with a state: a few bytes for each row that matches, a product for each other row.
///
/// In most plans most rows match, which saves memory and a second comparison.
struct ComparedRows: PageRows {
    /// A row that matches the state: the fields that it shows, and values that the state does not keep.
    struct Shown: Sendable {
        /// The position of the entry in the state.
        var position: Int32
        /// Time of registration and vendor name take few bytes, because each product has both.
        var createdAt = Text()
        var vendorName = Text()
        var fields = ProductFieldSet()
        var showsVendor = false
        /// Whether the row showed the absence of a sale, which the state does not record.
        var showsNoSale = false
        var showsIssuedAt = false
        /// Whether the row showed the entry's key.
        var showsKey = false
        var isWhole = false
    }

    /// The position of a row's text in ``texts``; none if the row did not show it.
    struct Text: Sendable {
        private let start: UInt32
        private let count: Int32

        init() {
            start = 0
            count = -1
        }

        fileprivate init(_ range: Range<Int>) {
            start = UInt32(range.lowerBound)
            count = Int32(range.count)
        }

        var range: Range<Int>? { count < 0 ? nil : Int(start)..<Int(start) + Int(count) }

        /// The same text after `offset` bytes were inserted before all texts.
        func moved(by offset: Int) -> Text {
            range.map { Text($0.lowerBound + offset..<$0.upperBound + offset) } ?? self
        }
    }

    enum Row: Sendable {
        case shown(Shown)
        case product(LiveProduct)
    }

    private let known: KnownProducts
    /// In the market's order.
    private(set) var rows: [Row] = []
    private(set) var texts: [UInt8] = []
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
            createdAt: keep(row.createdAt, after: last?.createdAt),
            vendorName: keep(row.vendorName, after: last?.vendorName),
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

    /// Keeps a text once if it equals the previous row's, as most do.
    private mutating func keep(_ text: JSONText?, after previous: Text?) -> Text {
        guard let text else { return Text() }
        return text.withUTF8Span { bytes in
            if let previous, let range = previous.range, texts.span.extracting(range).isExactly(bytes) {
                return previous
            }
            let start = texts.count
            texts.append(bytes)
            return Text(start..<texts.count)
        }
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
