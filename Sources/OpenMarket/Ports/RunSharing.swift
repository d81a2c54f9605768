/// A part of a run that one session carries out at a time.
///
/// Cut before the run begins; its number is its index among all. Operations of one name are never in two of a phase.
package struct RunChunk: Hashable, Sendable {
    /// The place of its actions in the order of a run.
    ///
    /// A phase opens when every operation of the phases before it has an
    /// outcome, be it an unknown one.
    package var phase: Int
    /// The operations, by their index in the run, in its order.
    package var sequences: [Int]

    /// A part of a run.
    init(phase: Int, sequences: [Int]) {
        self.phase = phase
        self.sequences = sequences
    }
}

/// What a backend has for a session that asks for work.
package enum RunClaim: Sendable {
    /// The chunk is the session's from now on.
    case chunk(ClaimedChunk)
    /// All that is left is in the hands of other sessions, or waits for what they do: it can be asked again in a while.
    case wait
    /// Every operation has an outcome; so many other sessions still take part in the run.
    case none(others: Int)
}

/// A chunk that a session has claimed.
package struct ClaimedChunk: Sendable {
    /// The number of the chunk in its run.
    var number: Int
    /// Its phase.
    var phase: Int
    /// Its operations, in the run's order.
    var operations: [ClaimedOperation]
    /// What the state knows of their keys at this moment.
    var entries: [StateEntry]
    /// Whether a session had it that is over: what that one sent may still take effect, and it may still send for
    /// ``StateSession/takeoverDelay``.
    var isTakenOver: Bool

    /// A claimed chunk.
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

/// An operation of a chunk, and how far an earlier session came with it.
package struct ClaimedOperation: Sendable {
    /// Its index in the run.
    package var sequence: Int
    /// What is to be done.
    package var operation: PlannedOperation
    /// The number of the last fact written about it; 0 where none was.
    package var facts: Int
    /// What is known of it where facts were written and its outcome is not known.
    var unresolved: UnresolvedOperation?

    /// An operation.
    package init(sequence: Int, operation: PlannedOperation, facts: Int, unresolved: UnresolvedOperation?) {
        self.sequence = sequence
        self.operation = operation
        self.facts = facts
        self.unresolved = unresolved
    }
}

/// How far a session came with a chunk.
package enum ChunkProgress: Int, Sendable {
    /// It gives the chunk back; nothing of it is under way. Whoever claims it next need not wait.
    case returned = 0
    /// Each operation has an outcome, some an unknown one: where the session is lost before it leaves the run, another one
    /// claims the chunk again to settle those.
    case known = 1
    /// Each operation has its final outcome.
    case final = 2
}

/// The run that is under way in a market's state, as anybody may see it.
package struct RunUnderWay: Hashable, Sendable {
    /// A session that takes part in it.
    package struct Participant: Hashable, Sendable {
        /// The session's number.
        package var session: Int64
        /// The machine.
        package var host: String
        /// The process there.
        package var process: Int
        /// What it does, such as `apply`.
        package var command: String
        /// When it began.
        package var since: Timestamp
        /// When it left, or was found to be gone; `nil` while it is there.
        package var endedAt: Timestamp?

        /// A session.
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

    /// How it was announced.
    package var record: RunRecord
    /// When it began.
    package var startedAt: Timestamp
    /// How many operations it has.
    package var operations: Int
    /// How many of them ended how so far.
    package var totals: RunTotals
    /// The sessions that take part in it, or did.
    package var participants: [Participant]
    /// Why nothing more is sent; `nil` while it goes on.
    package var stop: String?
    /// The moment, on the backend's clock.
    package var now: Timestamp

    /// A run.
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

// A run is one session's where a backend says nothing else.
extension StateSession {
    /// Every run is one session's.
    package var sharesRuns: Bool { false }

    /// A session that is over has ended with its process.
    package var takeoverDelay: Duration { .zero }

    /// Begins a run that is one session's.
    package func begin(_ run: RunRecord, operations: [PlannedOperation], chunks: [RunChunk]) async throws {
        try await begin(run, operations: operations)
    }

    /// Nothing is given out.
    package func claim() async throws -> RunClaim { .none(others: 0) }

    /// Nothing was given out.
    package func finish(_ chunk: Int, as progress: ChunkProgress) async throws {}

    /// No other session takes part in a run.
    package func stop(_ run: RunID, because reason: String) async throws {}

    /// No other session is to wait.
    package func pause(for duration: Duration) async throws {}

    /// No other session is there to be limited.
    package func limit(_ run: RunID, toOneRequestIn interval: Duration) async throws {}

    /// A session that is over has ended with its process, and learns nothing more.
    package func disown(_ product: MarketID, of sequence: Int, in run: RunID) async throws {}

    /// There are none.
    package func dropOrphans(_ products: [MarketID]) async throws {}
}

extension StateReader {
    /// A session that is over has ended with its process, and makes nothing.
    package func orphans() async throws -> [OrphanedProduct] { [] }

    /// Only the process that carries it out sees it.
    package func runUnderWay() async throws -> RunUnderWay? { nil }
}

extension StateBackend {
    /// No run is shared.
    package func join(_ scope: MarketScope, for command: String) async throws -> (any StateSession)? { nil }
}
