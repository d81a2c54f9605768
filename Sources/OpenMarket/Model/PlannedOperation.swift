/// One step from the live catalog to the manifest: the change of one product, and the reason.
///
/// Apply can carry it out on its own, whatever created the plan. It does not hold secrets.
package struct PlannedOperation: Hashable, Sendable {
    /// In the order of execution.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// Begins to manage a live product, only in the state.
        case adopt
        case create
        case update
        /// Creates a new product, then deletes the old one.
        case replace
        case delete
        /// Removes from the state a product that is gone from the market.
        case forget
        /// Moves a product to another key, only in the state.
        case rename

        /// Whether it changes only the state.
        package var sendsNothing: Bool { self == .adopt || self == .forget || self == .rename }

        /// The symbol in plans: `+ ~ -/+ - = →`; forget shows `-`.
        package var symbol: String {
            switch self {
            case .create: "+"
            case .update: "~"
            case .replace: "-/+"
            case .delete, .forget: "-"
            case .adopt: "="
            case .rename: "→"
            }
        }
    }

    private var storage: Storage

    package init(
        key: String,
        reason: String,
        source: SourceLocation? = nil,
        secret: SecretReference? = nil,
        work: Work
    ) {
        storage = .whole(Parts(key: key, reason: reason, source: source, secret: secret, work: work))
    }

    init(_ listing: Listing, reason: String, source: SourceLocation? = nil, work: Work) {
        self.init(
            key: listing.key,
            reason: reason,
            source: source ?? listing.location(),
            secret: listing.secret?.reference,
            work: work
        )
        if let adjusted = listing.adjusted { parts.adjusted = adjusted }
    }

    init(_ create: ListedCreate) {
        storage = .listed(create)
    }
}

// MARK: - Storage

// Nearly all operations of a plan of 100 000 are creates, whose data is mostly in the manifest's listings.

extension PlannedOperation {
    private enum Storage: Sendable {
        case listed(ListedCreate)
        /// Indirect, so that sorting and filtering operations does not copy their contents.
        indirect case whole(Parts)
    }

    struct Parts: Hashable, Sendable {
        var key: String
        var reason: String
        var source: SourceLocation?
        var secret: SecretReference?
        var work: Work
        var renamedFrom: String?
        var adjusted: AdjustedFields?
    }

    private(set) var parts: Parts {
        get {
            switch storage {
            case .listed(let create):
                Parts(
                    key: create.key,
                    reason: create.reason,
                    source: create.source,
                    secret: create.secret,
                    work: .create(create.product),
                    adjusted: create.adjusted
                )
            case .whole(let parts): parts
            }
        }
        set { storage = .whole(newValue) }
    }

    package static func == (left: PlannedOperation, right: PlannedOperation) -> Bool { left.parts == right.parts }

    package func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    /// The operation with its values assembled, for callers that read many of them repeatedly.
    package var assembled: PlannedOperation {
        guard isListed else { return self }
        var operation = self
        operation.parts = parts
        return operation
    }
}

extension PlannedOperation {
    package var key: String {
        get { if case .listed(let create) = storage { create.key } else { parts.key } }
        set { parts.key = newValue }
    }

    /// The description of a product to create, if it may be in the wrong character set.
    var suspectDescription: String? {
        if case .listed(let create) = storage { return create.suspectDescription }
        guard case .create(let product) = parts.work else { return nil }
        return product.values.description
    }

    /// A phrase for messages: "new in the manifest".
    package var reason: String {
        get { if case .listed(let create) = storage { create.reason } else { parts.reason } }
        set { parts.reason = newValue }
    }

    /// `nil` if the manifest no longer has the product.
    package var source: SourceLocation? {
        get { if case .listed(let create) = storage { create.source } else { parts.source } }
        set { parts.source = newValue }
    }

    /// The reference of the product's own password (v1); `nil` uses the market's secret.
    package var secret: SecretReference? {
        get { if case .listed(let create) = storage { create.secret } else { parts.secret } }
        set { parts.secret = newValue }
    }

    /// The key in the state that the operation's key replaces (`previously`); `nil` if the key stays.
    package var renamedFrom: String? {
        get { if case .listed = storage { nil } else { parts.renamedFrom } }
        set { parts.renamedFrom = newValue }
    }

    /// The place of `adjust`'s changes to fields; `nil` without changes.
    package var adjusted: AdjustedFields? {
        get { if case .listed(let create) = storage { create.adjusted } else { parts.adjusted } }
        set { parts.adjusted = newValue }
    }

    package var work: Work {
        get { if case .listed(let create) = storage { .create(create.product) } else { parts.work } }
        set { parts.work = newValue }
    }
}

extension PlannedOperation {
    package var action: Action { isListed ? .create : work.action }
    /// The live product's ID; the old one's for a replace, `nil` for a create.
    package var id: MarketID? { isListed ? nil : work.id }
    /// The name on the market, or in the manifest for a create; `nil` if unknown.
    package var name: String? { if case .listed(let create) = storage { create.name } else { work.name } }
    /// The fields that differ, in the order of ``ProductField``; all managed fields for a create.
    package var changes: [FieldChange] { work.changes }
    package var pictures: [Picture] { if case .listed(let create) = storage { create.pictures } else { work.pictures } }
    package var newProduct: NewProduct? { work.newProduct }
    /// Whether pictures of a live product are no longer on the market afterwards.
    package var takesPictures: Bool {
        action == .delete || action != .create && changes.contains { $0.field == .images || $0.field == .thumbnail }
    }

    package var makesProduct: Bool { action == .create || action == .replace }
    package var replacement: Replacement? { isListed ? nil : work.replacement }
    package var deletion: Deletion? { if case .delete(let deletion) = work { deletion } else { nil } }
    /// `nil` unless the old product stays until the new one exists.
    var succession: Replacement? { replacement.flatMap { $0.deletesFirst ? nil : $0 } }

    /// The key on the live product that the operation's key replaces; `nil` if the product keeps its key.
    package var formerKey: String? {
        guard action == .update, case .update(let update) = work else { return nil }
        return update.formerKey
    }

    /// Whether the operation sets the price of a new product, or of one with a price, to 0.
    package var makesFree: Bool {
        if case .listed(let create) = storage { return create.payable == .zero }
        return switch work {
        case .create(let product): product.values.payable == .zero
        case .update(let update): update.outcome.payable == .zero && update.live.payable != .zero
        case .replace(let replacement):
            replacement.product.values.payable == .zero && replacement.live.payable != .zero
        case .adopt, .delete, .forget, .rename: false
        }
    }

    private var isListed: Bool { if case .listed = storage { true } else { false } }
}

// Not inlined: if two of these are inlined into one function, Swift 6.3.1 fails in its pass CopyPropagation with "Found
// ownership error".

extension PlannedOperation.Work {
    @inline(never) var action: PlannedOperation.Action {
        switch self {
        case .adopt: .adopt
        case .create: .create
        case .update: .update
        case .replace: .replace
        case .delete: .delete
        case .forget: .forget
        case .rename: .rename
        }
    }

    /// The live product's ID; the old one's for a replace, `nil` for a create.
    @inline(never) var id: MarketID? {
        switch self {
        case .adopt(let entry, _): entry.id
        case .create: nil
        case .update(let update): update.id
        case .replace(let replacement): replacement.id
        case .delete(let deletion): deletion.id
        case .forget(let id, _), .rename(let id, _): id
        }
    }

    /// The name on the market, or in the manifest for a create; `nil` if unknown.
    @inline(never) var name: String? {
        switch self {
        case .adopt(_, let name), .forget(_, let name), .rename(_, let name): name
        case .create(let product): product.values.name
        case .update(let update): update.live.name
        case .replace(let replacement): replacement.live.name
        case .delete(let deletion): deletion.live.name
        }
    }

    /// The fields that differ, in the order of ``ProductField``; all managed fields for a create.
    @inline(never) var changes: [FieldChange] {
        switch self {
        case .create(let product): product.changes
        case .update(let update): update.changes
        case .replace(let replacement): replacement.changes
        case .adopt, .delete, .forget, .rename: []
        }
    }

    @inline(never) var pictures: [Picture] {
        switch self {
        case .create(let product): product.pictures
        case .update(let update): update.pictures
        case .replace(let replacement): replacement.product.pictures
        case .adopt, .delete, .forget, .rename: []
        }
    }

    @inline(never) var newProduct: NewProduct? {
        switch self {
        case .create(let product): product
        case .replace(let replacement): replacement.product
        case .adopt, .update, .delete, .forget, .rename: nil
        }
    }

    @inline(never) var replacement: PlannedOperation.Replacement? {
        if case .replace(let replacement) = self { replacement } else { nil }
    }
}
