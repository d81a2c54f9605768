import OpenMarket

/// Joins the run that another machine began, with a manifest of the same bytes.
struct Worker: Sendable {
    private static let interval = Duration.milliseconds(500)

    let backend: any StateBackend
    /// The market with this machine's settings.
    let target: MarketTarget
    /// The SHA-256 of the local manifest.
    let manifest: ContentDigest

    /// Joins the run that is under way, and leaves it however the body ends; returns `nil` if the run is over.
    ///
    /// `timeout` limits the wait for a run to begin.
    func joining<Result>(
        waiting timeout: Duration,
        on clock: any Clock<Duration> = ContinuousClock(),
        _ body: (RunUnderWay, any StateSession) async throws -> Result
    ) async throws -> Result? {
        var left = timeout
        while true {
            if let run = try await runUnderWay() {
                try requireSame(run)
                if let session = try await backend.join(target.scope, for: "work") {
                    if let result = try await work(run, session, body) { return result }
                } else {
                    guard try await runUnderWay()?.record.id != run.record.id else {
                        throw CommandFailure(
                            .failure,
                            "run \(run.record.id) cannot be shared: its plan was saved, or it lacks operations to share",
                            help: "`openmarket status` shows how far it is"
                        )
                    }
                    return nil
                }
            }
            guard left > .zero else {
                if try await isOver() { return nil }
                throw CommandFailure(
                    .failure,
                    "no run is under way in the state \(backend.location)",
                    help: "`openmarket apply` begins one, and --wait waits for that"
                )
            }
            let pause = min(left, Self.interval)
            try await clock.sleep(for: pause)
            left -= pause
        }
    }

    /// Returns `nil` if the session joined another run than the one that was read.
    private func work<Result>(
        _ run: RunUnderWay,
        _ session: any StateSession,
        _ body: (RunUnderWay, any StateSession) async throws -> Result
    ) async throws -> Result? {
        let result: Result?
        do {
            let isSame = try await session.runUnderWay()?.record.id == run.record.id
            result = isSame ? try await body(run, session) : nil
        } catch {
            await session.close()
            throw error
        }
        await session.close()
        return result
    }

    private func runUnderWay() async throws -> RunUnderWay? {
        try await backend.reading(target.scope) { state in
            if let elsewhere = try await state.movedTo() { throw StateError.moved(state.location, to: elsewhere) }
            return try await state.runUnderWay()
        }
    }

    /// Whether the last run was planned from this manifest and succeeded.
    private func isOver() async throws -> Bool {
        let last = try await backend.reading(target.scope) { try await $0.runs(limit: 1).first }
        guard let last, last.record.manifest == manifest else { return false }
        return last.finishedAt != nil && !last.interrupted
    }

    /// Checks that this machine has the manifest and the description that the run was planned from.
    private func requireSame(_ run: RunUnderWay) throws(CommandFailure) {
        let id = run.record.id
        guard run.record.manifest == manifest else {
            let what = "run \(id) was planned from another manifest than the one here"
            throw CommandFailure(.invalidInput, what, help: LocalOperations.help)
        }
        guard run.record.description == target.profile.digestToAccept else {
            let what = "run \(id) uses another description of \(target.profile.name) than the one here"
            throw CommandFailure(.refused, what, help: "use the description that the run was begun with")
        }
    }
}
