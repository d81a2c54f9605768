/// Cells that a truncated file or a spreadsheet damaged.
extension PlanCheck {
    /// Refuses the last cell of a table without a final line end if the old value begins with it: the file was
    /// truncated there.
    static func cutCells(_ context: Context) -> [Diagnostic] {
        var found: [Diagnostic] = []
        for cell in context.input.manifest.openCells {
            for operation in context.plan.changing {
                guard let source = operation.source, source.file.isExactly(cell.location.file),
                    source.position?.line == cell.location.position?.line
                else { continue }
                for change in operation.changes where change.field == cell.field {
                    let known = [change.live, change.base].compactMap { $0?.cellText }
                    guard let whole = known.first(where: { $0 != cell.text && $0.hasPrefix(cell.text) }) else {
                        continue
                    }
                    let (rest, product) = (cell.text.masked.prefix(40), whole.masked.prefix(40))
                    found.append(
                        Diagnostic(
                            .error,
                            .tableSyntax,
                            "the file ends inside this cell: it has '\(rest)', and the product '\(product)'",
                            location: cell.location,
                            help: "take the whole file; if the cell is right, end its line"
                        )
                    )
                }
            }
        }
        return found
    }

    /// Reports faults of cells that the plan writes.
    static func doubtfulCells(_ context: Context) -> [Diagnostic] {
        let doubts = Dictionary(grouping: context.input.manifest.doubts, by: \.id)
        guard !doubts.isEmpty else { return [] }
        return context.plan.changing.flatMap { operation -> [Diagnostic] in
            guard let id = operation.id, let ofProduct = doubts[id] else { return [] }
            let written = Set(operation.changes.map(\.field))
            return ofProduct.filter { written.contains($0.field) }.map(\.fault)
        }
    }
}

extension FieldValue {
    /// `nil` if no cell can contain the value.
    fileprivate var cellText: String? {
        switch self {
        case .text(let text): text
        case .number(let number): number.description
        case .integer(let number): String(number)
        case .sale(let sale): sale.salePrice?.description
        case .images, .image: nil
        }
    }
}
