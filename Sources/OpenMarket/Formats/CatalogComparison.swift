/// The change of a product since an earlier export.
package enum CatalogChange: Hashable, Sendable {
    case new(CatalogRow)
    case changed(CatalogRow, from: CatalogRow, fields: [CatalogColumn])
    /// The row is the earlier export's.
    case gone(CatalogRow)

    /// The newer row, or the latest one.
    package var row: CatalogRow {
        switch self {
        case .new(let row), .changed(let row, _, _), .gone(let row): row
        }
    }
}

package struct CatalogChanges: Hashable, Sendable {
    /// The columns of both exports that were compared.
    package var columns: [CatalogColumn]
    /// New products first, then changed, then gone ones, each newest first.
    package var changes: [CatalogChange]
    package var earlierCount: Int
    package var unchanged: Int

    package var counts: (new: Int, changed: Int, gone: Int) {
        changes.reduce(into: (0, 0, 0)) { counts, change in
            switch change {
            case .new: counts.new += 1
            case .changed: counts.changed += 1
            case .gone: counts.gone += 1
            }
        }
    }
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
    private var news: [CatalogRow] = []
    private var changed: [CatalogChange] = []
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
            switch row.change {
            case .new(let row): news.append(row)
            case let change?: changed.append(change)
            case nil: unchanged += 1
            }
        }
    }

    package consuming func finish() -> CatalogChanges {
        CatalogChanges(
            columns: columns,
            changes: news.sorted { MarketID.follows($0.id, $1.id) }.map(CatalogChange.new)
                + changed.sorted { MarketID.follows($0.row.id, $1.row.id) }
                + goneProducts.compactMap { earlier[$0].map(CatalogChange.gone) },
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
            if !fields.isEmpty { row.change = .changed(now, from: before, fields: fields) }
        } else {
            row.change = .new(now)
        }
        rows.append(row)
    }
}
