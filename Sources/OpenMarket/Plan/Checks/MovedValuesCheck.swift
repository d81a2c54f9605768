/// Values that move between the products of a file: rows slid, or only one column was sorted.
extension PlanCheck {
    fileprivate struct Column: Hashable {
        var field: ProductField
        var file: String
        var isTable: Bool
    }

    fileprivate struct Change {
        var operation: PlannedOperation
        var old: FieldValue
        var new: FieldValue
    }

    /// The fewest values that distinguish a slid column of numbers from an edit.
    private static let leastNumbers = 3

    /// Refuses a plan that gives products the values of other products of the same file.
    static func movedValues(_ context: Context) -> [PlanRefusal] {
        var columns: [Column: [Change]] = [:]
        for operation in context.plan.changing {
            guard let source = operation.source else { continue }
            // The market's own changes do not come from the file.
            for change in operation.changes where change.kind != .drift {
                guard let old = change.base ?? change.live, let new = change.manifest else { continue }
                let column = Column(field: change.field, file: source.file, isTable: source.table != nil)
                columns[column, default: []].append(Change(operation: operation, old: old, new: new))
            }
        }
        return ProductField.allCases.flatMap { field in
            columns.filter { $0.key.field == field }.sorted { $0.key.file < $1.key.file }.compactMap {
                column,
                changes in
                switch field {
                case .name, .description: movedTexts(changes, column)
                case .price, .salePrice, .stock, .images: movedNumbers(changes, column, context)
                case .currency, .thumbnail: nil
                }
            }
        }
    }

    /// Two products suffice: a text rarely equals another product's by chance.
    private static func movedTexts(_ changes: [Change], _ column: Column) -> PlanRefusal? {
        // If several products have one text, the first represents them.
        let owners = Dictionary(changes.map { ($0.old, $0.operation.key) }) { first, _ in first }
        let moved = changes.filter { change in owners[change.new].map { $0 != change.operation.key } ?? false }
        guard moved.count > 1, let first = moved.first, let owner = owners[first.new] else { return nil }
        // In YAML, a chain of new names is an edit: "2025" to "2026", and "2026" to "2027".
        guard column.isTable || moved.areReordered else { return nil }
        return refusal(
            "\(moved.count) products would get the \(column.field.rawValue)s that others of them have, "
                + "'\(first.operation.key)' that of '\(owner)': probably rows slid, or one column was sorted without the "
                + "others",
            first
        )
    }

    /// A number may equal another product's by chance, so every change of the column counts.
    private static func movedNumbers(_ changes: [Change], _ column: Column, _ context: Context) -> PlanRefusal? {
        guard column.isTable, Set(changes.map(\.new)).count >= leastNumbers, !changes.moveAlike,
            changes.areReordered || areSlid(changes, column, context), let first = changes.first
        else { return nil }
        return refusal(
            "\(changes.count) products, '\(first.operation.key)' first, would get the \(column.field.rawValue) of other "
                + "rows: probably the column slid, or was sorted without the others",
            first
        )
    }

    private static func refusal(_ message: String, _ first: Change) -> PlanRefusal {
        PlanRefusal(message, override: .wanderingTexts, source: first.operation.source)
    }

    /// Whether all changed rows get the old values of the rows above, or all those of the rows below.
    private static func areSlid(_ changes: [Change], _ column: Column, _ context: Context) -> Bool {
        let changed = Dictionary(changes.map { ($0.operation.key, $0) }) { first, _ in first }
        let listings = context.input.manifest.listings
        let rows = listings.indices.filter { listings.row(at: $0) != nil }.map { index in
            let change = changed[listings.key(at: index)]
            return (old: change?.old ?? listings[index].values[column.field], new: change?.new)
        }
        let pairs = zip(rows, rows.dropFirst())
        return pairs.allSatisfy { $1.new == nil || $1.new == $0.old } && rows.first?.new == nil
            || pairs.allSatisfy { $0.new == nil || $0.new == $1.old } && rows.last?.new == nil
    }
}

extension Collection<PlanCheck.Change> {
    fileprivate var areReordered: Bool { map(\.new).isReordering(of: map(\.old)) }

    /// Whether all numbers change by the same amount, as if all prices rise by 1 000.
    ///
    /// Each then gets the price of a row that costs 1 000 more.
    fileprivate var moveAlike: Bool {
        let moves = map { change in
            change.new.amount.flatMap { new in change.old.amount.flatMap { new.subtracting($0) } }
        }
        return moves.first.flatMap(\.self).map { first in moves.allSatisfy { $0 == first } } ?? false
    }
}
