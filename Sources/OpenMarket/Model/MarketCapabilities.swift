/// What a market can express, as far as a plan or an export depends on it.
package struct MarketCapabilities: Hashable, Sendable {
    /// A request that shows whose a product is, and changes nothing.
    package enum OwnershipProof: Hashable, Sendable {
        /// Asking for the key that deletes the product (v2).
        case deleteKey
        /// A change of nothing (v1).
        case changeOfNothing
    }

    /// How a sale is ended.
    package enum SaleEnding: Hashable, Sendable {
        /// The amount off is set to 0 (v2).
        case zeroDiscount
        /// The sale price is set to the price: v1 has no known way to take the field away again.
        case priceAsSalePrice
    }

    /// A key of ours that products carry.
    package struct KeyUse: Hashable, Sendable {
        /// Whether two products can have the same.
        package enum Uniqueness: Hashable, Sendable {
            /// The market refuses a second one.
            case enforced
            /// The market refuses a second one, but not while another request runs.
            case racy
            /// The market does not look.
            case unenforced
        }

        /// Whether the products of a key can be asked for.
        package var isFindable: Bool
        /// Whether two products can have the same.
        package var uniqueness: Uniqueness
        /// How many characters it may have; `nil` where the description does not say.
        package var characterLimit: Int?
        /// Whether a product can be given another one.
        package var isChangeable: Bool

        /// A key.
        package init(
            isFindable: Bool,
            uniqueness: Uniqueness,
            characterLimit: Int? = nil,
            isChangeable: Bool = false
        ) {
            self.isFindable = isFindable
            self.uniqueness = uniqueness
            self.characterLimit = characterLimit
            self.isChangeable = isChangeable
        }
    }

    /// How a create is repeated without being carried out twice.
    package struct Repetition: Hashable, Sendable {
        /// For how long the market knows the key of the request.
        var window: Duration
        /// Whether it answers a refusal again, rather than carry out the repeated request.
        var replaysErrors: Bool

        /// A way to repeat creates.
        package init(window: Duration, replaysErrors: Bool) {
            self.window = window
            self.replaysErrors = replaysErrors
        }
    }

    /// How pictures are sent.
    package enum PictureStyle: Hashable, Sendable {
        /// Not at all.
        case none
        /// With the product, as parts of a multipart body.
        case parts
        /// With the product, in Base64.
        case base64
        /// As addresses, from which the market fetches them.
        case url
        /// First the bytes, then a reference in the product.
        case upload
        /// First the product, then the bytes.
        case attach
    }

    /// What is done to products on a market, each with requests of its own.
    package enum Writing: String, CaseIterable, Hashable, Sendable {
        /// Products are made.
        case create
        /// Products are changed.
        case update
        /// Products are deleted.
        case delete
    }

    /// The key of ours that products carry; `nil` where they carry none.
    package var key: KeyUse?

    /// How a create is repeated; `nil` where it cannot be.
    package var repetition: Repetition?

    /// Whether we choose a product's id, with the request that makes it.
    package var choosesIDs = false

    /// How pictures are sent.
    package var pictureStyle = PictureStyle.none

    /// For how long what a market answers to an upload can be used; `nil` where its description does not say.
    package var pictureReferenceLifetime: Duration?

    /// The fields that requests can say.
    package var writableFields: Set<ProductField> = []

    /// The fields that the request can say which makes a product.
    package var fieldsOfCreate: Set<ProductField> = []

    /// The fields that the request can say which changes a product.
    package var fieldsOfUpdate: Set<ProductField> = []

    /// The currency of all products, where products do not say it; `nil` where each has its own, or none.
    package var fixedCurrency: Currency?

    /// Whether a price cannot be said without its currency, which says how many of the smallest units make one.
    package var pricesNeedCurrency = false

    /// Whether a change of the pictures can name those that stay by what the market calls them, instead of sending them again.
    package var keepsPicturesByID = false

    /// Whether a product has a place for one picture alone.
    package var takesOnePicture = false

    /// The fields that can be taken away again.
    package var clearableFields: Set<ProductField> = []

    /// The fields that come back otherwise than they were sent.
    package var normalisedFields: Set<ProductField> = []

    /// Whether the market holds what buyers paid before beside what they pay, so that a sale moves the price.
    package var saleMovesPrice = false

    /// Whether a change may replace the pictures of a product and keep its id (v1: PATCH replaces the set).
    package var picturesChangeInPlace = false

    /// Whether the thumbnail can be another picture than the first (v2: `thumbnail_id`).
    package var thumbnailIsChosen = false

    /// Whether rows of the list carry the description (v2b only).
    package var listShowsDescription = false

    /// Whether sales show in details alone, and not in rows of the list.
    package var listOmitsSale = false

    /// Whether rows of the list say whose product it is (v2).
    package var listShowsVendor = false

    /// Whether vendors are shown as texts, which no number of ours is compared with.
    package var vendorsAreTexts = false

    /// Whether rows of the list carry the pictures.
    package var listShowsPictures = false

    /// Whether a product can be asked for by itself.
    package var showsDetails = false

    /// Whether a product shows its pictures.
    package var showsPictures = false

    /// Whether the market gives back the picture bytes that it was sent (v2); otherwise digests cannot be compared.
    package var keepsPictureBytes = false

    /// What the market calls products by: whoever reads an id that a person or a file says has to know.
    package var idKind = MarketID.Kind.number

    /// Whether later products have greater ids.
    package var idsRise = false

    /// Whether anything can prove that a catalog was read whole.
    package var provesCompleteness = false

    /// Whether the identifier belongs to the state's scope: another one has another state (v2).
    package var identifierIsScope = false

    /// What shows that a product is ours; `nil` where nothing does.
    package var ownershipProof: OwnershipProof?

    /// Whether wrong credentials are answered like a product that does not exist (v1).
    package var answersDeniedAsMissing = false

    /// Whether each product may have a password of its own (v1).
    package var hasItemPasswords = false

    /// Whether a request that changes nothing shows that a password is a product's own (v1).
    var provesItemPasswords: Bool { hasItemPasswords && ownershipProof == .changeOfNothing }

    /// The credentials that reading needs.
    package var credentialsForReading: CredentialSlots = []

    /// The credentials that writing needs.
    package var credentialsForWriting: CredentialSlots = []

    /// Why products cannot be made, changed or deleted there; nothing of what can be done.
    package var obstacles: [Writing: [String]] = [:]

    /// How a sale is ended; `nil` where that cannot be said.
    package var saleEnding: SaleEnding?

    /// Whether a delete needs a key that is asked for first (v2); then 404 on the way means that the product is gone.
    package var deletesInTwoSteps = false

    /// For how long after a write the product may still be answered with 404 (v1: 1–2 s; docs/profiles.md, "Reading back
    /// what was written").
    package var readAfterWriteDelay = Duration.zero

    /// The fields without which the market takes no new product.
    package var fieldsRequiredToCreate: Set<ProductField> = []

    /// A market that can do nothing.
    package init() {}

    /// Whether a product says which listing it is: it carries our key, or we choose its id.
    package var carriesKeys: Bool { key != nil || choosesIDs }

    /// The credentials that reading or writing needs.
    package var credentials: CredentialSlots { credentialsForReading.union(credentialsForWriting) }

    /// Why nothing at all can be written to this market, each reason once; none where anything can.
    package var writingObstacles: [String] {
        guard Writing.allCases.allSatisfy({ !obstacles(to: $0).isEmpty }) else { return [] }
        var reasons: [String] = []
        for reason in Writing.allCases.flatMap({ obstacles(to: $0) }) where !reasons.contains(reason) {
            reasons.append(reason)
        }
        return reasons
    }

    /// Why something cannot be done to products there; none where it can.
    func obstacles(to writing: Writing) -> [String] { obstacles[writing] ?? [] }

    /// Whether products can be made, changed or deleted there.
    package var canWrite: Bool { writingObstacles.isEmpty }
}

/// Some of the credentials that a manifest has.
package struct CredentialSlots: OptionSet, Hashable, Sendable {
    /// One bit for each.
    package let rawValue: UInt8

    /// Credentials by their bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `market.identifier`.
    package static let identifier = CredentialSlots(rawValue: 1)
    /// `market.secret`.
    package static let secret = CredentialSlots(rawValue: 2)

    /// The keys of `market` that say them.
    package var keys: [String] {
        [(CredentialSlots.identifier, "identifier"), (.secret, "secret")].filter { contains($0.0) }.map(\.1)
    }
}
