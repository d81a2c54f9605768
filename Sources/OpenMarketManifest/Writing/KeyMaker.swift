package import OpenMarket

/// Creates keys for products without one, from their names as a person would, each key once.
///
/// The same products in the same order get the same keys.
package struct KeyMaker: Sendable {
    private var taken: Set<String>
    private let credentials: SecretMask

    /// The most bytes of a key from a long name: it is also part of a longer file name.
    private static let length = 120

    /// `taken` are keys of other products; no key contains one of the credentials.
    package init(taken: some Sequence<String> = [], credentials: SecretMask) {
        self.taken = Set(taken)
        self.credentials = credentials
    }

    /// An unused key: `desk-lamp`, or `desk-lamp-193` if that is taken, or `product-193` if the name gives no key.
    package mutating func key(name: String?, id: MarketID) -> String {
        var slug = name.map { credentials.isHeld(by: $0) ? "" : Self.slug($0) } ?? ""
        // Manifests and tables refuse such a key.
        if CellDamage.isNothing(slug) { slug = "" }
        if slug.withUTF8Span({ $0.hasLostText }) || credentials.isHeld(by: slug) { slug = "" }
        var key = slug.isEmpty ? "product-\(id.keyPart)" : slug
        while !taken.insert(key).inserted { key += "-\(id.keyPart)" }
        return key
    }

    /// A text as part of a file name or an address: lowercase letters of every script and digits, separated by dashes;
    /// may be empty.
    ///
    /// Invisible marks inside words, as between Persian letters, are left out, because people could not type them
    /// again.
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
    /// The id as part of a key, and so of a file name.
    fileprivate var keyPart: String {
        switch self {
        case .number(let number): String(number)
        case .text(let text): KeyMaker.slug(text)
        }
    }
}
