/// One step from the live catalog to the manifest: the change of one product, and the reason.
///
/// It is self-contained: apply needs nothing else to carry it out, whatever created the plan. It holds no secret.
package struct PlannedOperation: Hashable, Sendable {
    /// The kinds of operations, in the order of execution.
    package enum Action: String, Hashable, Sendable, CaseIterable, Comparable {
        /// Takes a live product under management; sends nothing.
        case adopt
        case create
        case update
        /// Creates a new product, then deletes the old one.
        case replace
        case delete
        /// Removes a product from the state that is gone from the market; sends nothing.
        case forget

        package static func < (left: Action, right: Action) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// The symbol in plans: `+ ~ -/+ - =`; forget shows `-`.
        package var symbol: String {
            switch self {
            case .create: "+"
            case .update: "~"
            case .replace: "-/+"
            case .delete, .forget: "-"
            case .adopt: "="
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

    init(_ create: ListedCreate) {
        storage = .listed(create)
    }
}

// MARK: - Storage

// Nearly all operations of a plan of 100 000 are creates, and most of their data is in the manifest's listings.

extension PlannedOperation {
    private enum Storage: Sendable {
        /// Assembled from its listing on request.
        case listed(ListedCreate)
        /// Indirect, so that a list of operations can be sorted and filtered without copying their contents.
        indirect case whole(Parts)
    }

    struct Parts: Hashable, Sendable {
        var key: String
        var reason: String
        var source: SourceLocation?
        var secret: SecretReference?
        var work: Work
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
                    work: .create(create.product)
                )
            case .whole(let parts): parts
            }
        }
        set { storage = .whole(newValue) }
    }

    package static func == (left: PlannedOperation, right: PlannedOperation) -> Bool { left.parts == right.parts }

    package func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    /// The same operation with its values assembled, for callers that read many of them repeatedly.
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

    /// The description of a product to be created, if it may be in the wrong character set.
    var suspectDescription: String? {
        if case .listed(let create) = storage { return create.suspectDescription }
        guard case .create(let product) = parts.work else { return nil }
        return product.values.description
    }

    /// The reason, as a phrase for messages: "new in the manifest".
    package var reason: String {
        get { if case .listed(let create) = storage { create.reason } else { parts.reason } }
        set { parts.reason = newValue }
    }

    /// The manifest's line; `nil` if the manifest no longer has the product.
    package var source: SourceLocation? {
        get { if case .listed(let create) = storage { create.source } else { parts.source } }
        set { parts.source = newValue }
    }

    /// The source of the product's own password (v1); `nil` uses the market's secret.
    package var secret: SecretReference? {
        get { if case .listed(let create) = storage { create.secret } else { parts.secret } }
        set { parts.secret = newValue }
    }

    package var work: Work {
        get { if case .listed(let create) = storage { .create(create.product) } else { parts.work } }
        set { parts.work = newValue }
    }
}

extension PlannedOperation {
    package var action: Action { isListed ? .create : work.action }
    /// The live product; the old one for a replace, `nil` for a create.
    package var id: MarketID? { isListed ? nil : work.id }
    /// The product's name on the market, or in the manifest if it is to be created; `nil` if it is unknown.
    package var name: String? { if case .listed(let create) = storage { create.name } else { work.name } }
    /// The fields that differ, in the order of ``ProductField``; all managed fields for a create.
    package var changes: [FieldChange] { work.changes }
    package var pictures: [Picture] { if case .listed(let create) = storage { create.pictures } else { work.pictures } }
    package var newProduct: NewProduct? { work.newProduct }
    package var makesProduct: Bool { action == .create || action == .replace }
    package var replacement: Replacement? { isListed ? nil : work.replacement }
    /// The replacement if the old product stays until the new one exists; otherwise `nil`.
    var succession: Replacement? { replacement.flatMap { $0.deletesFirst ? nil : $0 } }

    /// The key that the product carries on the market and that the operation's key replaces; `nil` if it keeps its key.
    package var formerKey: String? {
        guard action == .update, case .update(let update) = work else { return nil }
        return update.formerKey
    }

    /// Whether buyers pay nothing from this operation on, for a product that is new or had a price.
    package var makesFree: Bool {
        if case .listed(let create) = storage { return create.payable == .zero }
        return switch work {
        case .create(let product): product.values.payable == .zero
        case .update(let update): update.outcome.payable == .zero && update.live.payable != .zero
        case .replace(let replacement):
            replacement.product.values.payable == .zero && replacement.live.payable != .zero
        case .adopt, .delete, .forget: false
        }
    }

    private var isListed: Bool { if case .listed = storage { true } else { false } }
}

// Not inlined: with two of these inlined into one function, Swift 6.3.1 fails in its pass CopyPropagation with "Found
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
        }
    }

    /// The live product; the old one for a replace, `nil` for a create.
    @inline(never) var id: MarketID? {
        switch self {
        case .adopt(let entry, _): entry.id
        case .create: nil
        case .update(let update): update.id
        case .replace(let replacement): replacement.id
        case .delete(let deletion): deletion.id
        case .forget(let id, _): id
        }
    }

    /// The product's name on the market, or in the manifest if it is to be created; `nil` if it is unknown.
    @inline(never) var name: String? {
        switch self {
        case .adopt(_, let name), .forget(_, let name): name
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
        case .adopt, .delete, .forget: []
        }
    }

    @inline(never) var pictures: [Picture] {
        switch self {
        case .create(let product): product.pictures
        case .update(let update): update.pictures
        case .replace(let replacement): replacement.product.pictures
        case .adopt, .delete, .forget: []
        }
    }

    /// The product that a create or a replace creates.
    @inline(never) var newProduct: NewProduct? {
        switch self {
        case .create(let product): product
        case .replace(let replacement): replacement.product
        case .adopt, .update, .delete, .forget: nil
        }
    }

    @inline(never) var replacement: PlannedOperation.Replacement? {
        if case .replace(let replacement) = self { replacement } else { nil }
    }
}
