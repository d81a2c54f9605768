package import OpenMarket

package struct AppliedRun: Sendable {
    /// The run; it is in the journal unless the plan was empty.
    package var run: RunID
    /// The outcome of every operation; `nil` if the plan was empty.
    package var result: RunResult?
    /// Operations of earlier runs that are still unresolved.
    var unresolved: [Recovery.Settled]
    /// The remaining changes, if a verification was requested and everything before succeeded.
    var remaining: PlannedChanges?
}

extension RunResult {
    var isComplete: Bool {
        endedBy == nil && totals.failed + totals.unknown + totals.skipped + totals.stale == 0
    }

    /// Whether an operation has its own reason for not succeeding; one that was only not started does not.
    package var hasTroubles: Bool {
        totals.failed + totals.unknown + totals.stale > 0 || operations.contains(where: \.isRefused)
    }
}
