import OpenMarket

/// The reply to the request for a delete key.
///
/// v2a answers with a bare UUID, v2b with a path; students received both as plain text
/// (docs/reference/open-market-versions.md, "Deletes").
/// Quotes, an object with one text and whole URLs of the same market are accepted too. An object with more members is
/// not a key: it may be a product.
enum DeleteKey {
    /// The key or path; `nil` if the reply has none.
    static func read(_ bytes: [UInt8], base: String) -> String? {
        var text = String(decoding: bytes, as: UTF8.self).trimmed
        if let json = try? JSONValue.parse(bytes) {
            let member = json.members?.count == 1 ? json.members?.first : nil
            guard !messages.contains(member?.name.lowercased() ?? "") else { return nil }
            text = json.text ?? member?.value.text ?? text
        }
        if text.hasPrefix(base + "/") { text = String(text.dropFirst(base.count)) }
        return isSafe(text) && !isWord(text) ? text : nil
    }

    /// Whether a text is a message, perhaps of a proxy, and not a key.
    ///
    /// A UUID has digits, a path has slashes, and a random text has as many capitals as small letters.
    static func isWord(_ text: String) -> Bool {
        let isLetters = text.utf8.allSatisfy { $0 != UInt8(ascii: "/") && !(0x30...0x39).contains($0) }
        let capitals = text.utf8.count { (0x41...0x5A).contains($0) }
        let isMixed = capitals * 3 >= text.utf8.count && capitals * 3 <= 2 * text.utf8.count
        return isLetters && !(isMixed && text.utf8.count >= 12)
    }

    static let messages: Set = ["message", "error", "errors", "reason", "detail", "title", "msg"]

    /// Whether a text can be a key or a path of this market, and leads to no other location.
    static func isSafe(_ key: String) -> Bool {
        guard (1...512).contains(key.utf8.count), !key.hasPrefix("//"),
            !key.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { return false }
        return key.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"),
                UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "%"):
                true
            default: false
            }
        }
    }
}
