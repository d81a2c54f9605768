package import OpenMarket

/// Makes keys for products that have none yet: of their names, as a person would, each key once.
///
/// The same products in the same order get the same keys.
package struct KeyMaker: Sendable {
    private var taken: Set<String>
    private let credentials: CredentialTexts

    /// A key of a long name has at most so many bytes: it is a file's name, too, with more behind it.
    private static let length = 120

    /// - Parameters:
    ///   - taken: the keys that others have.
    ///   - credentials: what no key may hold.
    package init(taken: some Sequence<String> = [], credentials: CredentialTexts) {
        self.taken = Set(taken)
        self.credentials = credentials
    }

    /// A key that no product has: `desk-lamp`, or `desk-lamp-193` where that is taken, or `product-193` where the name makes none.
    package mutating func key(name: String?, id: MarketID) -> String {
        var slug = name.map { credentials.isHeld(by: $0) ? "" : Self.slug($0) } ?? ""
        // A manifest takes no such key, nor does a table that has it in a cell.
        if CellDamage.isNothing(slug) { slug = "" }
        if slug.withUTF8Span({ $0.hasLostText }) || credentials.isHeld(by: slug) { slug = "" }
        var key = slug.isEmpty ? "product-\(id.keyPart)" : slug
        while !taken.insert(key).inserted { key += "-\(id.keyPart)" }
        return key
    }

    /// A text as part of a file's name or an address: letters of every script and digits in small letters, with dashes
    /// between them; empty where it has none.
    ///
    /// Marks inside of words that are not seen, as between Persian letters, are left out: they could not be typed again.
    package static func slug(_ text: String) -> String {
        var slug = ""
        var isBetween = false
        let seen = String.UnicodeScalarView(text.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint })
        for character in String(seen).composed.lowercased() {
            guard character.isLetter || character.isNumber else {
                isBetween = true
                continue
            }
            let piece = (isBetween && !slug.isEmpty ? "-" : "") + String(character)
            guard slug.utf8.count + piece.utf8.count <= length else { break }
            slug += piece
            isBetween = false
        }
        return slug.composed
    }
}

extension MarketID {
    /// The id as a part of a key, and so of a file's name.
    fileprivate var keyPart: String {
        switch self {
        case .number(let number): String(number)
        case .text(let text): KeyMaker.slug(text)
        }
    }
}
