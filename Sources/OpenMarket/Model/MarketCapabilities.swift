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
        /// The sale price is set to the price, because v1 has no known way to remove the field.
        case priceAsSalePrice
    }

    /// The manifest's key on the market's products.
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

    /// How a create is repeated without being carried out twice.
    package struct Repetition: Hashable, Sendable {
        /// The time for which the market remembers the key of the request.
        var window: Duration
        /// Whether it repeats its refusal instead of carrying out the repeated request.
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
        /// As URLs, from which the market fetches them.
        case url
        /// First the bytes, then a reference in the product.
        case upload
        /// First the product, then the bytes.
        case attach
        case none
    }

    /// The kinds of writes on a market, each with its own requests.
    package enum Writing: String, CaseIterable, Hashable, Sendable {
        case create
        case update
        case delete
    }

    /// The use of the manifest's key on products; `nil` if they carry none.
    package var key: KeyUse?

    /// `nil` if a create cannot be repeated.
    package var repetition: Repetition?

    /// Whether the create request chooses the product's ID.
    package var choosesIDs = false

    package var pictureStyle = PictureStyle.none

    /// The lifetime of an upload's reference; `nil` if the description states none.
    package var pictureReferenceLifetime: Duration?

    /// The fields that requests can set.
    package var writableFields: Set<ProductField> = []

    /// The fields that a create can set.
    package var fieldsOfCreate: Set<ProductField> = []

    /// The fields that an update can set.
    package var fieldsOfUpdate: Set<ProductField> = []

    /// The currency of all products, if products do not state it; `nil` if each has its own, or none.
    package var fixedCurrency: Currency?

    /// Whether a price needs its currency, which determines how many of the smallest units make one.
    package var pricesNeedCurrency = false

    /// Whether a change of pictures can keep existing ones by their market IDs, instead of sending them again.
    package var keepsPicturesByID = false

    /// Whether a product has room for one picture only.
    package var takesOnePicture = false

    /// The fields that can be removed again.
    package var clearableFields: Set<ProductField> = []

    /// The fields that the market returns in another form than they were sent.
    package var normalisedFields: Set<ProductField> = []

    /// Those of them that are HTML.
    package var htmlFields: Set<ProductField> = []

    /// Whether the market holds the earlier price next to the current one, so that a sale changes the price.
    package var saleMovesPrice = false

    /// Whether a change may replace the pictures of a product and keep its ID (v1: PATCH replaces the set).
    package var picturesChangeInPlace = false

    /// Whether the thumbnail can differ from the first picture (v2: `thumbnail_id`).
    package var thumbnailIsChosen = false

    /// Whether rows of the list carry the description (v2b only).
    package var listShowsDescription = false

    /// Whether sales appear only in details, and not in rows of the list.
    package var listOmitsSale = false

    /// Whether rows of the list show the vendor (v2).
    package var listShowsVendor = false

    /// Whether vendors are shown as texts, which cannot be compared with a vendor number.
    package var vendorsAreTexts = false

    /// Whether rows of the list carry the pictures.
    package var listShowsPictures = false

    /// Whether a single product can be requested.
    package var showsDetails = false

    /// Whether rows of the list show as much as details, so that plans believe them; see ``LiveProduct/isWhole``.
    package var listOmitsNothing = false

    /// Whether a product is read right before an update, which may take away what it does not name.
    package var readsBeforeUpdating = false

    package var showsPictures = false

    /// Whether the market returns the picture bytes that it was sent (v2); otherwise digests cannot be compared.
    package var keepsPictureBytes = false

    /// The kind of the market's product IDs, needed to read an ID from a person or a file.
    package var idKind = MarketID.Kind.number

    /// Whether later products have greater IDs.
    package var idsRise = false

    /// Whether the market can prove that a catalog was read completely.
    package var provesCompleteness = false

    /// Whether the identifier belongs to the state's scope, so that each identifier has its own state (v2).
    package var identifierIsScope = false

    /// The proof that a product is the vendor's own; `nil` if there is none.
    package var ownershipProof: OwnershipProof?

    /// Whether the response to wrong credentials is the same as for a missing product (v1).
    package var answersDeniedAsMissing = false

    /// Whether each product may have its own password (v1).
    package var hasItemPasswords = false

    /// Whether an empty change proves that a password is a product's own (v1).
    var provesItemPasswords: Bool { hasItemPasswords && ownershipProof == .changeOfNothing }

    package var credentialsForReading: CredentialSlots = []

    package var credentialsForWriting: CredentialSlots = []

    /// The reasons why products cannot be created, changed or deleted; no entry for a possible kind of write.
    package var obstacles: [Writing: [String]] = [:]

    /// `nil` if a sale cannot be ended.
    package var saleEnding: SaleEnding?

    /// Whether a delete first requests a key (v2); a 404 during it means that the product is gone.
    package var deletesInTwoSteps = false

    /// The time after a write during which the product may still be answered with 404.
    ///
    /// On v1 it is 1–2 s (docs/profiles.md, "Reading back what was written").
    package var readAfterWriteDelay = Duration.zero

    /// How long after a create without a reply the market may still apply it.
    package var settleDelay = Duration.seconds(3)

    /// The fields without which the market refuses a new product.
    package var fieldsRequiredToCreate: Set<ProductField> = []

    /// Starts with no abilities.
    package init() {}

    /// Whether a product identifies its listing: it carries the manifest's key, or the vendor chooses its ID.
    package var carriesKeys: Bool { key != nil || choosesIDs }

    package var credentials: CredentialSlots { credentialsForReading.union(credentialsForWriting) }

    /// The reasons why nothing can be written to this market, each once; empty if some kind of write is possible.
    package var writingObstacles: [String] {
        guard Writing.allCases.allSatisfy({ !obstacles(to: $0).isEmpty }) else { return [] }
        var reasons: [String] = []
        for reason in Writing.allCases.flatMap({ obstacles(to: $0) }) where !reasons.contains(reason) {
            reasons.append(reason)
        }
        return reasons
    }

    /// The reasons why this kind of write is impossible; empty if it is possible.
    func obstacles(to writing: Writing) -> [String] { obstacles[writing] ?? [] }

    /// Whether a text that a market shows is another form of one that it was sent.
    ///
    /// HTML has its own; otherwise letter case, blanks and the composition of characters may differ.
    package func isForm(_ shown: FieldValue, of sent: FieldValue, in field: ProductField) -> Bool {
        guard case (.text(let shown), .text(let sent)) = (shown, sent) else { return shown == sent }
        func form(_ text: String) -> String {
            htmlFields.contains(field)
                ? HTMLMarkup.form(of: text)
                : text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        return form(shown) == form(sent)
    }

    /// Whether products can be created, changed or deleted.
    package var canWrite: Bool { writingObstacles.isEmpty }
}

/// A set of the credentials in a manifest.
package struct CredentialSlots: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `market.identifier`.
    package static let identifier = CredentialSlots(rawValue: 1)
    /// `market.secret`.
    package static let secret = CredentialSlots(rawValue: 2)

    /// The names of the credentials in the `market` section.
    package var keys: [String] {
        [(CredentialSlots.identifier, "identifier"), (.secret, "secret")].filter { contains($0.0) }.map(\.1)
    }
}
