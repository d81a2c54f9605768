/// A writing request in the core's words.
///
/// The client turns it into bytes for its profile.
public struct WriteRequest: Hashable, Sendable {
    /// The kind of request, with what it writes.
    public enum Kind: Hashable, Sendable {
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
    public var kind: Kind
    /// How to find the product's own password (v1); `nil` uses the market's secret.
    public var secret: SecretReference?
    /// The product's key in the manifest, where the market carries keys and the manifest agrees: a create writes it, and an update
    /// that gives the product another one.
    public var key: String?
    /// What distinguishes a create from every other one, where the market carries out a repeated create once.
    ///
    /// All bytes of the request follow from it and from the values, the boundary of a multipart body included.
    public var repeatKey: String?
    /// What the product's pictures are called in it, in their order: what the market answered to their uploads, or their
    /// addresses; empty where the request carries their bytes.
    ///
    /// Of an uploaded picture that stays, an empty text: ``ProductUpdate/keptPictures`` says what it is called.
    public var references: [String] = []

    /// A request.
    public init(_ kind: Kind, secret: SecretReference? = nil) {
        self.kind = kind
        self.secret = secret
    }

    /// Whether sending it twice does no more than sending it once.
    ///
    /// An upload that no product shows is nothing that anybody sees.
    public var isIdempotent: Bool {
        switch kind {
        case .create, .attach: false
        case .update, .deleteKey, .delete, .proveOwnership, .upload: true
        }
    }

    /// Which step of an operation it is.
    public var step: RequestStep {
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
public struct ProductUpdate: Hashable, Sendable {
    /// The fields to write.
    ///
    /// The profile may have to write more: v2's amount off follows the price.
    public var changed: Set<ProductField>
    /// All managed values as wanted.
    public var desired: ProductValues
    /// What the market showed.
    public var live: ProductValues
    /// The new pictures, where images change in place (v1).
    public var pictures: [Picture]
    /// The picture wanted as thumbnail (v2).
    public var thumbnailImageID: MarketID?
    /// What the market calls pictures that the product has already, by their index in ``pictures``: these are not sent again.
    public var keptPictures: [Int: MarketID] = [:]
    /// Whether the product is given the request's key in the place of the one that it carries.
    public var changesKey = false

    /// A change.
    public init(
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
public enum RequestStep: String, Hashable, Sendable {
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
public enum WriteOutcome: Hashable, Sendable {
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
public struct WriteReply: Hashable, Sendable {
    /// The product as the reply shows it; `nil` where the profile answers without it.
    public var product: LiveProduct?
    /// The delete key or path, as the reply has it.
    public var deleteKey: String?
    /// What an uploaded picture is called, as the reply has it.
    public var reference: String?

    /// A reply.
    public init(product: LiveProduct? = nil, deleteKey: String? = nil, reference: String? = nil) {
        self.product = product
        self.deleteKey = deleteKey
        self.reference = reference
    }
}

/// A reply that rejects the request: it had no effect.
public struct WriteRefusal: Hashable, Sendable {
    /// The category of the rejection.
    public enum Kind: Hashable, Sendable {
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
    public var kind: Kind
    /// The HTTP status.
    public var status: Int
    /// One sentence for people with the market's own words in it, without secrets.
    public var message: String

    /// A rejection.
    public init(_ kind: Kind, status: Int, message: String) {
        self.kind = kind
        self.status = status
        self.message = message
    }
}

/// Why a request may have to be sent again.
public struct WriteTrouble: Hashable, Sendable {
    /// One sentence for people.
    public var message: String
    /// Whether the market asked for less: 429 or 503.
    ///
    /// Slows the whole run.
    public var isOverload: Bool
    /// How long the market asked to wait.
    public var retryAfter: Duration?
    /// Whether time ran out: the market may still be working on it.
    public var isTimeout: Bool

    /// A failure.
    public init(_ message: String, isOverload: Bool = false, retryAfter: Duration? = nil, isTimeout: Bool = false) {
        self.message = message
        self.isOverload = isOverload
        self.retryAfter = retryAfter
        self.isTimeout = isTimeout
    }
}
