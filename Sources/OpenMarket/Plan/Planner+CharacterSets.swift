/// Texts in the wrong character set: what a file says of a product is what the state or the market has, read otherwise.
extension Planner {
    /// The texts of a file that were misread in one way.
    private struct Misread {
        var count = 0
        /// The first: what it says, what it was, and the product's key.
        var first: (text: String, original: String, key: String)
        var source: SourceLocation?
    }

    private struct MisreadFile: Hashable {
        var file: String
        var set: MistakenCharacterSet
    }

    /// The texts of one field in a file that are written where others were, beyond ASCII.
    private struct Column: Hashable {
        var file: String
        var field: ProductField
    }

    /// What becomes of a column.
    private struct Rewritten {
        var count = 0
        var characters = ByteCharacters()
        /// Those whose bytes all became characters.
        var texts: [(text: String, original: String, operation: Int)] = []

        /// Whether most of it was misread.
        var isMisread: Bool { 2 * texts.count > count && characters.repeats >= 6 }
    }

    /// Refuses a plan that writes misread texts, once for each file: mostly the whole file was read so.
    mutating func refuseMisreadTexts() {
        var found: [MisreadFile: Misread] = [:]
        func note(_ text: String, of original: String, _ set: MistakenCharacterSet, _ operation: PlannedOperation) {
            let file = MisreadFile(file: operation.source?.file ?? "", set: set)
            let new = Misread(first: (text, original, operation.key), source: operation.source)
            found[file, default: new].count += 1
        }
        var created: [Int] = []
        var columns: [Column: Rewritten] = [:]
        for (index, operation) in plan.operations.enumerated() {
            if operation.action == .create {
                let texts = [operation.key, operation.name ?? ""]
                if texts.contains(where: MistakenCharacterSet.mayBeMisreading) { created.append(index) }
                continue
            }
            for change in operation.changes {
                guard case .text(let text) = change.manifest else { continue }
                var originals: [String] = []
                if case .text(let original)? = change.live { originals.append(original) }
                if case .text(let original)? = change.base, originals != [original] { originals.append(original) }
                originals.removeAll { $0.utf8.allSatisfy { $0 < 0x80 } }
                guard let original = originals.first else { continue }
                let column = Column(file: operation.source?.file ?? "", field: change.field)
                columns[column, default: Rewritten()].count += 1
                if let set = originals.lazy.compactMap({ MistakenCharacterSet.misreading(text, of: $0) }).first {
                    note(text, of: original, set, operation)
                } else if columns[column, default: Rewritten()].characters.take(text, of: original) {
                    columns[column, default: Rewritten()].texts.append((text, original, index))
                }
            }
        }
        // A set that is not known by name is told by what most texts of a column have become.
        for column in columns.values where column.isMisread {
            for text in column.texts { note(text.text, of: text.original, .unknown, plan.operations[text.operation]) }
        }
        if !created.isEmpty {
            let known = misreadings()
            for index in created {
                let operation = plan.operations[index]
                for text in [operation.key, operation.name ?? ""] {
                    guard let original = known[MistakenCharacterSet.compared(text)], original.text != text else {
                        continue
                    }
                    note(text, of: original.text, original.set, operation)
                }
            }
        }
        plan.diagnostics += found.sorted { ($0.key.file, $0.key.set.name) < ($1.key.file, $1.key.set.name) }
            .map { Diagnostic.misread($0.value.first, $0.key.set, count: $0.value.count, source: $0.value.source) }
    }

    /// What the keys and names that state and market have would be as misread texts.
    private func misreadings() -> [String: (text: String, set: MistakenCharacterSet)] {
        var known: [String: (text: String, set: MistakenCharacterSet)] = [:]
        func note(_ text: String?) {
            guard let text else { return }
            for reading in MistakenCharacterSet.readings(of: text) { known[reading.text] = (text, reading.set) }
        }
        for entry in entries.values {
            note(entry.key)
            note(entry.applied.name)
        }
        for product in input.live.products.values { note(product.name) }
        return known
    }
}

extension Diagnostic {
    fileprivate static func misread(
        _ first: (text: String, original: String, key: String),
        _ set: MistakenCharacterSet,
        count: Int,
        source: SourceLocation?
    ) -> Diagnostic {
        func start(_ text: String) -> String { text.count > 30 ? text.prefix(30) + "…" : text }
        let others = count == 1 ? "" : ", and \(counted(count - 1, "more text")) so"
        return Diagnostic(
            .error,
            .characterSet,
            "a text was read as \(set.name) and saved as UTF-8: '\(start(first.text))' of '\(start(first.key))' was "
                + "'\(start(first.original))'\(others)",
            location: source,
            help: "take the file from before it was opened, and import it as UTF-8",
            count: count
        )
    }
}
