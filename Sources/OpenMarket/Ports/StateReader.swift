/// One market's state, to be read.
///
/// Keys are found in any Unicode form; the backend keeps them in composed form.
public protocol StateReader: Sendable {
    /// Where the state is.
    var location: StateLocation { get }

    /// The market.
    var scope: MarketScope { get }

    /// Whether there is a state at the location at all, of this market or of another one.
    var exists: Bool { get async throws }

    /// The time of the backend's clock, with which all times that it stamped compare.
    var now: Timestamp { get async throws }

    /// The SHA-256 of the description that whoever runs the program accepted for this market; `nil` where none was.
    ///
    /// Only ``StateSession/accept(_:)`` says it: neither a plan nor an exported state brings it along.
    func acceptedDescription() async throws -> ContentDigest?

    /// Everything known of the market's products.
    func snapshot() async throws -> StateSnapshot

    /// What is known of one product.
    func entry(_ key: String) async throws -> StateEntry?

    /// The keys of all products, without what else is known of them.
    func keys() async throws -> ProductKeys

    /// Operations of runs that no longer go on whose outcome is not known: `sent`, `unknown`, or stopped between two
    /// steps.
    func unresolved() async throws -> [UnresolvedOperation]

    /// What settling creates has to know, of one moment.
    func settlementBasis() async throws -> SettlementBasis

    /// The market's runs, the newest first.
    func runs(limit: Int) async throws -> [RunSummary]

    /// What a run was to do and how far it came, in its order.
    ///
    /// A backend need not keep the operations of old runs, nor of an operation that succeeded more than key, action and
    /// changes.
    func operations(of run: RunID) async throws -> [JournalledOperation]

    /// What runs did to a product, the newest run first.
    func history(of key: String) async throws -> [JournalledOperation]

    /// Products that sessions made after their end, and that were not dropped since.
    func orphans() async throws -> [OrphanedProduct]

    /// The run that sessions carry out at this moment; `nil` where none does.
    func runUnderWay() async throws -> RunUnderWay?

    /// Closes it; closing a session makes room for the next one. Does nothing the second time.
    func close() async
}

/// What settling creates without reply has to know of a market's whole state, whoever is at work there.
public struct SettlementBasis: Sendable {
    /// What is known of the market's products: their ids are taken.
    public var snapshot: StateSnapshot
    /// All operations whose outcome is not known, those of runs under way included.
    public var unresolved: [UnresolvedOperation]
    /// The moment, on the backend's clock.
    public var now: Timestamp

    /// A moment.
    public init(snapshot: StateSnapshot, unresolved: [UnresolvedOperation], now: Timestamp) {
        self.snapshot = snapshot
        self.unresolved = unresolved
        self.now = now
    }
}
