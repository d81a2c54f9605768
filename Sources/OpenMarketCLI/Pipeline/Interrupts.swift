import Dispatch
import OpenMarketApply
import OpenMarketWorkflow
import Synchronization
import UnixSignals

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension RunInterruption {
    /// The first Ctrl-C or SIGTERM lets what is in flight drain, and the second stops it at once; once nothing is left to
    /// drain, the first stops it.
    ///
    /// SIGHUP does no harm: a nightly job goes on when its terminal closes.
    static func bySignals(reportingTo console: Console) -> RunInterruption {
        RunInterruption { drain, writing, reading in
            let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
            let hasDrained = Atomic(false)
            return try await unlessStopped(LastResort(after: 2)) {
                let result = try await writing()
                hasDrained.store(true, ordering: .relaxed)
                return try await reading(result)
            } by: {
                var isDraining = false
                for await signal in signals where signal != .sighup {
                    if isDraining || hasDrained.load(ordering: .relaxed) { return }
                    isDraining = true
                    drain.trigger()
                    console.complain("Stopping after the requests in flight; press Ctrl-C again to abort.")
                }
            }
        }
    }
}

/// Runs work that Ctrl-C or SIGTERM stops at once, so that it clears away what it began.
///
/// `atLast` clears away what must not be left, where the process has to be ended.
func withCancellation<Result: Sendable>(
    atLast: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    return try await unlessStopped(LastResort(after: 1, atLast: atLast), body) {
        for await _ in signals { return }
    }
}

/// Runs a server that Ctrl-C, SIGTERM, and the end of its terminal unless `nohup` has it ignored, stop in good order; a
/// second signal ends the process at once, and so does the end of the patience, which begins with the first.
///
/// `atLast` clears away what must not be left, where the process is ended.
func withStoppingSignals<Result>(
    patience: Duration,
    atLast: @escaping @Sendable () -> Void,
    _ body: (UnixSignalsSequence) async throws -> Result
) async throws -> Result {
    let inherited = signal(SIGHUP, SIG_DFL)
    let ignoresHangUp = unsafeBitCast(inherited, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    if ignoresHangUp { signal(SIGHUP, SIG_IGN) }
    let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm] + (ignoresHangUp ? [] : [.sighup]))
    let numbers = [SIGINT, SIGTERM] + (ignoresHangUp ? [] : [SIGHUP])
    let lastResort = LastResort(after: 1, of: numbers, patience: patience, atLast: atLast)
    return try await lastResort.standingBy { try await body(signals) }
}

/// Ends the process where cancelled work does not: it may wait in a call that knows nothing of tasks, such as the reading
/// of a pipe without a writer.
///
/// It listens on a queue of its own, because such a call may hold the only thread that tasks have.
private final class LastResort: Sendable {
    private let count: Int
    private let signals: [Int32]
    private let patience: Duration
    private let atLast: @Sendable () -> Void
    private let seen = Mutex(0)

    /// - Parameters:
    ///   - count: how many signals it takes until the work is stopped; one more ends the process at once.
    ///   - signals: the signals that count.
    ///   - patience: how long stopped work has to clear away what it began.
    ///   - atLast: done before the process is ended.
    init(
        after count: Int,
        of signals: [Int32] = [SIGINT, SIGTERM],
        patience: Duration = .seconds(2),
        atLast: @escaping @Sendable () -> Void = {}
    ) {
        self.count = count
        self.signals = signals
        self.patience = patience
        self.atLast = atLast
    }

    /// Does something, and listens meanwhile.
    func standingBy<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let queue = DispatchQueue(label: "openmarket.last-resort")
        let sources = signals.map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
            source.setEventHandler { [weak self] in self?.note(queue) }
            return source
        }
        for source in sources {
            // A signal that comes before the system knows the source would be lost.
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.activate()
            }
        }
        defer {
            for source in sources { source.cancel() }
            withExtendedLifetime(self) {}
        }
        return try await body()
    }

    private func note(_ queue: DispatchQueue) {
        let seen = seen.withLock { seen in
            seen += 1
            return seen
        }
        if seen > count { end() }
        guard seen == count else { return }
        queue.asyncAfter(deadline: .now() + .seconds(Int(patience.components.seconds))) { [weak self] in self?.end() }
    }

    private func end() {
        atLast()
        _exit(ExitStatus.interrupted.rawValue)
    }
}

/// Runs work until it ends, or until something else that watches ends first: then the work is cancelled.
private func unlessStopped<Result: Sendable>(
    _ lastResort: LastResort,
    _ body: @escaping @Sendable () async throws -> Result,
    by watch: @escaping @Sendable () async -> Void
) async throws -> Result {
    try await lastResort.standingBy {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                await watch()
                return nil
            }
            group.addTask { try await body() }
            while let outcome = try await group.next() {
                group.cancelAll()
                if let result = outcome { return result }
            }
            throw CancellationError()
        }
    }
}
