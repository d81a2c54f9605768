/// What a market can express, as far as a plan or an export depends on it.
public struct MarketCapabilities: Hashable, Sendable {
    /// A request that shows whose a product is, and changes nothing.
    public enum OwnershipProof: Hashable, Sendable {
        /// Asking for the key that deletes the product (v2).
        case deleteKey
        /// A change of nothing (v1).
        case changeOfNothing
    }

    /// How a sale is ended.
    public enum SaleEnding: Hashable, Sendable {
        /// The amount off is set to 0 (v2).
        case zeroDiscount
        /// The sale price is set to the price: v1 has no known way to take the field away again.
        case priceAsSalePrice
    }

    /// Whether a change may replace the pictures of a product and keep its id (v1: PATCH replaces the set).
    public var picturesChangeInPlace = false

    /// Whether the thumbnail can be another picture than the first (v2: `thumbnail_id`).
    public var thumbnailIsChosen = false

    /// Whether rows of the list carry the description (v2b only).
    public var listShowsDescription = false

    /// Whether rows of the list say whose product it is (v2).
    public var listShowsVendor = false

    /// Whether rows of the list carry the pictures.
    public var listShowsPictures = false

    /// Whether a product can be asked for by itself.
    public var showsDetails = false

    /// Whether a product shows its pictures.
    public var showsPictures = false

    /// Whether the market gives back the picture bytes that it was sent (v2); otherwise digests cannot be compared.
    public var keepsPictureBytes = false

    /// What the market calls products by: whoever reads an id that a person or a file says has to know.
    public var idKind = MarketID.Kind.number

    /// Whether later products have greater ids.
    public var idsRise = false

    /// Whether anything can prove that a catalog was read whole.
    public var provesCompleteness = false

    /// Whether the identifier belongs to the state's scope: another one has another state (v2).
    public var identifierIsScope = false

    /// What shows that a product is ours; `nil` where nothing does.
    public var ownershipProof: OwnershipProof?

    /// Whether wrong credentials are answered like a product that does not exist (v1).
    public var answersDeniedAsMissing = false

    /// Whether each product may have a password of its own (v1).
    public var hasItemPasswords = false

    /// The credentials that reading needs.
    public var credentialsForReading: CredentialSlots = []

    /// The credentials that writing needs.
    public var credentialsForWriting: CredentialSlots = []

    /// Why nothing can be written to this market; none where it can.
    public var writingObstacles: [String] = []

    /// How a sale is ended; `nil` where that cannot be said.
    public var saleEnding: SaleEnding?

    /// Whether a delete needs a key that is asked for first (v2); then 404 on the way means that the product is gone.
    public var deletesInTwoSteps = false

    /// For how long after a write the product may still be answered with 404 (v1: 1–2 s; docs/profiles.md, "Reading back
    /// what was written").
    public var readAfterWriteDelay = Duration.zero

    /// The fields without which the market takes no new product.
    public var fieldsRequiredToCreate: Set<ProductField> = []

    /// A market that can do nothing.
    public init() {}

    /// The credentials that reading or writing needs.
    public var credentials: CredentialSlots { credentialsForReading.union(credentialsForWriting) }

    /// Whether products can be made, changed and deleted there.
    public var canWrite: Bool { writingObstacles.isEmpty }
}

/// Some of the credentials that a manifest has.
public struct CredentialSlots: OptionSet, Hashable, Sendable {
    /// One bit for each.
    public let rawValue: UInt8

    /// Credentials by their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `market.identifier`.
    public static let identifier = CredentialSlots(rawValue: 1)
    /// `market.secret`.
    public static let secret = CredentialSlots(rawValue: 2)
}
