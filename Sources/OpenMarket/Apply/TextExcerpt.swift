/// The part of a text that a message shows.
enum TextExcerpt {
    private static let limit = 40
    private static let context = 12

    /// The beginning, or the surroundings of the first byte that differs from another text if that is later.
    static func of(_ text: String, beside other: String? = nil) -> String {
        let (text, other) = (text.masked, (other ?? "").masked)
        let shared = zip(text, other).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        let start = shared < limit - context ? 0 : shared - context
        let shown = text.dropFirst(start)
        return "“\(start > 0 ? "…" : "")\(shown.prefix(limit))\(shown.count > limit ? "…" : "")”"
    }
}
