/// The part of a text that is worth showing in a message.
enum TextExcerpt {
    private static let limit = 40
    /// How much of what both texts share is before the first difference.
    private static let context = 12

    /// The beginning.
    static func of(_ text: String) -> String {
        quoted(text[...], isWhole: true, limit: limit)
    }

    /// The beginning, or where the first difference lies behind it, its surroundings.
    static func of(_ text: String, beside other: String) -> String {
        let shared = sharedCharacters(text, other)
        return shared < limit - context
            ? of(text) : quoted(text.dropFirst(shared - context), isWhole: false, limit: limit)
    }

    /// How many characters at the beginning are the same, byte for byte.
    private static func sharedCharacters(_ left: String, _ right: String) -> Int {
        zip(left, right).prefix { $0.utf8.elementsEqual($1.utf8) }.count
    }

    private static func quoted(_ text: Substring, isWhole: Bool, limit: Int) -> String {
        let start = isWhole ? "“" : "“…"
        return text.count > limit ? "\(start)\(text.prefix(limit))…”" : "\(start)\(text)”"
    }
}
