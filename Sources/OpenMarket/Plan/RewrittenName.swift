/// A name without the parts that markets rewrite: names with equal remainders may be the same.
///
/// Letter case, blanks, punctuation, symbols, tags and HTML character references are removed. Only for comparison,
/// never shown or stored.
struct RewrittenName: Hashable, Sendable {
    private let text: String

    init(_ name: String) {
        let decoded = HTMLEntities.decoded(HTMLEntities.decoded(name[...])[...])
        let plain = Self.withoutTags(decoded)
        let letters = String(plain.lowercased().filter { $0.isLetter || $0.isNumber })
        text = letters.isEmpty ? name : letters
    }

    /// Whether a name begins with this one, for markets that truncate names and mark the cut.
    func isBeginning(of other: RewrittenName) -> Bool { other.text.hasPrefix(text) }

    /// Removes tags.
    ///
    /// A `<` before a blank or the end, or without a closing `>`, is a plain character.
    private static func withoutTags(_ name: String) -> String {
        var plain = ""
        var rest = name[...]
        while let open = rest.firstIndex(of: "<") {
            plain += rest[..<open]
            let inside = rest[rest.index(after: open)...]
            guard inside.first.map({ $0.isLetter || "/!?".contains($0) }) == true else {
                plain += "<"
                rest = inside
                continue
            }
            // Without a `>`, no later `<` is closed either. A search for each would scan to the end every time.
            guard let close = inside.firstIndex(of: ">") else { return plain + rest[open...] }
            rest = inside[inside.index(after: close)...]
        }
        return plain + rest
    }
}
