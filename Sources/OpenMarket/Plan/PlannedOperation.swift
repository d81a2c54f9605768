/// One step from the live catalog to the manifest: what to do to one product, and why.
///
/// Complete by itself: apply needs nothing else to carry it out, however the plan came to be. Holds no secret.
package struct PlannedOperation: Hashable, Sendable {
    /// The kinds of operations.
    ///
    /// The order of the cases is the order of execution.
    package enum Action: String, Hashable, Sendable, CaseIterable, Comparable {
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
        package static func < (left: Action, right: Action) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// The sign that plans show: `+ ~ -/+ - =`; forgetting shows `-`.
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

    /// An operation.
    package init(
        key: String,
        reason: String,
        source: SourceLocation? = nil,
        secret: SecretReference? = nil,
        work: Work
    ) {
        storage = .whole(Parts(key: key, reason: reason, source: source, secret: secret, work: work))
    }

    /// The create of a product that is listed.
    init(_ create: ListedCreate) {
        storage = .listed(create)
    }
}

// MARK: - Storage

// Nearly all operations of a plan of 100 000 are creates, and most of what they hold is in the manifest's listings.

extension PlannedOperation {
    /// What an operation is made of.
    private enum Storage: Sendable {
        /// What is put together from its listing when it is asked for.
        case listed(ListedCreate)
        /// On the heap, so that a list of operations can be sorted and filtered without copying what they hold.
        indirect case whole(Parts)
    }

    /// All of an operation.
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

    /// Compares what is to be done, however it is held.
    package static func == (left: PlannedOperation, right: PlannedOperation) -> Bool { left.parts == right.parts }

    /// Hashes what is to be done, however it is held.
    package func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    /// The same, with its values put together: for whoever asks for many of them, many times.
    package var assembled: PlannedOperation {
        guard isListed else { return self }
        var operation = self
        operation.parts = parts
        return operation
    }
}

extension PlannedOperation {
    /// The manifest's name for the product.
    package var key: String {
        get { if case .listed(let create) = storage { create.key } else { parts.key } }
        set { parts.key = newValue }
    }

    /// The description of a product to be made, where it may be in the wrong character set.
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

    /// The manifest's line; `nil` when the manifest no longer names the product.
    package var source: SourceLocation? {
        get { if case .listed(let create) = storage { create.source } else { parts.source } }
        set { parts.source = newValue }
    }

    /// How to find the product's own password (v1); `nil` uses the market's secret.
    package var secret: SecretReference? {
        get { if case .listed(let create) = storage { create.secret } else { parts.secret } }
        set { parts.secret = newValue }
    }

    /// What is done, with all that it takes.
    package var work: Work {
        get { if case .listed(let create) = storage { .create(create.product) } else { parts.work } }
        set { parts.work = newValue }
    }
}

/// What its work can be asked.
extension PlannedOperation {
    /// The kind of the operation.
    package var action: Action { isListed ? .create : work.action }
    /// The live product, for a replace the old one, for a create none.
    package var id: MarketID? { isListed ? nil : work.id }
    /// What the product is called: on the market, or by the manifest where it is to be made; `nil` where that is not known.
    package var name: String? { if case .listed(let create) = storage { create.name } else { work.name } }
    /// The fields that differ, in the order of ``ProductField``; all managed fields for a create.
    package var changes: [FieldChange] { work.changes }
    /// The picture files to be sent.
    package var pictures: [Picture] { if case .listed(let create) = storage { create.pictures } else { work.pictures } }
    /// The product that it makes: for a create and a replace.
    package var newProduct: NewProduct? { work.newProduct }
    /// Whether it makes a product: a create and a replace do.
    package var makesProduct: Bool { action == .create || action == .replace }
    /// What a replace does; `nil` for all others.
    package var replacement: Replacement? { isListed ? nil : work.replacement }
    /// What a replace does whose old product stays until the new one exists; `nil` for all others.
    var succession: Replacement? { replacement.flatMap { $0.deletesFirst ? nil : $0 } }

    /// The key that the product carries on the market and that gives way to the operation's; `nil` where it keeps what it carries.
    package var formerKey: String? {
        guard action == .update, case .update(let update) = work else { return nil }
        return update.formerKey
    }

    private var isListed: Bool { if case .listed = storage { true } else { false } }
}

// Not inlined: with two of these inlined into one function, Swift 6.3.1 stops in its pass CopyPropagation with "Found
// ownership error".

/// What every kind of work can be asked.
extension PlannedOperation.Work {
    /// The kind of the operation.
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

    /// The live product.
    ///
    /// `nil` for a create. For a replace, the old one.
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

    /// What the product is called: on the market, or by the manifest where it is to be made.
    ///
    /// `nil` where that is not known.
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

    /// The picture files to be sent.
    @inline(never) var pictures: [Picture] {
        switch self {
        case .create(let product): product.pictures
        case .update(let update): update.pictures
        case .replace(let replacement): replacement.product.pictures
        case .adopt, .delete, .forget: []
        }
    }

    /// The product that it makes: for a create and a replace.
    @inline(never) var newProduct: NewProduct? {
        switch self {
        case .create(let product): product
        case .replace(let replacement): replacement.product
        case .adopt, .update, .delete, .forget: nil
        }
    }

    /// What a replace does; `nil` for all others.
    @inline(never) var replacement: PlannedOperation.Replacement? {
        if case .replace(let replacement) = self { replacement } else { nil }
    }
}
