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
}
