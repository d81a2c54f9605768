/// Exclusive write access to one market's state.
///
/// Each method is one transaction: it takes effect completely or not at all, and is durable when it returns. The
/// backend stamps the times. If another session has taken the lease, methods leave the state unchanged and throw
/// ``StateError/Code/superseded``.
package protocol StateSession: StateReader {
    var lease: StateLease { get async throws }

    /// The remaining time for sent and pending requests to the market; `nil` if only the process's life limits it.
    ///
    /// It counts from just before the last acknowledged renewal was requested, on a clock of this machine that
    /// continues while the process is suspended. It is shorter than the lease, and a session that takes over waits for
    /// the rest. It is read without a call to the backend, so callers check it before each request.
    var timeToSend: Duration? { get }

    /// Waits until the session is ordered to stop sending, or has ended, and returns the reason; `nil` if the calling
    /// task was cancelled.
    func waitForStop() async -> String?

    // MARK: - Changes without a request

    /// Throws ``StateError/Code/conflict`` if a rename would overwrite another product.
    func apply(_ mutations: [StateMutation]) async throws

    /// Stores the description of this market that the user accepts, and replaces an earlier one.
    func accept(_ description: ContentDigest) async throws

    // MARK: - Moving to another state

    /// Copies all data of the market from another state into this one, with unchanged times.
    ///
    /// It throws ``StateError/Code/conflict`` if this state already has products or runs of the market.
    func fill(with archive: StateArchive) async throws

    /// Records that the market's state moved to `location`; it cannot be held here any more.
    func retire(to location: StateLocation) async throws

    // MARK: - The journal

    /// Opens a run and records all its operations as intended, before any request is sent.
    ///
    /// All sessions that take part, including this one, may claim the chunks. Only this session applies operations that
    /// are in no chunk. It throws ``StateError/Code/conflict`` if the name is taken.
    func begin(_ run: RunRecord, operations: [PlannedOperation], chunks: [RunChunk]) async throws

    /// Writes facts in their order, each together with its state changes, and returns the backend's directives.
    ///
    /// Many callers may share a commit. The facts of an operation are numbered from 1. A fact with the next number is
    /// written; one that exists already counts as a repeated call and is not written again. Any other number is a
    /// ``StateError/Code/conflict``, because another session has written about the operation.
    ///
    /// A caller that is ordered to stop stops sending, including the request of a fact. It still records the outcomes
    /// of its operations.
    ///
    /// If it throws, facts may be written up to some point, and none after it.
    func record(_ events: [JournalEvent]) async throws -> StateDirectives

    /// Closes a run.
    ///
    /// Operations without a known outcome stay unresolved. If other sessions take part in the run, this one only leaves
    /// it; the last one closes it with the totals of all. The run counts as interrupted if any of its sessions was. If
    /// it was stopped, operations without a fact are recorded as skipped. It throws ``StateError/Code/conflict`` if the
    /// run is unknown.
    func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws

    // MARK: - Runs that several sessions share

    /// The longest time that an ended session may continue to send, by its own clock; `nil` if runs that this session
    /// begins are not shared.
    ///
    /// A session that takes over its work first waits for that time, on its own clock.
    var takeoverDelay: Duration? { get }

    /// Claims the next chunk of the session's run, or returns why there is none.
    ///
    /// The next chunk is the first one, in the first unfinished phase, that belongs to no session or to an ended one.
    /// If there is none, it is a finished chunk whose session was lost before it resolved its unknown outcomes. The
    /// call ends sessions whose leases have expired.
    func claim() async throws -> RunClaim

    func finish(_ chunk: Int, as progress: ChunkProgress) async throws

    /// Sends an order to all sessions of a run, including this one.
    func order(_ order: RunOrder, in run: RunID) async throws

    /// Records a product whose create this session may no longer record, because it has ended; no key refers to the
    /// product.
    ///
    /// An ended session may call it.
    func recordOrphan(_ product: MarketID, of sequence: Int, in run: RunID) async throws

    /// Drops the records of ``recordOrphan(_:of:in:)`` about products that are gone or belong to a key.
    func dropOrphans(_ products: [MarketID]) async throws
}

extension StateSession {
    /// No limit while the process lives.
    package var timeToSend: Duration? { nil }

    /// The default for backends that give no orders: waits until the task is cancelled.
    package func waitForStop() async -> String? {
        for await _ in AsyncStream<Never>.makeStream().stream {}
        return nil
    }

    package func record(_ event: JournalEvent) async throws -> StateDirectives { try await record([event]) }

    package func begin(_ run: RunRecord, operations: [PlannedOperation]) async throws {
        try await begin(run, operations: operations, chunks: [])
    }

    package var sharesRuns: Bool { takeoverDelay != nil }
}

// Manual changes. The session has exclusive access, so read values stay true until it writes.
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

    /// Replaces all products of the state.
    ///
    /// A `vendorID` of `nil` keeps the stored one. It throws ``StateError/Code/conflict`` if the state has products and
    /// `overwriting` is false, and ``StateError/Code/unresolved`` if any operation is unresolved.
    package func replace(with entries: [StateEntry], vendorID: Int64?, overwriting: Bool) async throws {
        let basis = try await basis()
        let present = basis.snapshot.entries
        guard present.isEmpty || overwriting else {
            throw StateError(.conflict, "the state already has \(counted(present.count, "product")) of this market")
        }
        if let open = basis.unresolved.first { throw StateError.unresolved(open.operation.key, open.run) }
        let kept = Set(entries.map(\.key))
        let gone = present.values.map(\.key).filter { !kept.contains($0) }
        let vendor = vendorID.map { [StateMutation.vendor($0)] } ?? []
        try await apply(gone.map(StateMutation.remove) + entries.map(StateMutation.put) + vendor)
    }

    /// Throws if an operation on these keys is unresolved, because its outcome will be written under its key.
    private func requireSettled(_ keys: [String]) async throws {
        for key in keys {
            for done in try await operations(.onProduct(key, runs: .max))
            where OperationStatus.unresolved.contains(done.status) {
                throw StateError.unresolved(key, done.run)
            }
        }
    }
}

package enum RunOrder: Sendable {
    /// Stop sending; the first reason is kept.
    case stop(String)
    /// All sessions together begin at most one writing request per interval; the longest interval is kept.
    case limit(Duration)
    /// Pause sending for a while, because the market requested a pause.
    case pause(Duration)
}

/// The number of a session of a market's state, and the expiry of its lease.
package struct StateLease: Hashable, Sendable {
    /// Greater than the numbers of all earlier sessions of the market.
    package var number: Int64
    /// When another session may take over, on the backend's clock; each use before then extends it.
    ///
    /// It is `nil` if only closing the session, or the end of its process, releases the lease.
    package var deadline: Timestamp?

    package init(number: Int64, deadline: Timestamp?) {
        self.number = number
        self.deadline = deadline
    }
}

/// A backend's reply to a fact.
package struct StateDirectives: Hashable, Sendable {
    /// Why the session must stop sending; `nil` to continue.
    package var stop: String?
    /// The pause that the market requested from another session of the run; zero for none.
    var pause: Duration
    /// The number of sessions that share the market's rate, including this one; at least 1.
    var peers: Int
    /// The interval per writing request of all of them together; zero for no limit.
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
