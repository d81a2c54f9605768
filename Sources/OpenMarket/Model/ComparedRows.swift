/// The rows of a page beside what a state knows: a few bytes for each that shows just that, a product for each other one.
///
/// Of most rows of most plans nothing has to be kept, neither in memory nor for a second comparison.
struct ComparedRows: PageRows {
    /// A row that shows of a product what the state knows: which fields those are, and what the state does not keep.
    struct Shown: Sendable {
        /// The place of the entry in the state.
        var position: Int32
        /// When it was registered, and whose it is by name: both in few bytes, because there is one of these for each product.
        var createdAt = Text()
        var vendorName = Text()
        var fields = ProductFieldSet()
        var showsVendor = false
        /// Whether it showed that there is no sale, of which the state knows nothing.
        var showsNoSale = false
        var showsIssuedAt = false
        /// Whether it showed our key, which is the entry's.
        var showsKey = false
    }

    /// Where a text of a row is among ``texts``; nowhere where the row did not show it.
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

        /// The place of the text.
        var range: Range<Int>? { count < 0 ? nil : Int(start)..<Int(start) + Int(count) }

        /// The same where so many bytes precede all texts.
        func moved(by offset: Int) -> Text {
            range.map { Text($0.lowerBound + offset..<$0.upperBound + offset) } ?? self
        }
    }

    /// A row, as it is kept.
    enum Row: Sendable {
        case shown(Shown)
        case product(LiveProduct)
    }

    private let known: KnownProducts
    /// The rows in the market's order.
    private(set) var rows: [Row] = []
    /// The texts of ``Shown`` rows.
    private(set) var texts: [UInt8] = []
    private var last: Shown?

    /// No rows yet.
    ///
    /// - Parameter known: what the state knows.
    init(comparedWith known: KnownProducts) {
        self.known = known
    }

    /// How many rows there are.
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
            showsKey: row.key != nil
        )
        rows.append(.shown(shown))
        last = shown
    }

    mutating func append(_ product: LiveProduct) { rows.append(.product(product)) }

    /// Keeps the rows at these places.
    mutating func keep(_ places: [Int]) {
        guard places.count < rows.count else { return }
        rows = places.map { rows[$0] }
    }

    /// Keeps a text; one that the row before it had, too, as most have, is kept once.
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

/// The products that a state knows, by their ids.
struct KnownProducts: Sendable {
    let entries: StateEntries
    /// The place of each product's entry; where several have one id, of one of them.
    let positions: MarketIDMap<Int32>

    init(_ entries: StateEntries) {
        self.entries = entries
        var positions = MarketIDMap<Int32>()
        if let first = entries.ids.first { positions.reserveCapacity(entries.count, for: first.kind) }
        for (position, id) in entries.ids.enumerated() { positions[id] = Int32(truncatingIfNeeded: position) }
        self.positions = positions
    }
}
