/// The right to change one market's state, and the changes.
///
/// Each method is one transaction, durable when it returns: it takes effect completely or not at all. The backend
/// stamps the times. A session whose lease another one has taken changes nothing any more: its methods throw
/// ``StateError/Code/superseded``.
package protocol StateSession: StateReader {
    /// The session's number, and the end of its validity.
    var lease: StateLease { get async throws }

    /// The remaining time in which requests to the market may be sent and be in progress; `nil` if only the process's
    /// life limits it.
    ///
    /// It is measured from before the request for the last acknowledged renewal, on a clock of this machine that
    /// continues while the process is paused. It is shorter than the lease, and a session that takes over waits for the
    /// rest. It is computed without the backend, so callers can check it right before each request.
    var timeToSend: Duration? { get }

    /// Waits until the session is ordered to send nothing more, or has ended, and returns the reason; `nil` if the
    /// calling task was cancelled.
    func waitForStop() async -> String?

    // MARK: - Changes without a request

    /// Changes the state; throws ``StateError/Code/conflict`` if a rename would overwrite another product.
    func apply(_ mutations: [StateMutation]) async throws

    /// Stores that the user accepts a description of this market, in place of an earlier one.
    func accept(_ description: ContentDigest) async throws

    // MARK: - Moving to another state

    /// Copies everything that another state knows of the market into this one, with unchanged times.
    ///
    /// It throws ``StateError/Code/conflict`` if this state already has products or runs of the market.
    func fill(with archive: StateArchive) async throws

    /// Records that the market's state continues elsewhere: it cannot be held here any more.
    func retire(to location: StateLocation) async throws

    // MARK: - The journal

    /// Opens a run and records all its operations as intended, before any request is sent.
    ///
    /// It offers the chunks to all sessions that take part, including this one. Operations that are in no chunk are
    /// carried out by this session. It throws ``StateError/Code/conflict`` if the name is taken.
    func begin(_ run: RunRecord, operations: [PlannedOperation], chunks: [RunChunk]) async throws

    /// Writes facts in their order, each together with its state changes, and returns whether to continue.
    ///
    /// Many callers may share a commit. The facts of an operation are numbered from 1. The next number is written, and
    /// a fact that exists already counts as the same call repeated and changes nothing. Any other number is a
    /// ``StateError/Code/conflict``, because another session has written about the operation. A caller that is ordered
    /// to stop sends nothing more, including the request of a fact, and still records the outcomes of its operations.
    ///
    /// If it throws, facts may be written up to some point, and none after it.
    func record(_ events: [JournalEvent]) async throws -> StateDirectives

    /// Closes a run.
    ///
    /// Operations without a known outcome stay unresolved. If other sessions take part in the run, this one only leaves
    /// it, and the last one closes it with the totals of all. The run counts as interrupted if it was for any of them.
    /// If it was stopped, operations without a fact are recorded as skipped. It throws ``StateError/Code/conflict`` if
    /// the run is unknown.
    func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws

    // MARK: - Runs that several sessions share

    /// The longest time for which an ended session may continue to send, by its own clock; `nil` if no other session
    /// may take part in a run that this one begins.
    ///
    /// A session that continues its work first waits for that time, on its own clock.
    var takeoverDelay: Duration? { get }

    /// Takes the next chunk of the session's run, or returns why there is none.
    ///
    /// The next chunk is the first one, in the first unfinished phase, that belongs to no session or to an ended one.
    /// Otherwise it is a finished chunk whose session was lost before it resolved its unknown outcomes. The call ends
    /// sessions whose leases have expired.
    func claim() async throws -> RunClaim

    /// Records the session's progress with one of its chunks.
    func finish(_ chunk: Int, as progress: ChunkProgress) async throws

    /// Gives an order to all sessions of a run, including this one.
    func order(_ order: RunOrder, in run: RunID) async throws

    /// Records a product that an operation created although this session has ended and may not record the create: no
    /// key refers to the product.
    ///
    /// An ended session may call it.
    func recordOrphan(_ product: MarketID, of sequence: Int, in run: RunID) async throws

    /// Forgets products that ``recordOrphan(_:of:in:)`` recorded, because they are gone or belong to a key.
    func dropOrphans(_ products: [MarketID]) async throws
}

extension StateSession {
    /// No limit until the end of the process.
    package var timeToSend: Duration? { nil }

    /// The default for backends that give no orders of their own: waits until the task is cancelled.
    package func waitForStop() async -> String? {
        for await _ in AsyncStream<Never>.makeStream().stream {}
        return nil
    }

    package func record(_ event: JournalEvent) async throws -> StateDirectives { try await record([event]) }

    package func begin(_ run: RunRecord, operations: [PlannedOperation]) async throws {
        try await begin(run, operations: operations, chunks: [])
    }

    /// Whether other sessions may take part in a run that this one begins.
    package var sharesRuns: Bool { takeoverDelay != nil }
}

// Changes by hand. The session holds the market alone, so what it reads stays true until it writes.
extension StateSession {
    /// Removes a product from the state, and returns its entry.
    ///
    /// It throws ``StateError/Code/conflict`` if the key is unknown, and ``StateError/Code/unresolved`` if an operation
    /// on it is unresolved.
    @discardableResult
    package func forget(_ key: String) async throws -> StateEntry {
        let key = key.composed
        guard let entry = try await entry(key) else { throw StateError.unknownKey(key) }
        try await requireSettled([key])
        try await apply([.remove(key: key)])
        return entry
    }

    /// Moves a product to another key.
    ///
    /// It throws ``StateError/Code/conflict`` if the old key is unknown or the new one is taken, and
    /// ``StateError/Code/unresolved`` if an operation on either is unresolved.
    package func move(from old: String, to new: String) async throws {
        let (old, new) = (old.composed, new.composed)
        guard try await entry(old) != nil else { throw StateError.unknownKey(old) }
        guard old != new else { return }
        try await requireSettled([old, new])
        try await apply([.rename(from: old, to: new)])
    }

    /// Replaces all known products.
    ///
    /// A `vendorID` of `nil` keeps the known one. It throws ``StateError/Code/conflict`` if known products would be
    /// lost without `overwriting`, and ``StateError/Code/unresolved`` if any operation is unresolved.
    package func replace(with entries: [StateEntry], vendorID: Int64?, overwriting: Bool) async throws {
        let basis = try await basis()
        let present = basis.snapshot.entries
        guard present.isEmpty || overwriting else { throw StateError.wouldOverwrite(present.count) }
        if let open = basis.unresolved.first { throw StateError.unresolved(open.operation.key, open.run) }
        let kept = Set(entries.map(\.key))
        let gone = present.values.map(\.key).filter { !kept.contains($0) }
        let vendor = vendorID.map { [StateMutation.vendor($0)] } ?? []
        try await apply(gone.map(StateMutation.remove) + entries.map(StateMutation.put) + vendor)
    }

    /// Requires that no operation on these keys is unresolved, because its outcome will be written under its key.
    private func requireSettled(_ keys: [String]) async throws {
        for key in keys {
            for done in try await operations(.onProduct(key, runs: .max))
            where OperationStatus.unresolved.contains(done.status) {
                throw StateError.unresolved(key, done.run)
            }
        }
    }
}

/// An order to all sessions of a run.
package enum RunOrder: Sendable {
    /// Send nothing more; the first reason is kept.
    case stop(String)
    /// Begin, all together, at most one writing request per interval; the longest interval is kept.
    case limit(Duration)
    /// Send the market nothing for a while, because the market requested that.
    case pause(Duration)
}

/// The number of a session of a market's state, and the end of its validity.
package struct StateLease: Hashable, Sendable {
    /// Greater than the numbers of all earlier sessions of the market.
    package var number: Int64
    /// When another session may take over, on the backend's clock; each use before then extends it.
    ///
    /// It is `nil` if only closing the session, or the end of its process, frees the state.
    package var deadline: Timestamp?

    package init(number: Int64, deadline: Timestamp?) {
        self.number = number
        self.deadline = deadline
    }
}

/// A backend's reply to a fact.
package struct StateDirectives: Hashable, Sendable {
    /// Why nothing more may be sent; `nil` to continue.
    package var stop: String?
    /// How long the market requested a pause, from another session of the run; zero for none.
    var pause: Duration
    /// The number of sessions that work on the market, including this one; at least 1.
    ///
    /// They share the rate.
    var peers: Int
    /// The interval in which all of them together begin at most one writing request; zero for no limit.
    var interval: Duration

    package init(stop: String? = nil, pause: Duration = .zero, peers: Int = 1, interval: Duration = .zero) {
        self.stop = stop
        self.pause = pause
        self.peers = max(1, peers)
        self.interval = interval
    }

    package static let proceed = StateDirectives()

    package static func stop(_ reason: String) -> StateDirectives { StateDirectives(stop: reason) }
}
