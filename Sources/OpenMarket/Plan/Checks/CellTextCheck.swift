/// Cells of tables that a cut file or a spreadsheet damaged.
extension PlanCheck {
    /// Refuses a value from the last cell of a table without a final line end if the old value begins with it: the file
    /// was cut inside that cell.
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
                    found.append(.cut(cell, whole: whole))
                }
            }
        }
        return found
    }

    /// Reports the faults of cells that are about to be written.
    static func doubtfulCells(_ context: Context) -> [Diagnostic] {
        let doubts = Dictionary(grouping: context.input.manifest.doubts, by: \.id)
        guard !doubts.isEmpty else { return [] }
        return context.plan.changing.flatMap { operation -> [Diagnostic] in
            guard let id = operation.id, let ofProduct = doubts[id] else { return [] }
            let written = Set(operation.changes.map(\.field))
            return ofProduct.filter { written.contains($0.field) }.map(\.fault)
        }
    }

    /// Refuses a text of a table that is what a spreadsheet makes of the old one: `2-Sep` for `Sept2`.
    static func spreadsheetForms(_ context: Context) -> [Diagnostic] {
        var found: [Diagnostic] = []
        for operation in context.plan.changing {
            guard let source = operation.source, source.table != nil else { continue }
            for change in operation.changes where change.kind != .drift {
                guard case .text(let new)? = change.manifest, change.field == .name || change.field == .description,
                    let old = [change.live, change.base].lazy.compactMap({ $0?.cellText })
                        .first(where: { SpreadsheetForm.isForm(new, of: $0) })
                else { continue }
                found.append(
                    Diagnostic(
                        .error,
                        .wrongType,
                        "'\(new.excerpt)' is what a spreadsheet makes of '\(old.excerpt)', "
                            + "the \(change.field.rawValue) of '\(operation.key.excerpt)'",
                        location: SourceLocation(
                            file: source.file,
                            position: source.position,
                            table: .cell(column: change.field.rawValue)
                        ),
                        help: "write '\(old.excerpt)' in a column that is formatted as text; "
                            + "if it is meant so, write it in a YAML manifest"
                    )
                )
            }
        }
        return found
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
