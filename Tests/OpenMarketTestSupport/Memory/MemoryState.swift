@testable import OpenMarket
@testable import OpenMarketWorkflow
import Synchronization

/// States of markets in memory: for tests, and for programs that keep their state elsewhere.
///
/// They end with the process. Any number of tasks may use one, each through its own session.
final class MemoryState: StateBackend {
    /// Called before a commit and after it; may throw to make it fail.
    typealias Commit = @Sendable (_ isDone: Bool, _ change: () -> String) throws -> Void

    struct Holder: Sendable {
        var lease: StateLease
        var command: String
        /// The run that it takes part in with others, or may.
        var run: RunID?
    }

    /// A task that waits until a session must stop.
    struct Waiter: Sendable {
        var scope: MarketScope
        var session: Int64
        var continuation: CheckedContinuation<String?, Never>
    }

    struct Contents: Sendable {
        var markets: [MarketScope: MarketRecords] = [:]
        /// The markets in the order in which they were first held.
        var order: [MarketScope] = []
        /// The sessions of each market: an exclusive one, or those of a run.
        var holders: [MarketScope: [Int64: Holder]] = [:]
        /// The number of the newest session of each market.
        var sessions: [MarketScope: Int64] = [:]
        /// Why sessions that record a fact are ordered to stop.
        var stopReason: String?
        /// Until when each market is to be left alone.
        var pausedUntil: [MarketScope: Timestamp] = [:]
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
    }

    let location: StateLocation

    let lifetime: Duration?
    /// Whether sessions may take part in a run that another one began.
    let sharesRuns: Bool
    let keptRuns: Int
    let wallTime: @Sendable () -> Timestamp
    private let clock: any Clock<Duration>
    private let onCommit: Commit
    let contents = Mutex(Contents())

    /// An empty state.
    ///
    /// `lifetime` is how long a session stays valid without use; with `nil` as long as it is open. The journal keeps
    /// the operations of `keptRuns` runs, at least 1. `clock` waits for another session's end; `wallTime` stamps facts.
    /// Commits may fail: before, so that nothing is written, or after.
    init(
        name: String = "memory",
        lifetime: Duration? = nil,
        sharesRuns: Bool = false,
        keptRuns: Int = 100,
        clock: any Clock<Duration> = ContinuousClock(),
        wallTime: @escaping @Sendable () -> Timestamp = { .now },
        onCommit: @escaping Commit = { _, _ in }
    ) {
        location = StateLocation(name)
        self.lifetime = lifetime
        self.sharesRuns = sharesRuns
        self.keptRuns = max(1, keptRuns)
        self.clock = clock
        self.wallTime = wallTime
        self.onCommit = onCommit
    }

    /// Orders every present and later run here to send nothing more; `nil` lets runs continue.
    func order(stop reason: String?) {
        contents.withLock { $0.stopReason = reason }
        wakeStopped()
    }

    /// A market's records, journal included.
    subscript(_ scope: MarketScope) -> MarketRecords {
        get { contents.withLock { $0.markets[scope] ?? MarketRecords() } }
        set { contents.withLock { $0.markets[scope] = newValue } }
    }

    // MARK: - The backend

    /// The known markets, in the order in which they were first held.
    func markets() async throws -> [KnownMarket] {
        contents.withLock { contents in
            contents.order.map { scope in
                KnownMarket(scope: scope, products: contents.markets[scope]?.snapshot.entries.count ?? 0)
            }
        }
    }

    func read(_ scope: MarketScope) async throws -> any StateReader {
        MemoryReader(backend: self, scope: scope)
    }

    /// Holds a market's state to change it.
    ///
    /// Throws `StateError` with code `locked` if another session holds it for longer than the timeout.
    func hold(
        _ scope: MarketScope,
        for command: String,
        waiting timeout: Duration
    ) async throws -> any StateSession {
        var waited = Duration.zero
        while true {
            do throws(StateError) {
                return MemorySession(backend: self, scope: scope, number: try take(scope, command))
            } catch {
                guard waited < timeout else { throw error }
                let pause = min(timeout - waited, .milliseconds(200))
                try await clock.sleep(for: pause)
                waited += pause
            }
        }
    }

    /// Removes an expired session, or with `force` also a valid one.
    ///
    /// Throws `StateError` with code `locked` if the session is valid and `force` is not set.
    func unlock(_ scope: MarketScope, force: Bool) async throws -> String? {
        let now = wallTime()
        let ended = try contents.withLock { contents in
            let holders = contents.holders(of: scope)
            if !force, let holder = holders.first(where: { $0.isValid(at: now) }) { throw locked(by: holder) }
            for holder in holders { contents.end(holder, of: scope, at: now) }
            return holders
        }
        wakeStopped()
        return ended.isEmpty ? nil : ended.map(\.description).joined(separator: "; ")
    }

    private func take(_ scope: MarketScope, _ command: String) throws(StateError) -> Int64 {
        let now = wallTime()
        let result = contents.withLock { contents -> Result<Int64, StateError> in
            if let elsewhere = contents.markets[scope]?.movedTo {
                return .failure(.moved(location, to: elsewhere))
            }
            let holders = contents.holders(of: scope)
            if let holder = holders.first(where: { $0.isValid(at: now) }) { return .failure(locked(by: holder)) }
            for holder in holders { contents.end(holder, of: scope, at: now) }
            contents.markets[scope, default: MarketRecords()].liveRuns = []
            return .success(contents.add(to: scope, command, until: deadline(from: now)))
        }
        wakeStopped()
        return try result.get()
    }

    private func locked(by holder: Holder) -> StateError {
        StateError(.locked, "the state \(location) is held by \(holder.description)")
    }

    func deadline(from now: Timestamp) -> Timestamp? {
        lifetime.map { now + $0 }
    }

    // MARK: - For its readers and sessions

    func look<Value>(_ scope: MarketScope, _ body: (MarketRecords) throws -> Value) rethrows -> Value {
        try look(scope, at: wallTime(), body)
    }

    /// Reads a market's state as of `now`; only runs of a valid session count as active.
    func look<Value>(
        _ scope: MarketScope,
        at now: Timestamp,
        _ body: (MarketRecords) throws -> Value
    ) rethrows -> Value {
        try contents.withLock { contents in
            var records = contents.markets[scope] ?? MarketRecords()
            if !contents.holders(of: scope).contains(where: { $0.isValid(at: now) }) { records.liveRuns = [] }
            return try body(records)
        }
    }

    /// The time left until two thirds of a session's lifetime have passed since its last use.
    func timeToSend(_ scope: MarketScope, _ number: Int64) -> Duration? {
        guard let lifetime else { return nil }
        guard let lease = try? lease(scope, number), let deadline = lease.deadline else { return .zero }
        return deadline - wallTime() - lifetime / 3
    }

    func lease(_ scope: MarketScope, _ number: Int64) throws(StateError) -> StateLease {
        let lease = contents.withLock { $0.holders[scope]?[number]?.lease }
        guard let lease else { throw .superseded(location, number) }
        return lease
    }

    /// Changes a market's records atomically, with access to the present sessions; returns whether the session goes on.
    @discardableResult
    func commit(
        _ scope: MarketScope,
        _ number: Int64,
        _ change: @autoclosure () -> String,
        _ body: (inout MarketRecords, _ now: Timestamp, _ holders: [Int64: Holder]) throws -> Void
    ) throws -> StateDirectives {
        let now = wallTime()
        try onCommit(false, change)
        let orders = try contents.withLock { contents -> StateDirectives in
            guard var holder = contents.holders[scope]?[number] else {
                throw StateError.superseded(location, number)
            }
            var records = contents.markets[scope] ?? MarketRecords()
            try body(&records, now, contents.holders[scope] ?? [:])
            contents.markets[scope] = records
            // A session that was not used for too long has not been replaced, but may be at any moment.
            guard holder.isValid(at: now) else { return .stop("its session was not used for too long") }
            holder.lease.deadline = deadline(from: now)
            contents.holders[scope]?[number] = holder
            return contents.orders(to: holder, of: scope, at: now)
        }
        try onCommit(true, change)
        return orders
    }

    /// Makes room for the next session: the session leaves, or another machine finds it expired.
    func release(_ scope: MarketScope, _ number: Int64) {
        let now = wallTime()
        contents.withLock { contents in
            guard let holder = contents.holders[scope]?[number] else { return }
            contents.end(holder, of: scope, at: now)
        }
        wakeStopped()
    }
}

extension MemoryState.Holder {
    func isValid(at now: Timestamp) -> Bool {
        lease.deadline.map { now < $0 } ?? true
    }

    var description: String { "session \(lease.number), \(command)" }
}
