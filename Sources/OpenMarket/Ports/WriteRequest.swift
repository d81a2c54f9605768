/// A writing request in the core's words.
///
/// The client turns it into bytes for its profile.
package struct WriteRequest: Hashable, Sendable {
    /// The kind of request, with what it writes.
    package enum Kind: Hashable, Sendable {
        /// Make a product. Not idempotent: sent twice, it makes two.
        case create(ProductValues, pictures: [Picture])
        /// Change a product.
        case update(MarketID, ProductUpdate)
        /// Ask for the key that deletes a product, where the profile deletes in two steps (v2).
        case deleteKey(MarketID)
        /// Delete a product; `key` is what `deleteKey` answered, `nil` where the profile deletes in one step (v1).
        case delete(MarketID, key: String?)
        /// Prove that a product is ours without changing it, where the profile can (v1: PATCH with the password).
        case proveOwnership(MarketID)
        /// Send the bytes of a picture before the product that shows it, where the market takes pictures so.
        case upload(Picture)
        /// Add a picture to a product that exists, where the market takes pictures so.
        case attach(MarketID, Picture)
    }

    /// The kind of request, with what it writes.
    package var kind: Kind
    /// How to find the product's own password (v1); `nil` uses the market's secret.
    package var secret: SecretReference?
    /// The product's key in the manifest, where the market carries keys and the manifest agrees: a create writes it, and an update
    /// that gives the product another one.
    package var key: String?
    /// What distinguishes a create from every other one, where the market carries out a repeated create once.
    ///
    /// All bytes of the request follow from it and from the values, the boundary of a multipart body included.
    package var repeatKey: String?
    /// What the product's pictures are called in it, in their order: what the market answered to their uploads, or their
    /// addresses; empty where the request carries their bytes.
    ///
    /// Of an uploaded picture that stays, an empty text: ``ProductUpdate/keptPictures`` says what it is called.
    package var references: [String] = []

    /// A request.
    package init(_ kind: Kind, secret: SecretReference? = nil) {
        self.kind = kind
        self.secret = secret
    }

    /// Whether sending it twice does no more than sending it once.
    ///
    /// An upload that no product shows is nothing that anybody sees.
    package var isIdempotent: Bool {
        switch kind {
        case .create, .attach: false
        case .update, .deleteKey, .delete, .proveOwnership, .upload: true
        }
    }

    /// Which step of an operation it is.
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

/// A change of a product in place.
package struct ProductUpdate: Hashable, Sendable {
    /// The fields to write.
    ///
    /// The profile may have to write more: v2's amount off follows the price.
    package var changed: Set<ProductField>
    /// All managed values as wanted.
    package var desired: ProductValues
    /// What the market showed.
    package var live: ProductValues
    /// The new pictures, where images change in place (v1).
    package var pictures: [Picture]
    /// The picture wanted as thumbnail (v2).
    package var thumbnailImageID: MarketID?
    /// What the market calls pictures that the product has already, by their index in ``pictures``: these are not sent again.
    package var keptPictures: [Int: MarketID] = [:]
    /// Whether the product is given the request's key in the place of the one that it carries.
    package var changesKey = false

    /// A change.
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
    /// POST of a new product.
    case create
    /// PATCH of a product.
    case update
    /// The request for a delete key (v2).
    case deleteKey = "delete_key"
    /// DELETE of a product.
    case delete
    /// A PATCH that changes nothing (v1).
    case proveOwnership = "prove_ownership"
    /// The bytes of a picture, before the product that shows it.
    case upload
    /// A picture, added to a product that exists.
    case attach
}

/// What came of one writing request, sorted by what may have happened at the market.
package enum WriteOutcome: Hashable, Sendable {
    /// The market did it and said so.
    case succeeded(WriteReply)
    /// The market said no: nothing happened, and asking again changes nothing (4xx).
    case refused(WriteRefusal)
    /// It provably did nothing and may be sent again: no connection, or 429.
    case notSent(WriteTrouble)
    /// It may have happened or not: the connection broke, time ran out, 5xx, or an unreadable reply.
    case uncertain(WriteTrouble)
}

/// A reply to a writing request.
package struct WriteReply: Hashable, Sendable {
    /// The product as the reply shows it; `nil` where the profile answers without it.
    package var product: LiveProduct?
    /// The delete key or path, as the reply has it.
    var deleteKey: String?
    /// What an uploaded picture is called, as the reply has it.
    package var reference: String?

    /// A reply.
    package init(product: LiveProduct? = nil, deleteKey: String? = nil, reference: String? = nil) {
        self.product = product
        self.deleteKey = deleteKey
        self.reference = reference
    }
}

/// A reply that rejects the request: it had no effect.
package struct WriteRefusal: Hashable, Sendable {
    /// The category of the rejection.
    package enum Kind: Hashable, Sendable {
        /// Identifier, secret or password are missing or wrong: 401, or one that is not set at all.
        case credentials
        /// Either that or something else about this one request: 403, and on v2 400, which means all kinds of things
        /// there. Words do not decide it, because they may quote a product's own.
        case denied
        /// No such product; on v1 also a wrong password, which cannot be distinguished.
        case notFound
        /// Another product has the key.
        case duplicate
        /// Anything else.
        case other
    }

    /// The category of the rejection.
    package var kind: Kind
    /// The HTTP status.
    var status: Int
    /// One sentence for people with the market's own words in it, without secrets.
    package var message: String

    /// A rejection.
    package init(_ kind: Kind, status: Int, message: String) {
        self.kind = kind
        self.status = status
        self.message = message
    }
}

/// Why a request may have to be sent again.
package struct WriteTrouble: Hashable, Sendable {
    /// One sentence for people.
    package var message: String
    /// Whether the market asked for less: 429 or 503.
    ///
    /// Slows the whole run.
    var isOverload: Bool
    /// How long the market asked to wait.
    package var retryAfter: Duration?
    /// Whether time ran out: the market may still be working on it.
    var isTimeout: Bool

    /// A failure.
    package init(_ message: String, isOverload: Bool = false, retryAfter: Duration? = nil, isTimeout: Bool = false) {
        self.message = message
        self.isOverload = isOverload
        self.retryAfter = retryAfter
        self.isTimeout = isTimeout
    }
}
