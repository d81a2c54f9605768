/// What became of a product since an earlier export.
public enum CatalogChange: Hashable, Sendable {
    /// It was not there.
    case new(CatalogRow)
    /// Some of its values were others.
    case changed(CatalogRow, from: CatalogRow, fields: [CatalogColumn])
    /// It is not there any more; the row is the earlier export's.
    case gone(CatalogRow)

    /// The row that shows it: the newer one, or the last one there was.
    public var row: CatalogRow {
        switch self {
        case .new(let row), .changed(let row, _, _), .gone(let row): row
        }
    }
}

/// What changed between an earlier export and a later one.
public struct CatalogChanges: Hashable, Sendable {
    /// The columns that both have, and that were compared.
    public var columns: [CatalogColumn]
    /// The changes: products that are new, then those that changed, then those that are gone, newest first.
    public var changes: [CatalogChange]
    /// How many products the earlier export had.
    public var earlierCount: Int
    /// How many products are as they were.
    public var unchanged: Int

    /// How many products are new, changed and gone.
    public var counts: (new: Int, changed: Int, gone: Int) {
        changes.reduce(into: (0, 0, 0)) { counts, change in
            switch change {
            case .new: counts.new += 1
            case .changed: counts.changed += 1
            case .gone: counts.gone += 1
            }
        }
    }
}

/// Compares an export with an earlier one that is read twice, so that memory holds sixteen bytes a product, and the rows
/// of those that changed.
///
/// ```swift
/// var comparison = CatalogComparison(shows: columns)
/// for row in earlier { try comparison.survey(row) }
/// comparison.endSurvey()
/// for row in earlier { comparison.note(row) }
/// for row in later { comparison.compare(row) }
/// for row in earlier { comparison.explain(row) }
/// let changes = comparison.finish()
/// ```
public struct CatalogComparison: Sendable {
    /// What only some exports show: what one of them never shows tells nothing about the other.
    private static let columnsOfDetails: Set<CatalogColumn> = [.description, .vendor, .images]

    /// The columns that are compared.
    public private(set) var columns: [CatalogColumn]
    private var shown: Set<CatalogColumn> = []
    private var earlierColumns: Set<CatalogColumn> = []
    /// The earlier products that the later export has not shown, each with a hash of what it was.
    private var earlier: [ProductID: Int] = [:]
    private var earlierCount = 0
    /// Rows that are new or changed.
    private var later: [ProductID: CatalogRow] = [:]
    private var news: [CatalogRow] = []
    private var changed: [CatalogChange] = []
    private var gone: [CatalogRow] = []
    private var unchanged = 0

    /// - Parameter columns: the columns that the later export shows.
    public init(shows columns: [CatalogColumn]) {
        // A key is the state's, not the market's, and the number says which product it is.
        self.columns = columns.filter { $0 != .id && $0 != .key }
    }

    /// Takes in a row of the earlier export: which columns it has, and which of them it ever shows.
    public mutating func survey(_ row: CatalogRow) {
        earlierCount += 1
        for (column, value) in zip(row.columns, row.values) {
            earlierColumns.insert(column)
            if value != .unset { shown.insert(column) }
        }
    }

    /// Says that the earlier export has been looked through.
    public mutating func endSurvey() {
        guard earlierCount > 0 else { return }
        columns = columns.filter { column in
            Self.columnsOfDetails.contains(column) ? shown.contains(column) : earlierColumns.contains(column)
        }
    }

    /// Takes in a row of the earlier export for good.
    public mutating func note(_ row: CatalogRow) { earlier[row.id] = row.digest(of: columns) }

    /// Takes in a row of the later export.
    public mutating func compare(_ row: CatalogRow) {
        guard let digest = earlier[row.id] else {
            news.append(row)
            return
        }
        if row.digest(of: columns) == digest {
            unchanged += 1
            earlier[row.id] = nil
        } else {
            later[row.id] = row
        }
    }

    /// Takes in a row of the earlier export once more, to show what changed in it, or that it is gone.
    public mutating func explain(_ row: CatalogRow) {
        guard earlier.removeValue(forKey: row.id) != nil else { return }
        if let now = later[row.id] {
            changed.append(.changed(now, from: row, fields: columns.filter { now[$0] != row[$0] }))
        } else {
            gone.append(row)
        }
    }

    /// What changed.
    public consuming func finish() -> CatalogChanges {
        CatalogChanges(
            columns: columns,
            changes: news.sorted { $0.id > $1.id }.map(CatalogChange.new)
                + changed.sorted { $0.row.id > $1.row.id }
                + gone.sorted { $0.id > $1.id }.map(CatalogChange.gone),
            earlierCount: earlierCount,
            unchanged: unchanged
        )
    }
}
