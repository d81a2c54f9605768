/// The abilities of a market that a plan or an export depends on.
package struct MarketCapabilities: Hashable, Sendable {
    /// A request that proves the ownership of a product without changing it.
    package enum OwnershipProof: String, CaseIterable, Hashable, Sendable {
        /// Requests the key that deletes the product (v2).
        case deleteKey = "delete_key"
        /// An empty change (v1).
        case changeOfNothing = "update_nothing"
    }

    package enum SaleEnding: Hashable, Sendable {
        /// The discount is set to 0 (v2).
        case zeroDiscount
        /// The sale price is set to the price, because v1 cannot remove the field, as far as known.
        case priceAsSalePrice
    }

    /// The use of the manifest's key on the market's products.
    package struct KeyUse: Hashable, Sendable {
        /// Whether two products can have the same key.
        package enum Uniqueness: String, CaseIterable, Hashable, Sendable {
            /// The market refuses a second one.
            case enforced
            /// The market refuses a second one, but not while another request runs.
            case racy
            /// The market does not check.
            case unenforced
        }

        /// Whether products can be looked up by key.
        package var isFindable: Bool
        package var uniqueness: Uniqueness
        /// The length limit in characters; `nil` if the description states none.
        package var characterLimit: Int?
        /// Whether the key of a product can change.
        package var isChangeable: Bool

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

    /// How to repeat a create so that the market carries it out only once.
    package struct Repetition: Hashable, Sendable {
        /// How long the market remembers the idempotency key of a request.
        var window: Duration
        /// Whether the market repeats an error instead of carrying out the repeated request.
        var replaysErrors: Bool

        package init(window: Duration, replaysErrors: Bool) {
            self.window = window
            self.replaysErrors = replaysErrors
        }
    }

    package enum PictureStyle: String, CaseIterable, Hashable, Sendable {
        /// With the product, as parts of a multipart body.
        case parts
        /// With the product, in Base64.
        case base64
        /// As URLs that the market fetches.
        case url
        /// The bytes first, then a reference in the product.
        case upload
        /// The product first, then the bytes.
        case attach
        case none
    }

    /// Each kind has its own requests.
    package enum Writing: String, CaseIterable, Hashable, Sendable {
        case create
        case update
        case delete
    }

    /// `nil` if products carry no keys.
    package var key: KeyUse?

    /// `nil` if a create cannot be repeated.
    package var repetition: Repetition?

    /// Whether the create request sets the product's ID.
    package var choosesIDs = false

    package var pictureStyle = PictureStyle.none

    /// The lifetime of an upload's reference; `nil` if the description states none.
    package var pictureReferenceLifetime: Duration?

    package var writableFields: Set<ProductField> = []

    package var fieldsOfCreate: Set<ProductField> = []

    package var fieldsOfUpdate: Set<ProductField> = []

    /// The currency of all products, if products do not state it; `nil` if each product has its own, or none.
    package var fixedCurrency: Currency?

    /// Whether a price needs its currency, which determines its number of smallest units.
    package var pricesNeedCurrency = false

    /// Whether a change of pictures can refer to existing ones by their market IDs instead of sending them again.
    package var keepsPicturesByID = false

    package var takesOnePicture = false

    package var clearableFields: Set<ProductField> = []

    /// The fields that the market returns in another form than they were sent.
    package var normalisedFields: Set<ProductField> = []

    /// The normalised fields that are HTML.
    package var htmlFields: Set<ProductField> = []

    /// Whether the market holds the earlier price next to the current one, so that a sale changes the price.
    package var saleMovesPrice = false

    /// Whether an update can replace a product's pictures and keep its ID (v1: PATCH replaces the set).
    package var picturesChangeInPlace = false

    /// Whether the thumbnail can differ from the first picture (v2: `thumbnail_id`).
    package var thumbnailIsChosen = false

    /// Whether rows of the list carry the description (v2b only).
    package var listShowsDescription = false

    /// Whether sales appear only in details.
    package var listOmitsSale = false

    /// Whether rows of the list show the vendor (v2).
    package var listShowsVendor = false

    /// Whether vendors are texts, which cannot be compared with a vendor number.
    package var vendorsAreTexts = false

    package var listShowsPictures = false

    /// Whether a single product can be requested.
    package var showsDetails = false

    /// Whether rows show as much as details, so that plans trust them; see ``LiveProduct/isWhole``.
    package var listOmitsNothing = false

    /// Whether a product is read right before an update, which may remove fields that it does not name.
    package var readsBeforeUpdating = false

    package var showsPictures = false

    /// Whether the market returns the picture bytes that it was sent (v2); otherwise digests cannot be compared.
    package var keepsPictureBytes = false

    /// Needed to read an ID from a person or a file.
    package var idKind = MarketID.Kind.number

    /// Whether later products have greater IDs.
    package var idsRise = false

    /// Whether the market can prove that a catalog was read completely.
    package var provesCompleteness = false

    /// Whether each identifier has its own state (v2).
    package var identifierIsScope = false

    /// `nil` if the market offers no proof.
    package var ownershipProof: OwnershipProof?

    /// Whether wrong credentials and a missing product get the same reply (v1).
    package var answersDeniedAsMissing = false

    /// Whether each product may have its own password (v1).
    package var hasItemPasswords = false

    /// Whether an empty change proves that a password is a product's own (v1).
    var provesItemPasswords: Bool { hasItemPasswords && ownershipProof == .changeOfNothing }

    package var credentialsForReading: CredentialSlots = []

    package var credentialsForWriting: CredentialSlots = []

    /// Why products cannot be created, changed or deleted; possible kinds of writes are left out.
    package var obstacles: [Writing: [String]] = [:]

    /// `nil` if a sale cannot be ended.
    package var saleEnding: SaleEnding?

    /// Whether a delete first requests a key (v2); a 404 to that request means that the product is gone.
    package var deletesInTwoSteps = false

    /// How long after a write the market may still reply with 404 for the product.
    ///
    /// On v1 it is 1–2 s (docs/reference/open-market-versions.md, "Reading after writing").
    package var readAfterWriteDelay = Duration.zero

    /// How long after a create without a reply the market may still carry it out.
    package var settleDelay = Duration.seconds(3)

    package var fieldsRequiredToCreate: Set<ProductField> = []

    package init() {}

    /// Whether a product identifies its listing: it carries the manifest's key, or requests set its ID.
    package var carriesKeys: Bool { key != nil || choosesIDs }

    package var credentials: CredentialSlots { credentialsForReading.union(credentialsForWriting) }

    /// Why this market is read-only, each reason once; empty if some kind of write is possible.
    package var writingObstacles: [String] {
        guard Writing.allCases.allSatisfy({ !obstacles(to: $0).isEmpty }) else { return [] }
        var reasons: [String] = []
        for reason in Writing.allCases.flatMap({ obstacles(to: $0) }) where !reasons.contains(reason) {
            reasons.append(reason)
        }
        return reasons
    }

    /// Why this kind of write is impossible; empty if it is possible.
    func obstacles(to writing: Writing) -> [String] { obstacles[writing] ?? [] }

    /// Whether the market's text is another form of the sent one.
    ///
    /// HTML has its own rules. In other texts, letter case, blanks and the composition of characters may differ.
    package func isForm(_ shown: FieldValue, of sent: FieldValue, in field: ProductField) -> Bool {
        guard case (.text(let shown), .text(let sent)) = (shown, sent) else { return shown == sent }
        func form(_ text: String) -> String {
            htmlFields.contains(field)
                ? HTMLMarkup.form(of: text)
                : text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        return form(shown) == form(sent)
    }

    package var canWrite: Bool { writingObstacles.isEmpty }
}

/// The credentials in a manifest.
package struct CredentialSlots: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `market.identifier`.
    package static let identifier = CredentialSlots(rawValue: 1)
    /// `market.secret`.
    package static let secret = CredentialSlots(rawValue: 2)

    /// Their names in the `market` section.
    package var keys: [String] {
        [(CredentialSlots.identifier, "identifier"), (.secret, "secret")].filter { contains($0.0) }.map(\.1)
    }
}
