package import OpenMarket

package enum RunFailure: Error, Hashable, Sendable {
    /// It was interrupted on this machine; other sessions of the run, if any, continue.
    case interrupted(othersGoOn: Bool)
    /// The run was stopped elsewhere, or the state no longer accepts its writes.
    case stopped(String, isPart: Bool)
    /// The market accepted no write with the credentials under these keys of the market's section.
    case credentials([String])
    /// The market shows another vendor identity.
    case identity(VendorContradiction)
    /// The market at a URL does not answer; `done` is the number of completed operations.
    case unreachable(url: String, String, done: Int, of: Int)
    /// Some operations were not carried out; each was reported.
    case incomplete
    /// Everything was carried out, but planning again still finds changes.
    case changesLeft
    /// This many products differ from the saved plan.
    case stale(Int)
}

extension RunFailure: CustomStringConvertible {
    /// The error in one sentence, lower case, no full stop.
    package var description: String {
        switch self {
        case .interrupted(let othersGoOn):
            "interrupted; " + (othersGoOn ? "the other machines of the run go on" : "run apply again to resume")
        case .stopped(let reason, let isPart): isPart ? "the run was stopped: \(reason)" : reason
        case .credentials([]): "the market accepted no write, and its description does not send credentials"
        case .credentials: "the market rejects the credentials: it accepted no write"
        case .identity(let contradiction): contradiction.description
        case .unreachable(let url, let message, let done, let count):
            "the market at \(url) fails: \(message); \(done) of \(counted(count, "operation")) were done"
        case .incomplete: "not all operations were carried out"
        case .changesLeft: "the market differs from the manifest"
        case .stale(let count): "\(counted(count, "product")) moved since the plan was saved"
        }
    }
}

extension RunResult {
    /// Checks that every operation was carried out.
    ///
    /// `isPart` is whether the totals are this machine's part of another one's run.
    package func requireSuccess(at market: MarketTarget, asPart isPart: Bool = false) throws(RunFailure) {
        switch endedBy {
        case .interrupted: throw .interrupted(othersGoOn: isPart)
        // The operations have reported the market's message already.
        case .credentials: throw .credentials(market.profile.capabilities.credentialsForWriting.keys)
        case .identity(let contradiction): throw .identity(contradiction)
        case .marketUnreachable(let message):
            let done = operations.count { $0.status == .done }
            throw .unreachable(url: market.url, message, done: done, of: operations.count)
        case .ordered(let reason): throw .stopped(reason, isPart: isPart)
        // The failed operation reports it.
        case .loss, nil: break
        }
        try totals.requireSuccess()
    }
}

extension RunTotals {
    fileprivate func requireSuccess() throws(RunFailure) {
        if failed + unknown + skipped > 0 { throw .incomplete }
        if stale > 0 { throw .stale(stale) }
    }
}

extension PlannedChanges {
    /// Checks that every operation would begin; throws the error of a run with this result.
    package func requireNoneRefused() throws(RunFailure) { try RunTotals(refused).requireSuccess() }
}

extension AppliedRun {
    /// Checks that everything was carried out, including earlier runs.
    package func requireSuccess(at market: MarketTarget) throws {
        try result?.requireSuccess(at: market)
        guard unresolved.isEmpty else { throw SessionError.unresolved(unresolved) }
    }

    /// Checks that no changes remain, if that was verified.
    package func requireNothingLeft() throws(RunFailure) {
        guard remaining?.plan.isEmpty ?? true else { throw .changesLeft }
    }
}
