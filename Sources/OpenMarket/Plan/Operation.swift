/// One step from the live catalog to the manifest: what to do to one product, and why.
///
/// Complete by itself: apply needs nothing else to carry it out, however the plan came to be. Holds no secret.
public struct Operation: Hashable, Sendable, Codable {
    /// The kind of the operation.
    ///
    /// The order of the cases is the order of execution.
    public enum Action: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
        /// Take a live product under management; sends nothing.
        case adopt
        /// Make a new product.
        case create
        /// Change fields of a product in place.
        case update
        /// Make a new product, then delete the old one.
        case replace
        /// Delete a product.
        case delete
        /// Drop a product from the state that is gone from the market; sends nothing.
        case forget

        /// By order of execution.
        public static func < (left: Action, right: Action) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// The sign that plans show: `+ ~ -/+ - =`; forgetting shows `-`.
        public var symbol: String {
            switch self {
            case .create: "+"
            case .update: "~"
            case .replace: "-/+"
            case .delete, .forget: "-"
            case .adopt: "="
            }
        }
    }

    /// The kind of the operation.
    public var action: Action
    /// The manifest's name for the product.
    public var key: String
    /// The live product.
    ///
    /// `nil` for a create. For a replace, the old one.
    public var id: ProductID?
    /// The reason, as a phrase for messages: "new in the manifest".
    public var reason: String
    /// The manifest's line; `nil` when the manifest no longer names the product.
    public var source: SourceLocation?
    /// The fields that differ, in the order of ``ProductField``.
    ///
    /// All managed fields for a create.
    public var changes: [FieldChange]
    /// All managed values as the manifest wants them; empty for delete and forget.
    public var desired: ProductValues
    /// For a replace: fields of `desired` that only move over from the old product because they are not managed,
    /// ignored, or drift that is kept.
    ///
    /// What the state remembers of them stays as it was.
    public var carriedOver: [ProductField]
    /// Fields of `desired` whose changes on the market are ignored, so that one that moved since the plan was
    /// made does not make it stale.
    public var ignored: [ProductField]
    /// The values that the market showed when the plan was made; empty for a create.
    public var live: ProductValues
    /// The picture files behind `desired.images` where they are to be sent: create, replace, and an update of images.
    public var pictures: [Picture]
    /// For an update of the thumbnail: the market's number of the picture wanted (v2).
    public var thumbnailImageID: Int64?
    /// What the state will know of the product without a request: for adopt.
    public var entry: StateEntry?
    /// How to find the product's own password (v1); `nil` uses the market's secret.
    public var secret: SecretReference?
    /// Whether the manifest protects the product; remembered in the state.
    public var isProtected: Bool

    /// An operation.
    public init(
        action: Action,
        key: String,
        id: ProductID? = nil,
        reason: String,
        source: SourceLocation? = nil,
        changes: [FieldChange] = [],
        desired: ProductValues = ProductValues(),
        carriedOver: [ProductField] = [],
        ignored: [ProductField] = [],
        live: ProductValues = ProductValues(),
        pictures: [Picture] = [],
        thumbnailImageID: Int64? = nil,
        entry: StateEntry? = nil,
        secret: SecretReference? = nil,
        isProtected: Bool = false
    ) {
        self.action = action
        self.key = key
        self.id = id
        self.reason = reason
        self.source = source
        self.changes = changes
        self.desired = desired
        self.carriedOver = carriedOver
        self.ignored = ignored
        self.live = live
        self.pictures = pictures
        self.thumbnailImageID = thumbnailImageID
        self.entry = entry
        self.secret = secret
        self.isProtected = isProtected
    }

    /// The fields that differ.
    public var changedFields: Set<ProductField> { Set(changes.map(\.field)) }
}

extension Operation {
    /// Reads an operation, those of plans that were saved when there was no ``ignored`` included.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            action: try container.decode(Action.self, forKey: .action),
            key: try container.decode(String.self, forKey: .key),
            id: try container.decodeIfPresent(ProductID.self, forKey: .id),
            reason: try container.decode(String.self, forKey: .reason),
            source: try container.decodeIfPresent(SourceLocation.self, forKey: .source),
            changes: try container.decode([FieldChange].self, forKey: .changes),
            desired: try container.decode(ProductValues.self, forKey: .desired),
            carriedOver: try container.decode([ProductField].self, forKey: .carriedOver),
            ignored: try container.decodeIfPresent([ProductField].self, forKey: .ignored) ?? [],
            live: try container.decode(ProductValues.self, forKey: .live),
            pictures: try container.decode([Picture].self, forKey: .pictures),
            thumbnailImageID: try container.decodeIfPresent(Int64.self, forKey: .thumbnailImageID),
            entry: try container.decodeIfPresent(StateEntry.self, forKey: .entry),
            secret: try container.decodeIfPresent(SecretReference.self, forKey: .secret),
            isProtected: try container.decode(Bool.self, forKey: .isProtected)
        )
    }
}
