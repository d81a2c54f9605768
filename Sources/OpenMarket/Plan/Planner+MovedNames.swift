/// Names that go from one product to another: what becomes of a table in which one column was sorted, or moved by a row, and
/// the others were not.
extension Planner {
    /// So many products may take each other's names without a word.
    private static let fewest = 3

    /// Tells of a plan in which most of the names that change are those that other products lose.
    mutating func tellMovedNames() {
        var wanted: [(name: String, operation: Int)] = []
        for (index, operation) in plan.operations.enumerated() where operation.id != nil {
            for change in operation.changes where change.field == .name {
                if case .text(let name) = change.manifest { wanted.append((name, index)) }
            }
        }
        guard wanted.count >= Self.fewest else { return }
        var lost: [String: ProductID] = [:]
        for (_, index) in wanted {
            let operation = plan.operations[index]
            guard let id = operation.id else { continue }
            for case .text(let name)? in operation.changes.filter({ $0.field == .name }).map({ $0.live ?? $0.base }) {
                lost[name] = id
            }
        }
        let moved = wanted.filter { name, index in
            lost[name].map { $0 != plan.operations[index].id } ?? false
        }
        guard let first = moved.first, moved.count >= Self.fewest, 2 * moved.count > wanted.count else { return }
        let operation = plan.operations[first.operation]
        plan.diagnostics.append(
            Diagnostic(
                .warning,
                .repeatedName,
                "\(counted(moved.count, "product")) would get the names that others have now, '\(operation.key)' first: a "
                    + "column may have been sorted or moved without the others",
                location: operation.source,
                help: "sort and move whole rows; `openmarket export` has them as they are"
            )
        )
    }
}
