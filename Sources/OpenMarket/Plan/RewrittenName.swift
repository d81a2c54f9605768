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
            if inside.first.map({ $0.isLetter || "/!?".contains($0) }) == true, let close = inside.firstIndex(of: ">") {
                rest = inside[inside.index(after: close)...]
            } else {
                plain += "<"
                rest = inside
            }
        }
        return plain + rest
    }
}
