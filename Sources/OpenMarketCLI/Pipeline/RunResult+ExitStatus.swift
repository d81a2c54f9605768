import OpenMarket
import OpenMarketApply
import OpenMarketWorkflow

extension RunResult {
    /// What the run on a market means for the exit code.
    ///
    /// - Throws: ``CommandFailure`` unless everything was carried out.
    func requireSuccess(at market: MarketTarget) throws {
        switch endedBy {
        case .interrupted:
            throw CommandFailure(.interrupted, "interrupted; run apply again to resume")
        case .credentials:
            // The operations have said it in the market's words; those prove nothing, so neither does this sentence.
            let keys = market.profile.capabilities.credentialsForWriting.keys.map { "`market.\($0)`" }
            throw CommandFailure(
                .credentials,
                "the market rejects the credentials: it accepted no write",
                help: "check \(keys.listed("and")), or the variables that are named there; if they are right, the "
                    + "market's own words above say why"
            )
        case .identity(let contradiction):
            throw CommandFailure(
                .refused,
                "\(contradiction)",
                help:
                    "correct `market.vendor_id` or the `id`, or remove the line: the market says who we are; then plan again"
            )
        case .marketUnreachable(let message):
            let done = operations.count { $0.status == .done }
            throw CommandFailure(
                .unreachable,
                "the market at \(market.url) fails: \(message); \(done) of \(counted(operations.count, "operation")) were done",
                help: "what was done is in the state; run apply again when the market is back"
            )
        case .ordered(let message):
            throw CommandFailure(.locked, message, help: "what was done is in the state; run apply again")
        case nil:
            break
        }
        if totals.failed + totals.unknown + totals.skipped > 0 { throw CommandFailure(.partialFailure) }
        if totals.stale > 0 {
            throw CommandFailure(
                .stalePlan,
                "\(counted(totals.stale, "product")) moved since the plan was saved",
                help: "plan again"
            )
        }
    }
}

extension RunResult {
    /// What this machine's part of a run means for the exit code.
    ///
    /// - Throws: ``CommandFailure`` unless all of it was carried out.
    func requireSuccessOfPart(at market: MarketTarget) throws {
        switch endedBy {
        case .interrupted: throw CommandFailure(.interrupted, "interrupted; the other machines of the run go on")
        case .ordered(let reason): throw CommandFailure(.interrupted, "the run was stopped: \(reason)")
        default: try requireSuccess(at: market)
        }
    }
}

extension AppliedRun {
    /// What the run means for the exit code.
    ///
    /// - Throws: ``CommandFailure`` unless everything was carried out, of earlier runs as well.
    func requireSuccess(at market: MarketTarget) throws {
        try result?.requireSuccess(at: market)
        guard unresolved.isEmpty else { throw SessionError.unresolved(unresolved) }
    }
}
