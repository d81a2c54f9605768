/// Finds texts that were read or saved in the wrong character set.
///
/// Either the state or the market has the original, or the text's own bytes show it.
extension PlanCheck {
    fileprivate struct Misread {
        var text: String
        /// `nil` if it is unknown.
        var original: String?
        var set: MistakenCharacterSet
        var operation: PlannedOperation
    }

    /// Refuses misread texts, once per file and set: usually the whole file was misread.
    static func misreadTexts(_ context: Context) -> [Diagnostic] {
        var found: [Misread] = []
        // Built for the first new product that may be misread.
        var misreadings: [String: (text: String, set: MistakenCharacterSet)]?
        for operation in context.plan.operations {
            guard operation.action == .create else {
                for change in operation.changes {
                    guard let (text, original, set) = misreading(change) else { continue }
                    found.append(Misread(text: text, original: original, set: set, operation: operation))
                }
                continue
            }
            let texts = [operation.key, operation.name ?? ""]
            for text in texts + [operation.suspectDescription ?? ""] {
                guard let evident = EvidentMisreading(text) else { continue }
                found.append(Misread(text: text, original: evident.original, set: evident.set, operation: operation))
            }
            guard texts.contains(where: MistakenCharacterSet.mayBeMisreading) else { continue }
            let known = misreadings ?? context.misreadings()
            misreadings = known
            for text in texts where EvidentMisreading(text) == nil {
                guard let original = known[MistakenCharacterSet.compared(text)] ?? known[text], original.text != text
                else { continue }
                found.append(Misread(text: text, original: original.text, set: original.set, operation: operation))
            }
        }
        return Dictionary(grouping: found) { [$0.operation.source?.file ?? "", $0.set.name] }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { _, texts in
                texts.first.map { .misread($0, count: texts.count) }
            }
    }

    /// The text of a change, its original if available, and the set of the misreading; `nil` if it was not.
    private static func misreading(_ change: FieldChange) -> (String, String?, MistakenCharacterSet)? {
        guard case .text(let text) = change.manifest else { return nil }
        let originals = [change.live, change.base].compactMap { $0?.text }
        for original in originals {
            if let set = MistakenCharacterSet.misreading(text, of: original) { return (text, original, set) }
        }
        // If the old text already looks misread, an edit of it is not a misreading.
        guard let found = EvidentMisreading(text), !originals.contains(where: { EvidentMisreading($0) != nil }) else {
            return nil
        }
        return (text, found.original, found.set)
    }
}

extension PlanCheck.Context {
    /// The keys and names of state and market in the forms that misreading gives them.
    fileprivate func misreadings() -> [String: (text: String, set: MistakenCharacterSet)] {
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
    fileprivate static func misread(_ first: PlanCheck.Misread, count: Int) -> Diagnostic {
        func start(_ text: String) -> String { text.count > 30 ? text.prefix(30) + "…" : text }
        let original = first.original.map { " was '\(start($0))'" } ?? ""
        let others = count == 1 ? "" : ", and \(counted(count - 1, "other text")) as well"
        return Diagnostic(
            .error,
            .characterSet,
            "a text \(first.set.fault): '\(start(first.text))' of '\(start(first.operation.key))'\(original)\(others)",
            location: first.operation.source,
            help: first.set == .lossy
                ? "take the file from before it was saved, and save it as UTF-8: in Excel as CSV UTF-8"
                : "take the file from before it was opened, and import it as UTF-8",
            count: count
        )
    }
}
