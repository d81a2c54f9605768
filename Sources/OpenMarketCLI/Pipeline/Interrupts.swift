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
            return try await unlessStopped(after: 2) {
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
func withCancellation<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    return try await unlessStopped(after: 1, body) {
        for await _ in signals { return }
    }
}

/// Ends the process where cancelled work does not: it may wait in a call that knows nothing of tasks, such as the reading
/// of a pipe without a writer.
///
/// It listens on a queue of its own, because such a call may hold the only thread that tasks have.
private final class LastResort: Sendable {
    /// How long cancelled work has to clear away what it began.
    private static let patience = DispatchTimeInterval.seconds(2)

    private let count: Int
    private let seen = Mutex(0)

    /// - Parameter count: how many signals it takes until the work is cancelled; one more ends the process at once.
    private init(after count: Int) { self.count = count }

    /// Does something, and listens meanwhile.
    static func standingBy<Result>(after count: Int, _ body: () async throws -> Result) async rethrows -> Result {
        let lastResort = LastResort(after: count)
        let queue = DispatchQueue(label: "openmarket.last-resort")
        let sources = [SIGINT, SIGTERM].map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
            source.setEventHandler { [weak lastResort] in lastResort?.note(queue) }
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
            withExtendedLifetime(lastResort) {}
        }
        return try await body()
    }

    private func note(_ queue: DispatchQueue) {
        let seen = seen.withLock { seen in
            seen += 1
            return seen
        }
        if seen > count { Self.end() }
        guard seen == count else { return }
        queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            if self != nil { Self.end() }
        }
    }

    private static func end() { _exit(ExitStatus.interrupted.rawValue) }
}

/// Runs work until it ends, or until something else that watches ends first: then the work is cancelled.
private func unlessStopped<Result: Sendable>(
    after signalCount: Int,
    _ body: @escaping @Sendable () async throws -> Result,
    by watch: @escaping @Sendable () async -> Void
) async throws -> Result {
    try await LastResort.standingBy(after: signalCount) {
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
