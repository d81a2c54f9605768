/// One step from the live catalog to the manifest: what to do to one product, and why.
///
/// Complete by itself: apply needs nothing else to carry it out, however the plan came to be. Holds no secret.
public struct PlannedOperation: Hashable, Sendable {
    /// The kinds of operations.
    ///
    /// The order of the cases is the order of execution.
    public enum Action: String, Hashable, Sendable, CaseIterable, Comparable {
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

    /// The manifest's name for the product.
    public var key: String
    /// The reason, as a phrase for messages: "new in the manifest".
    public var reason: String
    /// The manifest's line; `nil` when the manifest no longer names the product.
    public var source: SourceLocation?
    /// How to find the product's own password (v1); `nil` uses the market's secret.
    public var secret: SecretReference?
    /// What is done, with all that it takes.
    public var work: Work

    /// An operation.
    public init(
        key: String,
        reason: String,
        source: SourceLocation? = nil,
        secret: SecretReference? = nil,
        work: Work
    ) {
        self.key = key
        self.reason = reason
        self.source = source
        self.secret = secret
        self.work = work
    }
}

/// What its work can be asked.
extension PlannedOperation {
    /// The kind of the operation.
    public var action: Action { work.action }
    /// The live product, for a replace the old one, for a create none.
    public var id: ProductID? { work.id }
    /// What the product is called: on the market, or by the manifest where it is to be made; `nil` where nobody knows.
    public var name: String? { work.name }
    /// The fields that differ, in the order of ``ProductField``; all managed fields for a create.
    public var changes: [FieldChange] { work.changes }
    /// The picture files to be sent.
    public var pictures: [Picture] { work.pictures }
    /// The product that it makes: for a create and a replace.
    public var newProduct: NewProduct? { work.newProduct }
    /// What a replace does; `nil` for all others.
    public var replacement: Replacement? { work.replacement }
}

// Not inlined: with two of these inlined into one function, Swift 6.3.1 stops in its pass CopyPropagation with "Found
// ownership error".

/// What every kind of work can be asked.
extension PlannedOperation.Work {
    /// The kind of the operation.
    @inline(never) public var action: PlannedOperation.Action {
        switch self {
        case .adopt: .adopt
        case .create: .create
        case .update: .update
        case .replace: .replace
        case .delete: .delete
        case .forget: .forget
        }
    }

    /// The live product.
    ///
    /// `nil` for a create. For a replace, the old one.
    @inline(never) public var id: ProductID? {
        switch self {
        case .adopt(let entry, _): entry.id
        case .create: nil
        case .update(let update): update.id
        case .replace(let replacement): replacement.id
        case .delete(let deletion): deletion.id
        case .forget(let id, _): id
        }
    }

    /// What the product is called: on the market, or by the manifest where it is to be made.
    ///
    /// `nil` where nobody knows.
    @inline(never) public var name: String? {
        switch self {
        case .adopt(_, let name), .forget(_, let name): name
        case .create(let product): product.values.name
        case .update(let update): update.live.name
        case .replace(let replacement): replacement.live.name
        case .delete(let deletion): deletion.live.name
        }
    }

    /// The fields that differ, in the order of ``ProductField``; all managed fields for a create.
    @inline(never) public var changes: [FieldChange] {
        switch self {
        case .create(let product): product.changes
        case .update(let update): update.changes
        case .replace(let replacement): replacement.changes
        case .adopt, .delete, .forget: []
        }
    }

    /// The picture files to be sent.
    @inline(never) public var pictures: [Picture] {
        switch self {
        case .create(let product): product.pictures
        case .update(let update): update.pictures
        case .replace(let replacement): replacement.product.pictures
        case .adopt, .delete, .forget: []
        }
    }

    /// The product that it makes: for a create and a replace.
    @inline(never) public var newProduct: NewProduct? {
        switch self {
        case .create(let product): product
        case .replace(let replacement): replacement.product
        case .adopt, .update, .delete, .forget: nil
        }
    }

    /// What a replace does; `nil` for all others.
    @inline(never) public var replacement: PlannedOperation.Replacement? {
        if case .replace(let replacement) = self { replacement } else { nil }
    }
}
