extension Planner {
    /// Refuses a value from the last cell of a table without a final line end if the old value begins with it: the file
    /// was cut inside that cell.
    mutating func refuseCutCells() {
        for cell in input.manifest.openCells {
            for operation in plan.operations {
                guard let source = operation.source, source.file.isExactly(cell.location.file),
                    source.position?.line == cell.location.position?.line
                else { continue }
                for change in operation.changes where change.field == cell.field {
                    let known = [change.live, change.base].compactMap { $0?.cellText }
                    guard let whole = known.first(where: { $0 != cell.text && $0.hasPrefix(cell.text) }) else {
                        continue
                    }
                    plan.diagnostics.append(.cut(cell, whole: whole))
                }
            }
        }
    }
}

extension FieldValue {
    /// The value as a cell contains it; `nil` if no cell can.
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

extension Diagnostic {
    fileprivate static func cut(_ cell: OpenCell, whole: String) -> Diagnostic {
        Diagnostic(
            .error,
            .tableSyntax,
            "the file ends inside this cell: it has '\(cell.text.masked.prefix(40))', and the product '\(whole.masked.prefix(40))'",
            location: cell.location,
            help: "take the whole file; where the cell is meant so, end its line"
        )
    }
}
