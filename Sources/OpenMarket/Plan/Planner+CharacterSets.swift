/// Texts in the wrong character set: a file has the text of the state or the market read or saved in another one, or
/// its own bytes show it.
extension Planner {
    /// The texts of a file that were misread in the same way.
    private struct Misread {
        var count = 0
        /// The first text, its original if known, and the product's key.
        var first: (text: String, original: String?, key: String)
        var source: SourceLocation?
    }

    private struct MisreadFile: Hashable {
        var file: String
        var set: MistakenCharacterSet
    }

    /// The texts of one field in a file that replace others, beyond ASCII.
    private struct Column: Hashable {
        var file: String
        var field: ProductField
    }

    /// How the texts of a column changed.
    private struct Rewritten {
        var count = 0
        var characters = ByteCharacters()
        /// Texts whose bytes all became characters.
        var texts: [(text: String, original: String, operation: Int)] = []
        /// Texts shaped as if pairs of their bytes became characters or bytes were lost.
        var shaped: [(text: String, original: String, operation: Int)] = []
        var shapedBytes = 0
        /// Texts in which only the characters beyond ASCII were replaced, and all of them.
        var replaced: [(text: String, original: String, operation: Int)] = []
        /// Texts in which some characters became question marks, and nothing else changed.
        var lost: [(text: String, original: String, operation: Int)] = []

        /// The misread texts, if they are most of the column.
        var misread: [(text: String, original: String, operation: Int)] {
            if 2 * texts.count > count, characters.repeats >= 6 { return texts }
            if 2 * shaped.count > count, shapedBytes >= 18 { return shaped }
            return replaced.count == count ? replaced : []
        }

        /// The texts that lost characters, if there is more than one and no other text.
        var lossy: [(text: String, original: String, operation: Int)] { lost.count == count && count > 1 ? lost : [] }

        /// Adds a text that no known character set explains.
        mutating func take(_ text: String, of original: String, operation: Int) {
            if characters.take(text, of: original) { texts.append((text, original, operation)) }
            switch ReplacedCharacters.kind(of: text, from: original) {
            case .misread: replaced.append((text, original, operation))
            case .lost: lost.append((text, original, operation))
            case nil: break
            }
            guard let bytes = MisreadShape.bytes(of: original, in: text) else { return }
            shaped.append((text, original, operation))
            shapedBytes += bytes
        }
    }

    /// Refuses a plan that writes misread texts, once per file: usually the whole file was misread.
    mutating func refuseMisreadTexts() {
        var found: [MisreadFile: Misread] = [:]
        func note(_ text: String, of original: String?, _ set: MistakenCharacterSet, _ operation: PlannedOperation) {
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
                for text in texts + [operation.suspectDescription ?? ""] {
                    if let found = EvidentMisreading(text) { note(text, of: found.original, found.set, operation) }
                }
                continue
            }
            for change in operation.changes {
                guard case .text(let text) = change.manifest else { continue }
                var originals: [String] = []
                if case .text(let original)? = change.live { originals.append(original) }
                if case .text(let original)? = change.base, originals != [original] { originals.append(original) }
                let misread = originals.lazy.compactMap { original in
                    MistakenCharacterSet.misreading(text, of: original).map { (original, $0) }
                }
                if let (original, set) = misread.first {
                    note(text, of: original, set, operation)
                    continue
                }
                // If the product has such a text already, an edit of it is not a misreading.
                if let found = EvidentMisreading(text), !originals.contains(where: { EvidentMisreading($0) != nil }) {
                    note(text, of: found.original, found.set, operation)
                    continue
                }
                guard let original = originals.first(where: { !$0.utf8.allSatisfy { $0 < 0x80 } }) else { continue }
                let column = Column(file: operation.source?.file ?? "", field: change.field)
                columns[column, default: Rewritten()].count += 1
                columns[column, default: Rewritten()].take(text, of: original, operation: index)
            }
        }
        // An unknown character set is detected by how most texts of a column changed.
        for column in columns.values {
            for text in column.misread { note(text.text, of: text.original, .unknown, plan.operations[text.operation]) }
            for text in column.lossy { note(text.text, of: text.original, .lossy, plan.operations[text.operation]) }
        }
        if !created.isEmpty {
            let known = misreadings()
            for index in created {
                let operation = plan.operations[index]
                for text in [operation.key, operation.name ?? ""] where EvidentMisreading(text) == nil {
                    guard let original = known[MistakenCharacterSet.compared(text)] ?? known[text],
                        original.text != text
                    else { continue }
                    note(text, of: original.text, original.set, operation)
                }
            }
        }
        plan.diagnostics += found.sorted { ($0.key.file, $0.key.set.name) < ($1.key.file, $1.key.set.name) }
            .map { Diagnostic.misread($0.value.first, $0.key.set, count: $0.value.count, source: $0.value.source) }
    }

    /// The keys and names of state and market as they would look if misread.
    private func misreadings() -> [String: (text: String, set: MistakenCharacterSet)] {
        var known: [String: (text: String, set: MistakenCharacterSet)] = [:]
        func note(_ text: String?) {
            guard let text else { return }
            for reading in MistakenCharacterSet.readings(of: text) { known[reading.text] = (text, reading.set) }
            guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return }
            for lossy in LostLetters.losses(of: text) { known[lossy] = (text, .lossy) }
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
        _ first: (text: String, original: String?, key: String),
        _ set: MistakenCharacterSet,
        count: Int,
        source: SourceLocation?
    ) -> Diagnostic {
        func start(_ text: String) -> String { text.count > 30 ? text.prefix(30) + "…" : text }
        let how = set == .lossy ? "was saved in \(set.name)" : "was read as \(set.name) and saved as UTF-8"
        let original = first.original.map { " was '\(start($0))'" } ?? ""
        let others = count == 1 ? "" : ", and \(counted(count - 1, "more text")) so"
        return Diagnostic(
            .error,
            .characterSet,
            "a text \(how): '\(start(first.text))' of '\(start(first.key))'\(original)\(others)",
            location: source,
            help: set == .lossy
                ? "take the file from before it was saved, and save it as UTF-8: in Excel as CSV UTF-8"
                : "take the file from before it was opened, and import it as UTF-8",
            count: count
        )
    }
}
