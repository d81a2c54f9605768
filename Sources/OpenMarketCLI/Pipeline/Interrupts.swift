import Dispatch
import OpenMarket
import OpenMarketWorkflow
import Synchronization
import UnixSignals

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Runs work that contains a run, from before the state is held, so that its lease is released.
///
/// While the run writes, the first Ctrl-C or SIGTERM lets requests in flight finish, and the second stops at once.
/// Before and after that, the first stops the work. SIGHUP is ignored: a nightly job continues when its terminal
/// closes.
func withRunSignals<Result: Sendable>(
    reportingTo console: Console,
    _ body: @escaping @Sendable (StopSignal) async throws -> Result
) async throws -> Result {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
    let drain = StopSignal()
    let forcedExit = ForcedExit(
        patience: { console.isAsking ? .zero : ForcedExit.patience },
        stops: { $0 > 1 || !drain.isObeyed }
    )
    return try await unlessStopped(forcedExit) {
        try await body(drain)
    } by: {
        var isDraining = false
        for await signal in signals where signal != .sighup {
            if isDraining || !drain.isObeyed { return }
            isDraining = true
            drain.trigger()
            console.printError("Stopping after the requests in flight; press Ctrl-C again to abort.")
        }
    }
}

/// Runs work that Ctrl-C or SIGTERM cancels at once, so that it can clean up.
///
/// `atLast` removes what must not stay if the process has to be ended.
func withCancellation<Result: Sendable>(
    atLast: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    return try await unlessStopped(ForcedExit(atLast: atLast), body) {
        for await _ in signals { return }
    }
}

/// Runs a server that shuts down cleanly on Ctrl-C, SIGTERM or the end of its terminal.
///
/// Under `nohup` the end of the terminal is ignored. A second signal ends the process at once; so does the end of
/// `patience`, which starts with the first. `atLast` then removes what must not stay.
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
    let forcedExit = ForcedExit(of: numbers, patience: { patience }, atLast: atLast)
    return try await forcedExit.standingBy { try await body(signals) }
}

/// Ends the process if cancelled work does not end, for example because it reads from a pipe without a writer.
///
/// It has a separate queue because such a call may block the only thread that runs tasks.
private final class ForcedExit: Sendable {
    /// The default time for cancelled work to clean up.
    static let patience = Duration.seconds(2)

    private let signals: [Int32]
    private let patience: @Sendable () -> Duration
    private let atLast: @Sendable () -> Void
    private let stops: @Sendable (Int) -> Bool
    private let progress = Mutex((seen: 0, isStopped: false))

    /// Listens for `signals`; `patience` starts with the signal that stops the work.
    ///
    /// `stops` decides whether the signal of this number, from 1, stops the work; one more then ends the process at
    /// once. `atLast` runs before the process ends.
    init(
        of signals: [Int32] = [SIGINT, SIGTERM],
        patience: @escaping @Sendable () -> Duration = { ForcedExit.patience },
        atLast: @escaping @Sendable () -> Void = {},
        stops: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) {
        self.signals = signals
        self.patience = patience
        self.atLast = atLast
        self.stops = stops
    }

    /// Listens while `body` runs.
    func standingBy<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let queue = DispatchQueue(label: "openmarket.forced-exit")
        let sources = signals.map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
            source.setEventHandler { [weak self] in self?.note(queue) }
            return source
        }
        for source in sources {
            // A signal that arrives before the source is registered would be lost.
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
        let (wasStopped, isStopped) = progress.withLock { progress in
            let wasStopped = progress.isStopped
            progress.seen += 1
            progress.isStopped = wasStopped || stops(progress.seen)
            return (wasStopped, progress.isStopped)
        }
        if wasStopped { end() }
        guard isStopped else { return }
        queue.asyncAfter(deadline: .now() + .seconds(Int(patience().components.seconds))) { [weak self] in self?.end() }
    }

    private func end() {
        atLast()
        _exit(ExitStatus.interrupted.rawValue)
    }
}

/// Runs work until it ends, or cancels it when `watch` ends first.
private func unlessStopped<Result: Sendable>(
    _ forcedExit: ForcedExit,
    _ body: @escaping @Sendable () async throws -> Result,
    by watch: @escaping @Sendable () async -> Void
) async throws -> Result {
    try await forcedExit.standingBy {
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
