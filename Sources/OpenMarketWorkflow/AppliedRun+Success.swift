package import OpenMarket

extension RunResult {
    /// Checks that every operation was carried out.
    ///
    /// `isPart` is whether the totals are this machine's part of another one's run.
    package func requireSuccess(at market: MarketTarget, asPart isPart: Bool = false) throws(CommandFailure) {
        switch endedBy {
        case .interrupted:
            let rest = isPart ? "the other machines of the run go on" : "run apply again to resume"
            throw CommandFailure(.interrupted, "interrupted; \(rest)")
        // The operations have reported the market's message already.
        case .credentials:
            let keys = market.profile.capabilities.credentialsForWriting.keys
            guard !keys.isEmpty else {
                throw CommandFailure(
                    .credentials,
                    "the market accepted no write, and its description does not send credentials",
                    help:
                        "no credentials are sent: the market's reply above shows why, or add 'auth' to its description"
                )
            }
            throw CommandFailure(
                .credentials,
                "the market rejects the credentials: it accepted no write",
                help: "check \(keys.map { "`market.\($0)`" }.listed("and")), or the variables that are named there; if "
                    + "they are right, the market's reply above shows why"
            )
        case .identity(let contradiction):
            throw CommandFailure(
                .refused,
                contradiction.description,
                help:
                    "the market shows the vendor number: correct or remove `market.vendor_id` or the `id`, then plan again"
            )
        case .marketUnreachable(let message):
            let done = operations.count { $0.status == .done }
            throw CommandFailure(
                .unreachable,
                "the market at \(market.url) fails: \(message); "
                    + "\(done) of \(counted(operations.count, "operation")) were done",
                help: "finished operations are in the state; apply again when the market is back"
            )
        case .ordered(let reason):
            guard !isPart else { throw CommandFailure(.interrupted, "the run was stopped: \(reason)") }
            throw CommandFailure(.locked, reason, help: "finished operations are in the state; run apply again")
        // The failed operation reports it.
        case .loss, nil: break
        }
        try totals.requireSuccess()
    }
}

extension RunTotals {
    fileprivate func requireSuccess() throws(CommandFailure) {
        // Each was reported.
        if failed + unknown + skipped > 0 { throw CommandFailure(.partialFailure) }
        guard stale > 0 else { return }
        let message = "\(counted(stale, "product")) moved since the plan was saved"
        throw CommandFailure(.stalePlan, message, help: "plan again")
    }
}

extension PlannedChanges {
    /// Checks that every operation would begin; throws the error of a run with this result.
    package func requireNoneRefused() throws(CommandFailure) { try RunTotals(refused).requireSuccess() }
}

extension AppliedRun {
    /// Checks that everything was carried out, including earlier runs.
    package func requireSuccess(at market: MarketTarget) throws {
        try result?.requireSuccess(at: market)
        guard unresolved.isEmpty else { throw CommandFailure.unresolved(unresolved) }
    }

    /// Checks that no changes remain, if that was verified.
    package func requireNothingLeft() throws(CommandFailure) {
        guard remaining?.plan.isEmpty ?? true else {
            throw CommandFailure(.partialFailure, "the market differs from the manifest")
        }
    }
}
