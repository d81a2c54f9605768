package import OpenMarket

/// How a run can be interrupted: by Ctrl-C, by a service that stops, or not at all.
package struct RunInterruption: Sendable {
    /// Ends the run early: requests in flight are finished, and nothing more is begun.
    let drain: DrainSignal
    private let watch: Watch

    /// Runs the writing, then the reading; may trigger the drain signal, and may cancel either.
    ///
    /// The writing is to be drained before it is cancelled; the reading may be cancelled at any time.
    package typealias Watch =
        @Sendable (
            _ drain: DrainSignal,
            _ writing: @escaping @Sendable () async throws -> RunResult?,
            _ reading: @escaping @Sendable (RunResult?) async throws -> AppliedRun
        ) async throws -> AppliedRun

    /// `drain` ends the run early; cancelling the task ends it at once.
    ///
    /// `watch` runs the two parts and watches meanwhile; the default only runs them.
    package init(
        drain: DrainSignal = DrainSignal(),
        watch: @escaping Watch = { _, writing, reading in try await reading(writing()) }
    ) {
        self.drain = drain
        self.watch = watch
    }

    /// Runs work after which nothing is read.
    func run(_ writing: @escaping @Sendable (DrainSignal) async throws -> RunResult) async throws -> RunResult {
        let done = try await watch(drain, { [drain] in try await writing(drain) }) { result in
            guard let result else { throw CancellationError() }
            return AppliedRun(run: result.run, result: result, unresolved: [])
        }
        guard let result = done.result else { throw CancellationError() }
        return result
    }

    func run(
        _ writing: @escaping @Sendable () async throws -> RunResult?,
        then reading: @escaping @Sendable (RunResult?) async throws -> AppliedRun
    ) async throws -> AppliedRun {
        try await watch(drain, writing, reading)
    }
}
