package import OpenMarket

/// Gives products without a key in the state their key on the market, or derives one from the name; each key once.
///
/// The same products in the same order get the same keys.
package struct KeyMaker: Sendable {
    private var taken: Set<String>
    /// How many of the market's products have each key.
    private let carried: [String: Int]
    private let numbersAll: Bool
    /// The largest number of characters of a key.
    private let most: Int
    private let secrets = SecretMask.current

    /// The largest number of bytes of a key from a long name: it is also part of a longer file name.
    private static let length = 120

    /// `taken` are keys of other products; no key contains a secret of the command.
    ///
    /// `carried` are the keys that the market shows, with the number of products that have each. If they are unknown,
    /// derived keys contain the product's id (`numbersAll`), so that no later product can have the same key on the
    /// market.
    ///
    /// `limit` is the number of characters that the market allows in a key; `nil` if it states none.
    package init(
        taken: some Sequence<String> = [],
        carried: some Sequence<String> = [],
        numbersAll: Bool = false,
        limit: Int? = nil
    ) {
        self.taken = Set(taken)
        self.carried = Dictionary(carried.map { ($0, 1) }, uniquingKeysWith: +)
        self.numbersAll = numbersAll
        most = limit ?? .max
    }

    /// An unused key: the product's own if no other product has it, `desk-lamp`, `desk-lamp-193` if that is taken, or
    /// `product-193` if the name yields no key.
    package mutating func key(carried own: String? = nil, name: String?, id: MarketID) -> String {
        if let own, carried[own, default: 1] == 1, own.unicodeScalars.count <= most, own == own.trimmed,
            KeyRules.fault(of: own) == nil,
            !CellDamage.isNothing(own),
            !secrets.isHeld(by: own), taken.insert(own).inserted
        {
            return own
        }
        var slug = name.map { secrets.isHeld(by: $0) ? "" : Self.slug($0) } ?? ""
        // Manifests and tables refuse such a key.
        if CellDamage.isNothing(slug) { slug = "" }
        if slug.withUTF8Span({ $0.hasLostText }) || secrets.isHeld(by: slug) { slug = "" }
        let number = "-" + Self.slug(id.description).suffix(max(1, most - 2))
        var end = slug.isEmpty || numbersAll ? number : ""
        if slug.isEmpty { slug = "product" }
        while true {
            var start = String(slug.prefix(max(1, most - end.count)))
            while start.hasSuffix("-") { start.removeLast() }
            let key = start + end
            if carried[key] == nil, taken.insert(key).inserted { return key }
            end += number
        }
    }

    /// A text as part of a file name or a URL: lowercase letters of every script and digits, separated by dashes; may
    /// be empty.
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
