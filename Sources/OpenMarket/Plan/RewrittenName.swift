/// A name without what markets that rewrite names change in it: names that are equal so may be one.
///
/// Letter case, blanks, marks and symbols are taken out, and so are tags and what HTML writes for characters. It is compared, and never
/// shown or stored.
struct RewrittenName: Hashable, Sendable {
    private let text: String

    /// `nil` where nothing of the name is left.
    init?(_ name: String) {
        let plain = HTMLEntities.decoded(Self.withoutTags(name)[...])
        text = String(plain.lowercased().filter { $0.isLetter || $0.isNumber })
        if text.isEmpty { return nil }
    }

    /// A text without the tags in it; a `<` that a blank or nothing follows, or that no `>` closes, is a sign.
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
            // Without one, none of the signs that follow is closed either: each would be looked for to the end.
            guard let close = inside.firstIndex(of: ">") else { return plain + rest[open...] }
            rest = inside[inside.index(after: close)...]
        }
        return plain + rest
    }
}
