/// The change of a product since an earlier export.
package struct CatalogChange: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case new
        case changed
        case gone
    }

    package var kind: Kind
    /// The newer row; the earlier export's for a product that is gone.
    package var row: CatalogRow
    /// `nil` unless the product changed.
    package var before: CatalogRow?
    package var fields: [CatalogColumn] = []
}

package struct CatalogChanges: Hashable, Sendable {
    /// The columns of both exports that were compared.
    package var columns: [CatalogColumn]
    /// New products first, then changed, then gone ones, each newest first.
    package var changes: [CatalogChange]
    package var earlierCount: Int
    package var unchanged: Int

    package func count(_ kind: CatalogChange.Kind) -> Int { changes.count { $0.kind == kind } }
}

/// Compares the market with an earlier export, which is read once.
///
/// ```swift
/// var comparison = CatalogComparison(shows: columns)
/// for row in earlier { comparison.add(row) }
/// comparison.endEarlier()
/// for page in later { comparison.add(page) }  // each created by comparison.emptyPage(keys)
/// let changes = comparison.finish()
/// ```
package struct CatalogComparison: Sendable {
    /// Columns that only some exports show; if one export never shows a column, its absence does not count as a change.
    private static let columnsOfDetails: Set<CatalogColumn> = [.description, .vendor, .images]

    private var columns: [CatalogColumn]
    /// The columns that the earlier export shows at least once.
    package private(set) var shown: Set<CatalogColumn> = []
    private var earlierColumns: Set<CatalogColumn> = []
    private var earlier: [MarketID: CatalogRow] = [:]
    /// The earlier products that the market still shows.
    private var found: Set<MarketID> = []
    private var changes: [CatalogChange] = []
    private var unchanged = 0

    package init(shows columns: [CatalogColumn]) {
        // A key comes from the state, not from the market, and the ID identifies the product.
        self.columns = columns.filter { $0 != .id && $0 != .key }
    }

    package mutating func add(_ row: CatalogRow) {
        for (column, value) in zip(row.columns, row.values) {
            earlierColumns.insert(column)
            if value != .unset { shown.insert(column) }
        }
        earlier[row.id] = row
    }

    /// After the earlier export, decides which columns are compared.
    package mutating func endEarlier() {
        guard !earlier.isEmpty else { return }
        columns = columns.filter { column in
            Self.columnsOfDetails.contains(column) ? shown.contains(column) : earlierColumns.contains(column)
        }
    }

    /// The products of the earlier export that the market has not shown so far, newest first.
    package var goneProducts: [MarketID] { earlier.keys.filter { !found.contains($0) }.sorted(by: MarketID.follows) }

    /// The page compares its rows while they are read.
    package func emptyPage(_ keys: ProductKeys) -> ComparedPage {
        ComparedPage(with: earlier, columns: columns, keys: keys)
    }

    package mutating func add(_ page: ComparedPage) {
        for row in page.rows {
            if row.isKnown { found.insert(row.id) }
            if let change = row.change { changes.append(change) } else { unchanged += 1 }
        }
    }

    package consuming func finish() -> CatalogChanges {
        let sorted = changes.sorted { MarketID.follows($0.row.id, $1.row.id) }
        return CatalogChanges(
            columns: columns,
            changes: sorted.filter { $0.kind == .new } + sorted.filter { $0.kind == .changed }
                + goneProducts.compactMap { earlier[$0].map { CatalogChange(kind: .gone, row: $0) } },
            earlierCount: earlier.count,
            unchanged: unchanged
        )
    }
}

package struct ComparedPage: CatalogPage {
    struct Row: Sendable {
        var id: MarketID
        /// Whether the earlier export has the product.
        var isKnown: Bool
        var change: CatalogChange?
        var hasName: Bool
    }

    private let earlier: [MarketID: CatalogRow]
    private let columns: [CatalogColumn]
    private let keys: ProductKeys
    /// In the market's order.
    private(set) var rows: [Row] = []

    init(with earlier: [MarketID: CatalogRow], columns: [CatalogColumn], keys: ProductKeys) {
        self.earlier = earlier
        self.columns = columns
        self.keys = keys
    }

    package var count: Int { rows.count }

    package var unnamedProducts: [MarketID] { rows.filter { !$0.hasName }.map(\.id) }

    package mutating func append(_ row: LiveRow) { append(record: row) }

    package mutating func append(_ product: LiveProduct) { append(record: product) }

    package mutating func keep(_ places: [Int]) {
        if places.count < rows.count { rows = places.map { rows[$0] } }
    }

    private mutating func append(record: some CatalogRecord) {
        let now = CatalogRow(record, key: keys[record.id])
        let before = earlier[record.id]
        var row = Row(id: record.id, isKnown: before != nil, hasName: record.name != nil)
        if let before {
            let fields = columns.filter { now[$0] != before[$0] }
            if !fields.isEmpty {
                row.change = CatalogChange(kind: .changed, row: now, before: before, fields: fields)
            }
        } else {
            row.change = CatalogChange(kind: .new, row: now)
        }
        rows.append(row)
    }
}
