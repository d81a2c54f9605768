/// The documented limits of a product (docs/reference/open-market-versions.md, "Limits").
///
/// The markets hardly enforce them, so the manifest does; `market.limits` may raise them. A limit may be ``unbounded``.
package struct ProductLimits: Hashable, Sendable {
    /// In characters.
    package var nameLength = 3...100

    /// In characters.
    package var descriptionLength = 10...1000

    package var imageCount = 1...5

    /// A picture must have fewer bytes than this.
    package var imageByteLimit = 300_000

    /// The most digits after the point in any price (v1: 0); `nil` if only the currency limits them.
    package var priceFraction: Int?

    /// The allowed currencies; `nil` for all of ISO 4217.
    package var currencies: [Currency]? = Currency.known

    package var pictureFormats: Set<PictureFormat> = [.jpeg, .png]

    package static let unbounded = Int.max

    package static let documented = ProductLimits()

    /// The most digits after the point in a price; `nil` for no limit.
    ///
    /// The currency is `nil` if it is not stated.
    package func fractionDigits(of currency: Currency?) -> Int? {
        guard let priceFraction else { return currency?.fractionDigits }
        return min(priceFraction, currency?.fractionDigits ?? priceFraction)
    }

    package var wholePrices: Bool { priceFraction == 0 }

    package func takes(_ currency: Currency) -> Bool { currencies?.contains(currency) ?? currency.isStandard }

    package mutating func add(_ currency: Currency) {
        if !takes(currency) { currencies?.append(currency) }
    }

    /// `3 to 100`.
    package static func words(_ range: ClosedRange<Int>) -> String {
        range.upperBound == unbounded ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
    }

    /// The length in characters that people see (grapheme clusters), as the limits count.
    ///
    /// `é`, `한` and a family of four are one character each, in either Unicode form
    /// (docs/reference/open-market-versions.md, "Limits").
    package static func length(of text: String) -> Int { text.count }

    package static func allows(_ text: String, length range: ClosedRange<Int>) -> Bool {
        text.withUTF8Span { allows($0, length: range) }
    }

    /// Whether the bytes of a text have an allowed length.
    ///
    /// Hot: every name and description passes here, and almost none has to be counted.
    package static func allows(_ text: Span<UInt8>, length range: ClosedRange<Int>) -> Bool {
        // A character has at least one scalar, and a scalar at least one byte.
        let isShortEnough =
            text.count <= range.upperBound || scalarCount(of: text) <= range.upperBound
        if isShortEnough, evidentlyHas(range.lowerBound, text) { return true }
        return range.contains(length(of: text.text))
    }

    private static func scalarCount(of text: Span<UInt8>) -> Int {
        var count = 0
        for index in text.indices where text[index] & 0xC0 != 0x80 { count += 1 }
        return count
    }

    /// Fast path: whether a text has at least `count` characters; `false` means undecided.
    ///
    /// It counts only scalars that always begin a character: printable ASCII, Latin letters, Chinese characters and
    /// Korean syllables. The scalar before one of them may belong to its character (Unicode's `Prepend`), so it does
    /// not count after any other scalar.
    private static func evidentlyHas(_ count: Int, _ text: Span<UInt8>) -> Bool {
        var index = 0
        var found = 0
        var isBehindOther = false
        while found < count {
            guard index < text.count else { return false }
            let length = plainScalar(at: index, text)
            if let length {
                if !isBehindOther { found += 1 }
                index += length
            } else {
                // Skips to the next first byte.
                repeat { index += 1 } while index < text.count && text[index] & 0xC0 == 0x80
            }
            isBehindOther = length == nil
        }
        return true
    }

    /// The length in bytes of the scalar here, if it always begins a character.
    private static func plainScalar(at index: Int, _ text: Span<UInt8>) -> Int? {
        switch text[index] {
        case 0x20...0x7E: 1
        // U+00C0…U+02FF.
        case 0xC3...0xCB: 2
        // U+5000…U+9FFF, U+B000…U+CFFF.
        case 0xE5...0xE9, 0xEB, 0xEC: 3
        // U+AC00…U+AFFF, U+D000…U+D77F.
        case 0xEA: index + 1 < text.count && text[index + 1] >= 0xB0 ? 3 : nil
        case 0xED: index + 1 < text.count && text[index + 1] <= 0x9D ? 3 : nil
        default: nil
        }
    }
}
