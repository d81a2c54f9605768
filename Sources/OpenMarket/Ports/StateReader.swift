/// One market's state, for reading.
///
/// Keys are found in any Unicode form; the backend stores them in composed form.
package protocol StateReader: Sendable {
    var location: StateLocation { get }

    var scope: MarketScope { get }

    /// Whether the location has a state, of this market or of another one.
    var exists: Bool { get async throws }

    /// The time of the backend's clock, comparable with all times that it stamped.
    var now: Timestamp { get async throws }

    /// The SHA-256 of the description that the user accepted for this market; `nil` if none was.
    ///
    /// Only ``StateSession/accept(_:)`` sets it: neither a plan nor an exported state contains it.
    func acceptedDescription() async throws -> ContentDigest?

    /// The location where the market's state continues; `nil` if it has not moved.
    func movedTo() async throws -> StateLocation?

    func snapshot() async throws -> StateSnapshot

    /// The market's products and all operations whose outcome is unknown, as one consistent snapshot.
    func basis() async throws -> StateBasis

    /// The numbers of products and unresolved operations, without reading these.
    func counts() async throws -> StateCounts

    func entry(_ key: String) async throws -> StateEntry?

    /// The product with the first key, by bytes, among those without their own password.
    func productWithoutPassword() async throws -> MarketID?

    /// The keys of all products, without their entries.
    func keys() async throws -> ProductKeys

    /// The market's runs, the newest first.
    func runs(limit: Int) async throws -> [RunSummary]

    /// One of the market's runs; `nil` if it is unknown.
    func run(_ id: RunID) async throws -> RunSummary?

    /// The operations of a run and their progress, in its order.
    ///
    /// A backend need not keep the operations of old runs, and of a succeeded operation only key, action and changes.
    func operations(of run: RunID) async throws -> [JournalledOperation]

    /// At most `limit` of a run's operations, by ``OperationStatus/rank``: failures first.
    ///
    /// Those of one rank are in the run's order.
    func operations(of run: RunID, troublesFirst limit: Int) async throws -> [JournalledOperation]

    /// The operations on a product in the newest runs that included it, at most `runs` of them.
    ///
    /// The newest run comes first, and in it its last operation.
    func history(of key: String, runs: Int) async throws -> [JournalledOperation]

    /// The keys of the operations that succeeded in the runs after a given one; in all runs if `run` is `nil` or
    /// unknown.
    ///
    /// The result is `nil` if the operations of one of these runs are not kept, or it had none.
    func keysDone(since run: RunID?) async throws -> Set<String>?

    /// Products that sessions created after their end, and that were not dropped since.
    func orphans() async throws -> [OrphanedProduct]

    /// The run that sessions carry out at present; `nil` if there is none.
    func runUnderWay() async throws -> RunUnderWay?

    /// Closes the reader; closing a session frees the state for the next one.
    ///
    /// A second call does nothing.
    func close() async
}

/// A market's products and unresolved operations at one moment.
package struct StateBasis: Sendable {
    package var snapshot: StateSnapshot
    /// All operations whose outcome is unknown, in the order of their runs, including runs in progress.
    ///
    /// They are `sent`, `unknown`, or stopped between two steps.
    package var unresolved: [UnresolvedOperation]
    /// The time of the snapshot, on the backend's clock.
    var now: Timestamp

    package init(
        snapshot: StateSnapshot,
        unresolved: [UnresolvedOperation],
        now: Timestamp
    ) {
        self.snapshot = snapshot
        self.unresolved = unresolved
        self.now = now
    }

    /// The operations of runs that have ended: the next run has to find out their outcomes.
    var leftOver: [UnresolvedOperation] { unresolved.filter { !$0.isUnderWay } }
}

package struct StateCounts: Hashable, Sendable {
    var products: Int
    /// The number of operations whose outcome is unknown, including runs in progress.
    package var unresolved: Int

    package init(products: Int, unresolved: Int) {
        self.products = products
        self.unresolved = unresolved
    }
}
