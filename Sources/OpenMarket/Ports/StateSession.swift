/// The right to change one market's state, and the changes.
///
/// Each method is one transaction, durable when it returns: it happens as a whole or not at all. The backend stamps
/// the times. A session whose place another one has taken changes nothing any more: its methods throw
/// ``StateError``, `superseded`.
package protocol StateSession: StateReader {
    /// The session's number, and until when it is valid.
    var lease: StateLease { get async throws }

    /// How much longer requests to the market may leave and be under way; `nil` for as long as the process lives.
    ///
    /// Measured from before the last acknowledged renewal was asked for, on a clock of this machine that a pause of the
    /// process does not stop, and shorter than the lease: whoever takes the place of a session waits for the rest. Answered
    /// without asking the backend, so it can be looked at right before each request.
    var timeToSend: Duration? { get }

    /// Waits until the session is ordered to send nothing more, or is over.
    ///
    /// - Returns: Why; `nil` when the calling task was cancelled.
    func stopOrdered() async -> String?

    // MARK: - Changes without a request behind them

    /// Changes the state.
    ///
    /// - Throws: ``StateError``, `conflict` where a rename would cover another product.
    func apply(_ mutations: [StateMutation]) async throws

    /// Remembers that whoever runs the program accepts a description of this market, and none before it.
    ///
    /// - Throws: ``StateError``.
    func accept(_ description: ContentDigest) async throws

    /// Drops a product from the state.
    ///
    /// - Returns: What was known of it.
    /// - Throws: ``StateError``, `conflict` where the key is not known, `unresolved` where an operation on it is.
    func forget(_ key: String) async throws -> StateEntry

    /// Gives a product another key.
    ///
    /// - Throws: ``StateError``, `conflict` where the old key is not known or the new one is taken, `unresolved` where an
    ///   operation on either is.
    func move(from old: String, to new: String) async throws

    /// Puts products in the place of all that are known.
    ///
    /// - Parameters:
    ///   - entries: The products.
    ///   - vendorID: Our vendor number, where it is known; else the known one stays.
    ///   - overwriting: Whether known products may go.
    /// - Throws: ``StateError``, `conflict` where products would go and may not, `unresolved` where any operation is.
    func replace(with entries: [StateEntry], vendorID: Int64?, overwriting: Bool) async throws

    // MARK: - Moving to another state

    /// Puts all that another state knows of the market into this one, which knows nothing of it; times stay as they were.
    ///
    /// - Throws: ``StateError``, `conflict` where products or runs are known.
    func fill(with archive: StateArchive) async throws

    /// Writes down that the market's state goes on elsewhere: it cannot be held here any more.
    ///
    /// - Throws: ``StateError``.
    func retire(to location: StateLocation) async throws

    // MARK: - The journal

    /// Opens a run and writes down all its operations as intended, before anything is sent.
    ///
    /// - Throws: ``StateError``, `conflict` where the name is taken.
    func begin(_ run: RunRecord, operations: [PlannedOperation]) async throws

    /// Writes one fact together with the state changes that it means. Many callers may share a commit.
    ///
    /// The facts of an operation are numbered from 1. The next number is written; a fact that is written already is
    /// taken for the same call repeated, and nothing changes; any other number is a `conflict`, because another session has
    /// written about the operation.
    ///
    /// - Returns: Whether to go on. Whoever is ordered to stop sends nothing more, the request of this very fact included,
    ///   and still writes down what becomes of its operations.
    /// - Throws: ``StateError``.
    func record(_ event: JournalEvent) async throws -> StateOrders

    /// Writes facts in their order, as ``record(_:)-(JournalEvent)`` writes one, together where that is possible.
    ///
    /// - Returns: Whether to go on.
    /// - Throws: ``StateError``; then facts may be written up to one, and none behind it.
    func record(_ events: [JournalEvent]) async throws -> StateOrders

    /// Closes a run. Operations without a known outcome stay unresolved.
    ///
    /// Where other sessions take part in it, this one only leaves it. The last one closes it with the totals of all, as
    /// interrupted where it was for any of them; where it was stopped, operations without a fact are written down as skipped.
    ///
    /// - Throws: ``StateError``, `conflict` where the run is not known.
    func finish(_ run: RunID, totals: RunTotals, interrupted: Bool) async throws

    // MARK: - Runs that several sessions share

    /// Whether other sessions may take part in a run that this one begins.
    var sharesRuns: Bool { get }

    /// For how long a session that is over may go on sending at most, by its own clock.
    ///
    /// Whoever goes on with what it had sent waits for that long first, on a clock of its own.
    var takeoverDelay: Duration { get }

    /// Opens a run like ``begin(_:operations:)``, and offers parts of it to the sessions that take part, this one included.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - operations: All its operations.
    ///   - chunks: Its parts. What is in none of them this session carries out.
    /// - Throws: ``StateError``, `conflict` where the name is taken.
    func begin(_ run: RunRecord, operations: [PlannedOperation], chunks: [RunChunk]) async throws

    /// Takes the next chunk of the run that the session takes part in.
    ///
    /// The first, in their order, that belongs to none, or to a session that is over, in the first phase that is not
    /// through; else one that is through and whose session was lost before it settled what it left unknown. A session whose
    /// lease has run out is ended by it.
    ///
    /// - Returns: The chunk, or why there is none.
    /// - Throws: ``StateError``.
    func claim() async throws -> RunClaim

    /// Says how far the session came with a chunk that it has.
    ///
    /// - Throws: ``StateError``.
    func finish(_ chunk: Int, as progress: ChunkProgress) async throws

    /// Orders all sessions of a run to send nothing more; the first reason stays.
    ///
    /// - Throws: ``StateError``.
    func stop(_ run: RunID, because reason: String) async throws

    /// Orders all sessions of a run to begin a writing request at most once in an interval, all together; the longest one stays.
    ///
    /// - Throws: ``StateError``.
    func limit(_ run: RunID, toOneRequestIn interval: Duration) async throws

    /// Orders all sessions of the market to leave it alone for so long, because it asked for that.
    ///
    /// - Throws: ``StateError``.
    func pause(for duration: Duration) async throws

    /// Writes down that an operation made a product whose making this session may not write down any more, because it is
    /// over: no key means the product. A session that is over may do so.
    ///
    /// - Parameters:
    ///   - product: The product.
    ///   - sequence: The operation's index in the run.
    ///   - run: The run.
    /// - Throws: ``StateError``.
    func disown(_ product: MarketID, of sequence: Int, in run: RunID) async throws

    /// Forgets products that were written down by ``disown(_:of:in:)``, because they are gone or some key's.
    ///
    /// - Throws: ``StateError``.
    func dropOrphans(_ products: [MarketID]) async throws
}

extension StateSession {
    /// Until the end of the process.
    package var timeToSend: Duration? { nil }

    /// Never, where a backend orders nothing by itself.
    package func stopOrdered() async -> String? {
        for await _ in AsyncStream<Never>.makeStream().stream {}
        return nil
    }

    /// Writes facts one after the other.
    package func record(_ events: [JournalEvent]) async throws -> StateOrders {
        var orders = StateOrders.proceed
        for event in events {
            let latest = try await record(event)
            orders = StateOrders(stop: orders.stop ?? latest.stop, pause: latest.pause, peers: latest.peers)
        }
        return orders
    }
}

/// Which session of a market's state it is, and until when it is valid.
package struct StateLease: Hashable, Sendable {
    /// Greater than that of every session of the market before.
    package var number: Int64
    /// From when on another session may take its place, on the backend's clock; each use before moves it on.
    ///
    /// `nil` where only closing it, or the end of its process, makes room for another.
    package var deadline: Timestamp?

    /// A lease.
    package init(number: Int64, deadline: Timestamp?) {
        self.number = number
        self.deadline = deadline
    }
}

/// What a backend answers to a fact.
package struct StateOrders: Hashable, Sendable {
    /// Why nothing more may be sent; `nil` to go on.
    package var stop: String?
    /// For how long the market wants to be left alone, as another session of the run was asked; zero for not at all.
    var pause: Duration
    /// How many sessions work on the market, this one included; from 1 on.
    ///
    /// They share the rate.
    var peers: Int
    /// In which time all of them together begin at most one writing request; zero where that is not limited.
    var interval: Duration

    /// Orders.
    package init(stop: String? = nil, pause: Duration = .zero, peers: Int = 1, interval: Duration = .zero) {
        self.stop = stop
        self.pause = pause
        self.peers = max(1, peers)
        self.interval = interval
    }

    /// Go on.
    package static let proceed = StateOrders()

    /// Send nothing more, for this reason.
    package static func stop(_ reason: String) -> StateOrders { StateOrders(stop: reason) }
}
