package import OpenMarket

/// The steps of each command, in order.
///
/// ```
/// plan            apply           apply of a saved plan
/// preview ─┐      settle ─┐       settle ─┐
///          plan           plan            planned      <- refuses stale operations
///                         review          review       <- the caller shows it, and asks
///                         apply           apply
///                         verify
/// ```
extension Session {
    /// Plans without writing anything; the plan includes its errors and refusals.
    ///
    /// `pictures` keeps the pictures that are fetched for comparison, for a review to show.
    package func plan(
        _ manifest: Manifest,
        options: PlannerOptions = .standard,
        refresh: RefreshMode = .changed,
        keeping pictures: (any PictureStore)? = nil
    ) async throws -> PlannedChanges {
        try await plan(manifest, after: preview(manifest), options: options, refresh: refresh, keeping: pictures)
    }

    /// Makes the market match the manifest.
    ///
    /// With `verifies`, it plans again after all operations are done. `review` receives the plan before anything is
    /// sent, and throws to prevent the apply. `finish` receives the result of every operation, before the verification.
    ///
    /// Throws ``CommandFailure/unsoundPlan`` if the plan has errors or refusals.
    func apply(
        _ manifest: Manifest,
        options: PlannerOptions = .standard,
        refresh: RefreshMode = .changed,
        approval: RunApproval? = nil,
        drain: StopSignal = StopSignal(),
        verifies: Bool = false,
        review: (inout PlannedChanges) async throws -> Void = { _ in },
        finish: (RunResult) throws -> Void = { _ in }
    ) async throws -> AppliedRun {
        let recovered = try await settle(manifest, drain: drain)
        var planned = try await plan(manifest, after: recovered, options: options, refresh: refresh)
        try await review(&planned)
        return try await carryOut(planned, manifest.digest, approval, drain, finish) {
            verifies ? try await verify(manifest, options: options) : nil
        }
    }

    /// Applies a saved plan unchanged, except for stale operations.
    ///
    /// `review` receives the plan before anything is sent, and throws to prevent the apply. `finish` receives the
    /// result of every operation.
    func apply(
        _ saved: SavedPlan,
        approval: RunApproval? = nil,
        drain: StopSignal = StopSignal(),
        review: (inout PlannedChanges) async throws -> Void = { _ in },
        finish: (RunResult) throws -> Void = { _ in }
    ) async throws -> AppliedRun {
        var planned = try await planned(saved, after: settle(drain: drain))
        try await review(&planned)
        return try await carryOut(planned, saved.manifestDigest, approval, drain, finish) { nil }
    }

    /// Applies a plan and verifies it, unless operations are unresolved or not done.
    private func carryOut(
        _ planned: PlannedChanges,
        _ manifest: ContentDigest,
        _ approval: RunApproval?,
        _ drain: StopSignal,
        _ finish: (RunResult) throws -> Void,
        verify: () async throws -> PlannedChanges?
    ) async throws -> AppliedRun {
        let record = runRecord(manifest: manifest, approval: approval)
        var result: RunResult?
        do {
            result = try await drain.obeyed { try await apply(planned, as: record, drain: drain) }
        } catch var lost as LostRun {
            lost.result.decisions = approval?.decisions
            // The error that ended the run is reported, even if the result cannot be written either.
            try? finish(lost.result)
            throw lost.reason
        }
        result?.decisions = approval?.decisions
        if let result { try finish(result) }
        let unresolved = planned.recovery.unresolved(besides: planned.plan)
        var run = AppliedRun(run: record.id, result: result, unresolved: unresolved)
        if result?.isComplete ?? true, run.unresolved.isEmpty { run.remaining = try await verify() }
        return run
    }
}
