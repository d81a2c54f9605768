/// A writing request, independent of the market's API.
///
/// The client encodes it for its profile.
package struct WriteRequest: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Creates a product; not idempotent: sent twice, it creates two.
        case create(ProductValues, pictures: [Picture])
        case update(MarketID, ProductUpdate)
        /// Requests the key that deletes a product, if the profile deletes in two steps (v2).
        case deleteKey(MarketID)
        /// Deletes a product; `key` is the reply to `deleteKey`, or `nil` if the profile deletes in one step (v1).
        case delete(MarketID, key: String?)
        /// Proves ownership of a product without changing it, if the profile supports that (v1: PATCH with the
        /// password).
        case proveOwnership(MarketID)
        /// Uploads a picture before its product is written, on markets with separate uploads.
        case upload(Picture)
        /// Adds a picture to an existing product, on markets that attach pictures.
        case attach(MarketID, Picture)
    }

    package var kind: Kind
    /// The source of the product's own password (v1); `nil` uses the market's secret.
    package var secret: SecretReference?
    /// The product's key in the manifest, if the market supports keys and the manifest allows it.
    ///
    /// A create writes it, and so does an update that changes the product's key.
    package var key: String?
    /// The idempotency key of a create, if the market applies a repeated create only once.
    ///
    /// All bytes of the request depend only on the key and the values, including the boundary of a multipart body.
    package var idempotencyKey: String?
    /// The names of the product's pictures in the request, in order.
    ///
    /// They are the market's replies to the uploads, or URLs; empty if the request contains the bytes. An uploaded
    /// picture that stays has an empty text: ``ProductUpdate/keptPictures`` has its id.
    package var references: [String] = []

    package init(_ kind: Kind, secret: SecretReference? = nil) {
        self.kind = kind
        self.secret = secret
    }

    /// Whether a repeated request is without further effect; an unused upload is invisible.
    package var isIdempotent: Bool {
        switch kind {
        case .create, .attach: false
        case .update, .deleteKey, .delete, .proveOwnership, .upload: true
        }
    }

    var step: RequestStep {
        switch kind {
        case .create: .create
        case .update: .update
        case .deleteKey: .deleteKey
        case .delete: .delete
        case .proveOwnership: .proveOwnership
        case .upload: .upload
        case .attach: .attach
        }
    }
}

package struct ProductUpdate: Hashable, Sendable {
    /// The fields to write; the profile may have to write more, because v2's discount depends on the price.
    package var changed: Set<ProductField>
    package var desired: ProductValues
    package var live: ProductValues
    /// The new pictures, if an update can change pictures (v1).
    package var pictures: [Picture]
    package var thumbnailImageID: MarketID?
    /// The market's ids of pictures that the product already has, by their index in ``pictures``; these are not sent
    /// again.
    package var keptPictures: [Int: MarketID] = [:]
    /// Whether the request's key replaces the one that the product carries.
    package var changesKey = false

    package init(
        changed: Set<ProductField>,
        desired: ProductValues,
        live: ProductValues,
        pictures: [Picture] = [],
        thumbnailImageID: MarketID? = nil
    ) {
        self.changed = changed
        self.desired = desired
        self.live = live
        self.pictures = pictures
        self.thumbnailImageID = thumbnailImageID
    }
}

/// A step of an operation: one request.
package enum RequestStep: String, Hashable, Sendable {
    case create
    case update
    case deleteKey = "delete_key"
    case delete
    /// A PATCH without changes (v1).
    case proveOwnership = "prove_ownership"
    case upload
    case attach
}

/// The outcome of one writing request, by its possible effect on the market.
package enum WriteOutcome: Hashable, Sendable {
    /// The market confirmed the effect.
    case succeeded(WriteReply)
    /// The market refused: it had no effect, and repeating it does not help (4xx).
    case refused(WriteRefusal)
    /// It provably had no effect and may be sent again: no connection, or 429.
    case notSent(WriteTrouble)
    /// The effect is unknown: the connection broke, a timeout, 5xx, or an unreadable reply.
    case uncertain(WriteTrouble)
}

package struct WriteReply: Hashable, Sendable {
    /// The product as the reply shows it; `nil` if the profile replies without it.
    package var product: LiveProduct?
    var deleteKey: String?
    package var reference: String?

    package init(product: LiveProduct? = nil, deleteKey: String? = nil, reference: String? = nil) {
        self.product = product
        self.deleteKey = deleteKey
        self.reference = reference
    }
}

/// A reply that rejects the request: it had no effect.
package struct WriteRefusal: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The identifier, secret or password is missing or wrong (401), or not configured at all.
        case credentials
        /// Wrong credentials or another error of this request: 403, and on v2 also 400, which has many meanings there.
        ///
        /// The reply's text does not distinguish them, because it may quote a product's own.
        case denied
        /// No such product; on v1 also a wrong password, which cannot be distinguished.
        case notFound
        case duplicate
        case other
    }

    package var kind: Kind
    var status: Int
    /// One sentence for people that quotes the market, without secrets.
    package var message: String

    package init(_ kind: Kind, status: Int, message: String) {
        self.kind = kind
        self.status = status
        self.message = message.masked
    }
}

/// Why a request may have to be sent again.
package struct WriteTrouble: Hashable, Sendable {
    package var message: String
    /// Whether the market requested a lower rate (429 or 503), which slows the whole run.
    var isOverload: Bool
    package var retryAfter: Duration?

    package init(_ message: String, isOverload: Bool = false, retryAfter: Duration? = nil) {
        self.message = message.masked
        self.isOverload = isOverload
        self.retryAfter = retryAfter
    }
}
