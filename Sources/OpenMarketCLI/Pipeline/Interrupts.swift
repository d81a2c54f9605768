import OpenMarketApply
import Synchronization
import UnixSignals

/// Runs work that the first Ctrl-C or SIGTERM lets drain and the second stops at once; once nothing is left to drain,
/// the first stops it.
///
/// SIGHUP does no harm: a nightly job goes on when its terminal closes.
///
/// - Parameters:
///   - drain: what the first signal triggers.
///   - console: where that is said.
///   - writing: the work of which what is under way is to be finished.
///   - reading: what follows it, and can be left off anywhere.
/// - Throws: what the work throws, `CancellationError` when it was stopped.
func withInterrupts<Result: Sendable>(
    _ drain: DrainSignal,
    console: Console,
    writing: @escaping @Sendable () async throws -> Result,
    then reading: @escaping @Sendable (Result) async throws -> Void
) async throws {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
    let hasDrained = Atomic(false)
    try await unlessStopped {
        let result = try await writing()
        hasDrained.store(true, ordering: .relaxed)
        try await reading(result)
    } by: {
        var isDraining = false
        for await signal in signals where signal != .sighup {
            if isDraining || hasDrained.load(ordering: .relaxed) { return }
            isDraining = true
            drain.trigger()
            console.complain("Stopping: what is under way is finished first. Once more stops at once.")
        }
    }
}

/// Runs work that Ctrl-C or SIGTERM stops at once, so that it clears away what it began.
func withCancellation<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    return try await unlessStopped(body) {
        for await _ in signals { return }
    }
}

/// Runs work until it ends, or until something else that watches ends first: then the work is cancelled.
private func unlessStopped<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result,
    by watch: @escaping @Sendable () async -> Void
) async throws -> Result {
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
