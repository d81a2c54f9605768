/// One market's state, to be read.
///
/// Keys are found in any Unicode form; the backend keeps them in composed form.
package protocol StateReader: Sendable {
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

    /// Where the market's state goes on; `nil` where it does here.
    func movedTo() async throws -> StateLocation?

    /// Everything known of the market's products.
    func snapshot() async throws -> StateSnapshot

    /// Everything known of the market's products, and all operations whose outcome is not known, of one moment.
    func basis() async throws -> StateBasis

    /// How much there is of either, without reading it.
    func counts() async throws -> StateCounts

    /// What is known of one product.
    func entry(_ key: String) async throws -> StateEntry?

    /// The product of the first key, by the bytes of the keys, among those without a password of their own.
    func productWithoutPassword() async throws -> MarketID?

    /// The keys of all products, without what else is known of them.
    func keys() async throws -> ProductKeys

    /// The market's runs, the newest first.
    func runs(limit: Int) async throws -> [RunSummary]

    /// One of the market's runs; `nil` where it is not known.
    func run(_ id: RunID) async throws -> RunSummary?

    /// What a run was to do and how far it came, in its order.
    ///
    /// A backend need not keep the operations of old runs, nor of an operation that succeeded more than key, action and
    /// changes.
    func operations(of run: RunID) async throws -> [JournalledOperation]

    /// As many of a run's operations, by ``OperationStatus/rank``: what went wrong first. Those of one rank come in the
    /// run's order.
    func operations(of run: RunID, troublesFirst limit: Int) async throws -> [JournalledOperation]

    /// What the newest runs that were about a product did to it, the newest run first, and its last operation first.
    ///
    /// - Parameters:
    ///   - key: The product's key.
    ///   - runs: Of how many runs at most.
    /// - Returns: The operations.
    /// - Throws: ``StateError``.
    func history(of key: String, runs: Int) async throws -> [JournalledOperation]

    /// The keys of the operations that succeeded in the runs after a given one; in all runs where that is not known.
    ///
    /// - Parameter run: The run; `nil` for all runs.
    /// - Returns: The keys; `nil` where the operations of one of these runs are not kept, or it had none.
    /// - Throws: ``StateError``.
    func keysDone(since run: RunID?) async throws -> Set<String>?

    /// Products that sessions made after their end, and that were not dropped since.
    func orphans() async throws -> [OrphanedProduct]

    /// The run that sessions carry out at this moment; `nil` where none does.
    func runUnderWay() async throws -> RunUnderWay?

    /// Closes it; closing a session makes room for the next one. Does nothing the second time.
    func close() async
}

/// What is known of a market's products, and what is not known of its operations, at one moment.
package struct StateBasis: Sendable {
    /// What is known of the market's products.
    package var snapshot: StateSnapshot
    /// All operations whose outcome is not known, in the order of their runs, those of runs under way included.
    ///
    /// They are `sent`, `unknown`, or stopped between two steps.
    package var unresolved: [UnresolvedOperation]
    /// The moment, on the backend's clock.
    var now: Timestamp

    /// A moment.
    package init(
        snapshot: StateSnapshot,
        unresolved: [UnresolvedOperation],
        now: Timestamp
    ) {
        self.snapshot = snapshot
        self.unresolved = unresolved
        self.now = now
    }

    /// Those of runs that no longer go on: it is left to whoever comes next to find out what became of them.
    var leftOver: [UnresolvedOperation] { unresolved.filter { !$0.isUnderWay } }
}

/// How much a state holds.
package struct StateCounts: Hashable, Sendable {
    /// How many products are managed.
    var products: Int
    /// How many operations there are whose outcome is not known, those of runs under way included.
    package var unresolved: Int

    /// So much.
    package init(products: Int, unresolved: Int) {
        self.products = products
        self.unresolved = unresolved
    }
}
