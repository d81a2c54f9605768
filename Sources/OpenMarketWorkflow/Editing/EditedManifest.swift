package import OpenMarket
package import OpenMarketManifest

/// A manifest as a table edits it, and what of it the table's edits send to the market.
package struct EditedManifest: Sendable {
    /// The files as they would be, for their market.
    package let loaded: LoadedManifest
    package let planned: PlannedEdits
    /// The fields that the table changes, by key, without those that are left alone.
    package let fields: [String: ProductFieldSet]
    package let oldStocks: Set<String>
    private let run: EditRun
    private let source: EditSource

    /// Plans the edits of a table.
    ///
    /// Throws ``CommandFailure``, with the faults that the manifest would have.
    package init(_ edit: TableEdit) async throws {
        planned = try edit.run.planned(edit.edits.edits)
        var loaded = try await edit.run.edited(planned)
        loaded.manifest?.editedBy = edit.table
        self.loaded = loaded
        fields = planned.written(of: edit.edits.touched)
        oldStocks = edit.edits.oldStocks
        run = edit.run
        var source = edit.source
        // Edits of other products are in the table alone.
        if edit.edits.isPartial { source.digest = nil }
        self.source = source
    }

    /// Writes the files; returns the edits, for people and for programs, or `nil` without any.
    package func write(tool: String) throws -> (text: String, event: JSONValue)? {
        try run.write(planned, from: source, tool: tool).map { id in
            (String(planned.outcome(written: id).dropLast()), planned.document(written: id).withType("edited"))
        }
    }
}

extension PlannedEdits {
    /// Of the fields that a source changes, those that the files have or get.
    fileprivate func written(of touched: [String: ProductFieldSet]) -> [String: ProductFieldSet] {
        var fields = touched
        for item in items where item.refusal != nil {
            if case .value(let field)? = item.place.field {
                fields[item.key]?.remove(field)
            } else {
                fields[item.key] = nil
            }
        }
        return fields.filter { !$0.value.isEmpty }
    }

    /// The files that change, with the numbers of their edits; empty if none does.
    package var places: String {
        guard !isEmpty else { return "" }
        let parts = files.map { file in
            let edits = items.count { $0.refusal == nil && $0.file.map(file.name.isExactly) == true }
            return "\(edits) in \(file.name.terminalSafe)"
        }
        return "Edits: \(parts.joined(separator: ", ")).\n"
    }
}
