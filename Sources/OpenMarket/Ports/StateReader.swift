/// Read access to one market's state.
///
/// Keys match in any Unicode form; the backend stores them in composed form.
package protocol StateReader: Sendable {
    var location: StateLocation { get }

    var scope: MarketScope { get }

    /// The time of the backend's clock, comparable with all times that it stamped.
    var now: Timestamp { get async throws }

    func header() async throws -> StateHeader

    /// The market's products and all operations whose outcome is unknown, as one consistent snapshot.
    func basis() async throws -> StateBasis

    /// The numbers of products and unresolved operations, without reading these.
    func counts() async throws -> StateCounts

    func entry(_ key: String) async throws -> StateEntry?

    /// The keys of all products, without their entries.
    func keys() async throws -> ProductKeys

    /// The market's runs, or only the one with this id; newest first.
    func runs(_ id: RunID?, limit: Int) async throws -> [RunSummary]

    /// Operations and their progress.
    ///
    /// A backend may drop the operations of old runs, and keep only key, action and changes of a succeeded operation.
    func operations(_ selection: OperationSelection) async throws -> [JournalledOperation]

    /// The keys of the operations that succeeded in the runs after `run`; in all runs if it is `nil` or unknown.
    ///
    /// The result is `nil` if the operations of one of these runs are not kept, or it had none.
    func keysDone(since run: RunID?) async throws -> Set<String>?

    /// Products that ``StateSession/recordOrphan(_:of:in:)`` recorded and that were not dropped since.
    func orphans() async throws -> [OrphanedProduct]

    /// The run in progress; `nil` if there is none.
    func runUnderWay() async throws -> RunUnderWay?

    /// Closes the reader; closing a session releases its lease.
    ///
    /// A second call has no effect.
    func close() async
}

extension StateReader {
    /// Whether the location has a state, of this market or of another one.
    package var exists: Bool { get async throws { try await header().exists } }

    package func acceptedDescription() async throws -> ContentDigest? { try await header().acceptedDescription }

    package func movedTo() async throws -> StateLocation? { try await header().movedTo }

    package func snapshot() async throws -> StateSnapshot { try await basis().snapshot }

    /// The product with the first key, by bytes, among those without their own password.
    package func productWithoutPassword() async throws -> MarketID? {
        try await snapshot().entries.values.filter { $0.secret == nil }
            .min { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }?.id
    }

    package func runs(limit: Int = .max) async throws -> [RunSummary] { try await runs(nil, limit: limit) }

    /// `nil` if the run is unknown.
    package func run(_ id: RunID) async throws -> RunSummary? { try await runs(id, limit: 1).first }

    package func operations(of run: RunID) async throws -> [JournalledOperation] {
        try await operations(.ofRun(run))
    }

    package func operations(of run: RunID, troublesFirst limit: Int) async throws -> [JournalledOperation] {
        try await operations(.troubles(run, limit: limit))
    }

    package func history(of key: String, runs: Int = .max) async throws -> [JournalledOperation] {
        try await operations(.onProduct(key.composed, runs: runs))
    }
}

/// A state's data about itself and a market, besides products and runs.
package struct StateHeader: Hashable, Sendable {
    package var exists: Bool
    /// The SHA-256 of the description that the user accepted for this market; `nil` if none was.
    ///
    /// Only ``StateSession/accept(_:)`` sets it: neither a plan nor an exported state contains it.
    package var acceptedDescription: ContentDigest?
    /// The new location of the market's state; `nil` if it has not moved.
    package var movedTo: StateLocation?

    package init(exists: Bool, acceptedDescription: ContentDigest? = nil, movedTo: StateLocation? = nil) {
        self.exists = exists
        self.acceptedDescription = acceptedDescription
        self.movedTo = movedTo
    }
}

/// A selection of a journal's operations, and their order.
package enum OperationSelection: Sendable {
    /// Those of a run, in its order.
    case ofRun(RunID)
    /// At most `limit` of a run's operations, by ``OperationStatus/rank``: failures first.
    ///
    /// Those of one rank are in the run's order.
    case troubles(RunID, limit: Int)
    /// Those on a product in the newest runs that included it, at most `runs` runs; the key is composed.
    ///
    /// The newest run comes first, and in it its last operation.
    case onProduct(String, runs: Int)
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

    /// The operations of ended runs, which the next run resolves.
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
