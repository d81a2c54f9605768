/// What a profile of the market can express, as far as a plan depends on it.
public struct MarketCapabilities: Hashable, Sendable {
    /// How a product's owner proves that it is theirs.
    public enum Authentication: Hashable, Sendable {
        /// A password of the item's own, chosen when it was created (v1).
        case itemPassword
        /// The vendor's identifier and secret (v2).
        case vendor
    }

    /// How a sale is ended.
    public enum SaleEnding: Hashable, Sendable {
        /// The amount off is set to 0 (v2).
        case zeroDiscount
        /// The sale price is set to the price: v1 has no known way to take the field away again.
        case priceAsSalePrice
    }

    /// Whether a change may replace the pictures of a product and keep its id (v1: PATCH replaces the set).
    public var picturesChangeInPlace: Bool

    /// Whether the thumbnail can be another picture than the first (v2: `thumbnail_id`).
    public var thumbnailIsChosen: Bool

    /// Whether rows of the list carry the description (v2b only).
    public var listShowsDescription: Bool

    /// Whether rows of the list say whose product it is (v2).
    public var listShowsVendor: Bool

    /// Whether the market gives back the picture bytes that it was sent (v2); otherwise digests cannot be compared.
    public var keepsPictureBytes: Bool

    /// How an owner proves that a product is theirs.
    public var authentication: Authentication

    /// How a sale is ended.
    public var saleEnding: SaleEnding

    /// Whether a delete needs a key that is asked for first (v2); then 404 on the way means that the product is gone.
    public var deletesInTwoSteps: Bool

    /// For how long after a write the product may still be answered with 404 (v1: 1–2 s; docs/profiles.md, "Reading back
    /// what was written").
    public var readAfterWriteDelay: Duration

    /// The fields without which the market takes no new product.
    public var fieldsRequiredToCreate: Set<ProductField>

    /// Describes a profile.
    public init(
        picturesChangeInPlace: Bool,
        thumbnailIsChosen: Bool,
        listShowsDescription: Bool,
        listShowsVendor: Bool,
        keepsPictureBytes: Bool,
        authentication: Authentication,
        saleEnding: SaleEnding,
        deletesInTwoSteps: Bool,
        readAfterWriteDelay: Duration,
        fieldsRequiredToCreate: Set<ProductField>
    ) {
        self.picturesChangeInPlace = picturesChangeInPlace
        self.thumbnailIsChosen = thumbnailIsChosen
        self.listShowsDescription = listShowsDescription
        self.listShowsVendor = listShowsVendor
        self.keepsPictureBytes = keepsPictureBytes
        self.authentication = authentication
        self.saleEnding = saleEnding
        self.deletesInTwoSteps = deletesInTwoSteps
        self.readAfterWriteDelay = readAfterWriteDelay
        self.fieldsRequiredToCreate = fieldsRequiredToCreate
    }
}
