package import OpenMarket

/// Renders the changes since an earlier export for people.
package struct CatalogChangesTextRenderer {
    private let style: Style

    package init(style: Style = .plain) { self.style = style }

    /// The changes, with their number in the last line.
    package func render(_ changes: CatalogChanges) -> String {
        var text = ""
        for change in changes.changes {
            let (symbol, tone): (String, Style.Tone) =
                switch change {
                case .new: ("+", .green)
                case .changed: ("~", .yellow)
                case .gone: ("-", .red)
                }
            text += style(tone, "\(symbol) \(change.row.title)") + Self.terms(change, changes.columns) + "\n"
            guard let before = change.before else { continue }
            let width = change.fields.map(\.rawValue.columns).max() ?? 0
            for field in change.fields {
                let move = "\(before[field].words) → \(change.row[field].words)"
                let note = Self.likeness(before[field], change.row[field])
                text += "    \(field.rawValue.padded(to: width))  \(move)\(note)\n"
            }
        }
        let summary = Self.summary(changes)
        return text.isEmpty ? summary : text + "\n" + summary
    }

    /// The last line, with the number of changes of each kind.
    static func summary(_ changes: CatalogChanges) -> String {
        let counts = changes.counts
        guard !changes.changes.isEmpty else { return "No changes.\n" }
        return "\(counts.new) new, \(counts.changed) changed, \(counts.gone) gone, \(changes.unchanged) unchanged.\n"
    }

    /// The price and stock of a product that was added or removed.
    private static func terms(_ change: CatalogChange, _ columns: [CatalogColumn]) -> String {
        guard change.before == nil else { return "" }
        let terms = [CatalogColumn.price, .salePrice, .stock].compactMap { column -> String? in
            guard columns.contains(column), let number = change.row.number(column) else { return nil }
            return "\(column.rawValue) \(number)"
        }
        return terms.isEmpty ? "" : "  " + terms.joined(separator: ", ")
    }

    /// The note on two texts that differ but look alike.
    private static func likeness(_ left: CatalogValue, _ right: CatalogValue) -> String {
        guard case (.text(let left), .text(let right)) = (left, right) else { return "" }
        return FieldValueText.likeness(left.text, right.text).map { " (\($0))" } ?? ""
    }
}

extension CatalogRow {
    /// The id, key and name of a product: `193 desk-lamp "Desk lamp"`.
    var title: String {
        var title = "\(id)"
        if let key = text(.key) { title += " " + key.terminalSafe }
        if let name = text(.name) { title += " \"\(name.terminalSafe.abbreviated(to: FieldValueText.shortText))\"" }
        return title
    }
}

extension CatalogValue {
    /// The value for people; pictures are counted, because their addresses mean nothing to a reader.
    var words: String {
        switch self {
        case .unset: "–"
        case .number(let number): number.description
        case .text(let text): "\"\(text.text.terminalSafe.abbreviated(to: FieldValueText.shortText))\""
        case .texts(let texts): counted(texts.count, "picture")
        }
    }
}
