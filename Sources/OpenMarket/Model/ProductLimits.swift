/// The documented limits of a product (docs/profiles.md, "Limits").
///
/// The markets hardly enforce them, so the manifest does; `market.limits` may raise them.
public struct ProductLimits: Hashable, Sendable {
    /// Characters in a name.
    public var nameLength: ClosedRange<Int>

    /// Characters in a description.
    public var descriptionLength: ClosedRange<Int>

    /// Pictures of a product.
    public var imageCount: ClosedRange<Int>

    /// A picture has fewer bytes than this.
    public var imageByteLimit: Int

    /// Whether prices are integers in every currency (v1).
    public var wholePrices: Bool

    /// Limits; by default the documented ones.
    public init(
        nameLength: ClosedRange<Int> = 3...100,
        descriptionLength: ClosedRange<Int> = 10...1000,
        imageCount: ClosedRange<Int> = 1...5,
        imageByteLimit: Int = 300_000,
        wholePrices: Bool
    ) {
        self.nameLength = nameLength
        self.descriptionLength = descriptionLength
        self.imageCount = imageCount
        self.imageByteLimit = imageByteLimit
        self.wholePrices = wholePrices
    }

    /// How many characters a text has as the limits count them: Unicode scalars.
    ///
    /// A letter and an accent that combines with it are two, an emoji that is joined from several is as many.
    public static func length(of text: String) -> Int { text.unicodeScalars.count }

    /// Whether a text has one of the lengths that are allowed.
    public static func allows(_ text: String, length range: ClosedRange<Int>) -> Bool {
        let bytes = text.utf8.count
        // A scalar has one to four bytes, so most texts need no counting.
        if bytes <= range.upperBound, bytes >= range.lowerBound * 4 { return true }
        return range.contains(length(of: text))
    }

    /// Whether a text of these bytes has one of the lengths that are allowed.
    package static func allows(_ text: UnsafeBufferPointer<UInt8>, length range: ClosedRange<Int>) -> Bool {
        if text.count <= range.upperBound, text.count >= range.lowerBound * 4 { return true }
        return range.contains(text.count { $0 & 0xC0 != 0x80 })
    }
}
