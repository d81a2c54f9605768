/// A part of a run that one session at a time applies.
///
/// Chunks are cut before the run begins; a chunk's number is its index. Within a phase, operations whose products share
/// a name are in the same chunk.
package struct RunChunk: Hashable, Sendable {
    /// The position of its actions in the order of a run.
    ///
    /// A phase opens when every operation of earlier phases has an outcome, even an unknown one.
    package var phase: Int
    /// The indexes of the operations in the run, in its order.
    package var sequences: [Int]
}

/// A backend's reply to a session that requests work.
package enum RunClaim: Sendable {
    case chunk(ClaimedChunk)
    /// Other sessions have the remaining chunks, or these depend on their work: the session can ask again later.
    case wait
    /// Every operation has an outcome; this many other sessions still take part in the run.
    case none(others: Int)
}

package struct ClaimedChunk: Sendable {
    var number: Int
    var phase: Int
    /// In the run's order.
    var operations: [ClaimedOperation]
    /// The current entries of the operations' keys.
    var entries: [StateEntry]
    /// Whether the chunk belonged to a session that has ended.
    ///
    /// That session's requests may still take effect, and it may still send some for ``StateSession/takeoverDelay``.
    var isTakenOver: Bool

    package init(
        number: Int,
        phase: Int,
        operations: [ClaimedOperation],
        entries: [StateEntry],
        isTakenOver: Bool
    ) {
        self.number = number
        self.phase = phase
        self.operations = operations
        self.entries = entries
        self.isTakenOver = isTakenOver
    }
}

/// An operation of a chunk, and its progress in an earlier session.
package struct ClaimedOperation: Sendable {
    package var sequence: Int
    package var operation: PlannedOperation
    /// The number of its last fact; 0 if there is none.
    package var facts: Int
    /// The known facts, if some were written and the outcome is unknown.
    var unresolved: UnresolvedOperation?

    package init(sequence: Int, operation: PlannedOperation, facts: Int, unresolved: UnresolvedOperation?) {
        self.sequence = sequence
        self.operation = operation
        self.facts = facts
        self.unresolved = unresolved
    }
}

package enum ChunkProgress: Int, Sendable {
    /// The session returns it without pending requests, so that the next session need not wait.
    case returned = 0
    /// Each operation has an outcome, some an unknown one.
    ///
    /// If the session is lost before it leaves the run, another one claims the chunk again to resolve those.
    case known = 1
    case final = 2
}

/// The run in progress in a market's state; reading it works without a lease.
package struct RunUnderWay: Hashable, Sendable {
    package struct Participant: Hashable, Sendable {
        package var session: Int64
        package var host: String
        /// The process id on that machine.
        package var process: Int
        package var command: String
        package var since: Timestamp
        /// When it left, or was found to be gone; `nil` while it takes part.
        package var endedAt: Timestamp?

        package init(
            session: Int64,
            host: String,
            process: Int,
            command: String,
            since: Timestamp,
            endedAt: Timestamp? = nil
        ) {
            self.session = session
            self.host = host
            self.process = process
            self.command = command
            self.since = since
            self.endedAt = endedAt
        }
    }

    package var record: RunRecord
    package var startedAt: Timestamp
    package var operations: Int
    package var totals: RunTotals
    /// All sessions that take part in it, or did.
    package var participants: [Participant]
    /// Why no more requests are sent; `nil` while it continues.
    package var stop: String?
    /// The current time on the backend's clock.
    package var now: Timestamp

    package init(
        record: RunRecord,
        startedAt: Timestamp,
        operations: Int,
        totals: RunTotals,
        participants: [Participant],
        stop: String?,
        now: Timestamp
    ) {
        self.record = record
        self.startedAt = startedAt
        self.operations = operations
        self.totals = totals
        self.participants = participants
        self.stop = stop
        self.now = now
    }
}

// Defaults for backends whose runs belong to one session.
extension StateSession {
    package var takeoverDelay: Duration? { nil }

    package func claim() async throws -> RunClaim { .none(others: 0) }

    package func finish(_ chunk: Int, as progress: ChunkProgress) async throws {}

    package func order(_ order: RunOrder, in run: RunID) async throws {}

    /// A session ends with its process here, and reports no further products.
    package func recordOrphan(_ product: MarketID, of sequence: Int, in run: RunID) async throws {}

    package func dropOrphans(_ products: [MarketID]) async throws {}
}

extension StateReader {
    /// A session ends with its process here, and does not create products afterwards.
    package func orphans() async throws -> [OrphanedProduct] { [] }

    /// Other processes cannot see a run here.
    package func runUnderWay() async throws -> RunUnderWay? { nil }
}

extension StateBackend {
    package func join(_ scope: MarketScope, for command: String) async throws -> (any StateSession)? { nil }
}
