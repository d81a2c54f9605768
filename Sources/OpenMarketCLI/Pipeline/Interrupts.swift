import OpenMarketApply
import UnixSignals

/// Runs work that the first Ctrl-C or SIGTERM lets drain and the second stops at once.
///
/// SIGHUP does no harm: a nightly job goes on when its terminal closes.
func withInterrupts<Result: Sendable>(
    _ drain: DrainSignal,
    console: Console,
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
    return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
            var isDraining = false
            for await signal in signals where signal != .sighup {
                if isDraining { return nil }
                isDraining = true
                drain.trigger()
                console.complain("Stopping: what is under way is finished first. Once more stops at once.")
            }
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
