/// The part of a text that a message shows.
enum TextExcerpt {
    private static let limit = 40
    private static let context = 12

    static func of(_ text: String) -> String {
        quoted(text.masked[...], isWhole: true, limit: limit)
    }

    /// The beginning, or the surroundings of the first difference if that is later.
    static func of(_ text: String, beside other: String) -> String {
        let (text, other) = (text.masked, other.masked)
        let shared = sharedCharacters(text, other)
        return shared < limit - context
            ? of(text) : quoted(text.dropFirst(shared - context), isWhole: false, limit: limit)
    }

    /// The number of equal characters at the beginning, compared byte by byte.
    private static func sharedCharacters(_ left: String, _ right: String) -> Int {
        zip(left, right).prefix { $0.utf8.elementsEqual($1.utf8) }.count
    }

    private static func quoted(_ text: Substring, isWhole: Bool, limit: Int) -> String {
        let start = isWhole ? "“" : "“…"
        return text.count > limit ? "\(start)\(text.prefix(limit))…”" : "\(start)\(text)”"
    }
}
