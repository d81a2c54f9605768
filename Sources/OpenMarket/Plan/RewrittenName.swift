/// A name without what markets that rewrite names change in it: names that are equal so may be one.
///
/// Letter case, blanks, marks and symbols are taken out, and so are tags and what HTML writes for characters. It is compared, and never
/// shown or stored.
struct RewrittenName: Hashable, Sendable {
    private let text: String

    /// `nil` where nothing of the name is left.
    init?(_ name: String) {
        var plain = ""
        var isTag = false
        for character in name {
            if character == "<" { isTag = true }
            if !isTag { plain.append(character) }
            if character == ">" { isTag = false }
        }
        for (entity, character) in Self.entities where plain.contains("&") {
            plain = plain.replacing(entity, with: character)
        }
        text = String(plain.lowercased().filter { $0.isLetter || $0.isNumber })
        if text.isEmpty { return nil }
    }

    private static let entities = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&apos;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ]
}
