package import OpenMarket

/// What became of a plan that was carried out.
package struct AppliedRun: Sendable {
    /// The run; the journal has it unless there was nothing to do.
    package var run: RunID
    /// How every operation ended; `nil` when there was nothing to do.
    package var result: RunResult?
    /// What earlier runs left unresolved, and is unresolved still.
    var unresolved: [Recovery.Settled]
    /// What is left to do, where that was to be verified and everything before was done.
    var remaining: PlannedChanges?
}

extension RunResult {
    /// Whether the run came to its end and carried out every operation.
    var isComplete: Bool {
        endedBy == nil && totals.failed + totals.unknown + totals.skipped + totals.stale == 0
    }

    /// Whether an operation has a reason of its own why it did not succeed; what was only not started has none.
    package var hasTroubles: Bool {
        totals.failed + totals.unknown + totals.stale > 0 || operations.contains(where: \.isRefused)
    }
}
