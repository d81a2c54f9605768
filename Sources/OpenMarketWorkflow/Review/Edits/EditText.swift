package import OpenMarket
import OpenMarketManifest

extension PlannedEdits {
    /// The edits, product by product, and the numbers; `No edits.` if it is empty.
    package func text(_ style: Style) -> String {
        let written = items.filter { $0.refusal == nil }
        guard !written.isEmpty else { return "No edits.\n" }
        var text = ""
        var key: String?
        for item in written {
            if item.key != key { text += (key == nil ? "" : "\n") + item.title(style) + "\n" }
            key = item.key
            for row in item.rows { text += "      " + row + "\n" }
        }
        let counts = [ItemKind.add, .change, .remove].map { kind in
            Set(written.filter { $0.kind == kind }.map(\.key)).count
        }
        let left = items.count - written.count
        return text + "\nEdit: \(counted(counts[0], "product")) to add, \(counts[1]) to change, \(counts[2]) to remove"
            + (left > 0 ? "; \(left) left alone.\n" : ".\n")
    }

    /// The lines about the edits that are left alone, with the reasons.
    package func leftAlone(_ style: Style) -> [String] {
        items.flatMap { item in
            item.refusal.map { reason in
                let lines =
                    item.rows.isEmpty
                    ? ["'\(item.key.terminalSafe)'\(item.position)"]
                    : item.rows.map { "'\(item.key.terminalSafe)' \($0)" }
                let place = item.source.map { "\($0): ".terminalSafe } ?? ""
                return lines.map { style(.boldYellow, "left alone: ") + place + $0 }
                    + [style(.cyan, "  because: ") + reason.terminalSafe]
            } ?? []
        }
    }

    /// The question before anything is written.
    package var question: String { "Write it into \(counted(files.count, "file"))?" }

    /// What was done; without the id of a written edit it is a patch.
    package func outcome(written id: String?) -> String {
        let edits = counted(items.count { $0.refusal == nil }, "edit")
        let places = counted(files.count, "file")
        return id.map { "Wrote \(edits) into \(places): \($0)\n" } ?? "\(edits) in a patch of \(places).\n"
    }

    /// The edits for programs; `id` is that of the written edit.
    package func document(written id: String?) -> JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("edit", id.map(JSONValue.string)),
            ("files", .array(files.map { .string($0.name) })),
            (
                "edits",
                .array(
                    items.map { item in
                        .object(
                            of: ("key", .string(item.key)),
                            ("action", .string(item.kind.rawValue)),
                            ("from", .string(item.reason)),
                            ("source", item.location.map { JSONValue($0) }),
                            ("field", item.field.map { .string($0.field.name) }),
                            ("old", item.old?.json),
                            ("new", item.field?.wanted?.json),
                            ("written", .bool(item.refusal == nil)),
                            ("reason", item.refusal.map(JSONValue.string))
                        )
                    }
                )
            )
        )
    }
}

private enum ItemKind: String {
    case add, change, remove
}

extension PlannedEdits.Item {
    fileprivate var kind: ItemKind {
        switch what {
        case .add: .add
        case .remove: .remove
        case .field, .nothing: .change
        }
    }

    fileprivate var field: FieldEdit? { if case .field(let edit) = what { edit } else { nil } }

    fileprivate var location: SourceLocation? {
        guard let listing else { return nil }
        guard case .value(let field)? = field?.field else { return listing.location() }
        return listing.location(of: field)
    }

    /// The location behind two blanks.
    fileprivate var position: String { location.map { "  \($0)".terminalSafe } ?? "" }

    /// The product and the source of its edit.
    fileprivate func title(_ style: Style) -> String {
        let (symbol, tone): (String, Style.Tone) =
            switch kind {
            case .add: ("+", .green)
            case .change: ("~", .yellow)
            case .remove: ("-", .red)
            }
        var name = listing?.values.name
        if case .add(let added) = what { name = added.values.name }
        let quoted = name.map { " \(FieldValueText().text(.text($0)))" } ?? ""
        return "  \(style(tone, symbol))   \(key.terminalSafe)\(quoted)  # \(reason.terminalSafe)"
    }

    fileprivate var rows: [String] {
        switch what {
        case .field(let edit):
            guard let listing else { return [edit.field.name] }
            let (old, new) = (old?.text(listing.pictures) ?? "–", edit.wanted?.text(listing.pictures) ?? "–")
            return ["\(edit.field.name.padded(to: 12)) \(old) → \(new)\(position)"]
        case .add(let added):
            let values = ProductField.allCases.compactMap { field in
                added.values[field].map { "\(field.rawValue.padded(to: 12)) \(FieldValueText().text($0))" }
            }
            let images = added.images.map { FieldEdit.Value.paths($0).text([]) }
            return values + (images.map { ["\("images".padded(to: 12)) \($0)"] } ?? [])
        case .remove, .nothing: return []
        }
    }

    /// The value before.
    fileprivate var old: FieldEdit.Value? {
        switch field?.field {
        case .value(let field): listing?.values[field].map { .value($0) }
        case .protected: listing.map { .flag($0.isProtected) }
        case .id:
            switch listing?.pinnedID {
            case .number(let number): .value(.integer(number))
            case .text(let text): .value(.text(text))
            case nil: nil
            }
        case nil: nil
        }
    }
}

extension FieldEdit.Value {
    /// As in a plan's document.
    fileprivate var json: JSONValue {
        switch self {
        case .value(let value): JSONValue(value)
        case .paths(let paths): .array(paths.map(JSONValue.string))
        case .flag(let flag): .bool(flag)
        }
    }

    /// For people.
    fileprivate func text(_ pictures: [Picture]) -> String {
        switch self {
        case .value(let value): FieldValueText(pictures: pictures).text(value)
        case .paths(let paths): paths.map(\.terminalSafe).joined(separator: ", ")
        case .flag(let flag): String(flag)
        }
    }
}

extension EditRecord {
    /// The edit with its time, its source and its files.
    package func line(in records: EditRecords) -> String {
        let files = files.map { records.path(of: $0) }.joined(separator: ", ")
        return "\(id)  \(at)  \(source.name): \(files)".terminalSafe
    }
}

/// The edits and the runs that can be taken back.
package struct UndoList: Sendable {
    private let edits: [EditRecord]
    private let runs: [RunSummary]

    /// Of runs without operations the journal cannot take anything back.
    package init(edits: [EditRecord], runs: [RunSummary]) {
        self.edits = edits
        self.runs = runs.filter { $0.operations > 0 }
    }

    /// A line for each, the newest first.
    package func text(in records: EditRecords) -> String {
        var lines = edits.map { (at: $0.at, text: $0.line(in: records)) }
        lines += runs.map { (at: $0.startedAt.iso8601ToTheSecond, text: HistoryTextRenderer().head($0)) }
        guard !lines.isEmpty else { return "No edits to undo.\n" }
        return lines.sorted { $0.at > $1.at }.map { $0.text + "\n" }.joined()
    }

    package var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("edits", .array(edits.map { JSONValue($0) })),
            ("runs", .array(runs.map(\.undoable)))
        )
    }
}

extension RunSummary {
    fileprivate var undoable: JSONValue {
        .object(
            of: ("run", .string(record.id.rawValue)),
            ("started_at", .string(startedAt.iso8601)),
            ("totals", finishedAt == nil ? nil : JSONValue(totals))
        )
    }
}
