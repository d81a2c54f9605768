package import OpenMarket

/// Why a run did not carry out all of its plan.
package enum RunFailure: Error, Hashable, Sendable {
    /// It was interrupted on this machine; the others of the run go on, if there are any.
    case interrupted(othersGoOn: Bool)
    /// The run was stopped elsewhere, or the state does not take its words any more.
    case stopped(String, isPart: Bool)
    /// The market accepted no write with the credentials, which the market's section has under these keys.
    case credentials([String])
    /// The market says that we are another vendor.
    case identity(VendorContradiction)
    /// The market at a URL does not answer; so many operations were done, of how many.
    case unreachable(url: String, String, done: Int, of: Int)
    /// Some operations were not carried out, as has been reported of each.
    case incomplete
    /// Everything was carried out, and planning again still finds something to do.
    case changesLeft
    /// So many products are not as the saved plan says.
    case stale(Int)
}

extension RunFailure: CustomStringConvertible {
    /// What is wrong, in one sentence, lower case, no full stop.
    package var description: String {
        switch self {
        case .interrupted(let othersGoOn):
            "interrupted; " + (othersGoOn ? "the other machines of the run go on" : "run apply again to resume")
        case .stopped(let reason, let isPart): isPart ? "the run was stopped: \(reason)" : reason
        case .credentials([]): "the market accepted no write, and its description sends no credentials"
        case .credentials: "the market rejects the credentials: it accepted no write"
        case .identity(let contradiction): contradiction.description
        case .unreachable(let url, let message, let done, let count):
            "the market at \(url) fails: \(message); \(done) of \(counted(count, "operation")) were done"
        case .incomplete: "not all operations were carried out"
        case .changesLeft: "the market is not as the manifest says"
        case .stale(let count): "\(counted(count, "product")) moved since the plan was saved"
        }
    }
}

extension RunResult {
    /// Makes sure that every operation was carried out.
    ///
    /// - Parameters:
    ///   - market: where.
    ///   - isPart: whether it is what this machine did of another one's run.
    /// - Throws: ``RunFailure``.
    package func requireSuccess(at market: MarketTarget, asPart isPart: Bool = false) throws(RunFailure) {
        switch endedBy {
        case .interrupted: throw .interrupted(othersGoOn: isPart)
        // The operations have said it in the market's words.
        case .credentials: throw .credentials(market.profile.capabilities.credentialsForWriting.keys)
        case .identity(let contradiction): throw .identity(contradiction)
        case .marketUnreachable(let message):
            let done = operations.count { $0.status == .done }
            throw .unreachable(url: market.url, message, done: done, of: operations.count)
        case .ordered(let reason): throw .stopped(reason, isPart: isPart)
        case nil: break
        }
        try totals.requireSuccess()
    }
}

extension RunTotals {
    /// Makes sure that every operation was carried out.
    ///
    /// - Throws: ``RunFailure/incomplete``, ``RunFailure/stale(_:)``.
    fileprivate func requireSuccess() throws(RunFailure) {
        if failed + unknown + skipped > 0 { throw .incomplete }
        if stale > 0 { throw .stale(stale) }
    }
}

extension PlannedChanges {
    /// Makes sure that every operation would be begun.
    ///
    /// - Throws: ``RunFailure`` as a run that ends so.
    package func requireNoneRefused() throws(RunFailure) { try RunTotals(refused).requireSuccess() }
}

extension AppliedRun {
    /// Makes sure that everything was carried out, of earlier runs as well.
    ///
    /// - Throws: ``RunFailure``, `SessionError.unresolved`.
    package func requireSuccess(at market: MarketTarget) throws {
        try result?.requireSuccess(at: market)
        guard unresolved.isEmpty else { throw SessionError.unresolved(unresolved) }
    }

    /// Makes sure that nothing was left to do, where that was verified.
    ///
    /// - Throws: ``RunFailure/changesLeft``.
    package func requireNothingLeft() throws(RunFailure) {
        guard remaining?.plan.isEmpty ?? true else { throw .changesLeft }
    }
}
