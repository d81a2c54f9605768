package import OpenMarket

/// The whole pipeline, in order: what the commands run.
///
/// ```
/// plan            apply           apply of a saved plan
/// preview ─┐      settle ─┐       settle ─┐
///          plan           plan            planned      <- refuses what is stale
///                         review          review       <- the caller shows it, and asks
///                         apply           apply
///                         verify
/// ```
extension Session {
    /// Plans, and writes nothing.
    ///
    /// - Parameters:
    ///   - manifest: What should be.
    ///   - options: How to plan.
    ///   - refresh: How much of the market to read.
    ///   - pictures: Keeps the pictures that are fetched to be compared, for a review to show them.
    /// - Returns: The plan, with what forbids it in it.
    /// - Throws: `MarketError`, ``SessionError``, and what the state throws.
    package func plan(
        _ manifest: Manifest,
        options: PlannerOptions = PlannerOptions(),
        refresh: RefreshMode = .changed,
        keeping pictures: (any PictureStore)? = nil
    ) async throws -> PlannedChanges {
        try await plan(manifest, after: preview(), options: options, refresh: refresh, keeping: pictures)
    }

    /// Makes the market what the manifest says.
    ///
    /// - Parameters:
    ///   - manifest: What should be.
    ///   - options: How to plan.
    ///   - refresh: How much of the market to read.
    ///   - approval: What was allowed against the policies, for the journal.
    ///   - interruption: How the run can be interrupted.
    ///   - verifies: Whether to plan again once everything was done.
    ///   - review: Sees the plan before anything is sent; throws to keep it from being carried out.
    ///   - finish: Sees how every operation ended, before anything is verified.
    /// - Returns: What became of the plan.
    /// - Throws: ``SessionError/unsoundPlan`` where the plan is forbidden, `MarketError`, what the state and the closures
    ///   throw, and `CancellationError`.
    func apply(
        _ manifest: Manifest,
        options: PlannerOptions = PlannerOptions(),
        refresh: RefreshMode = .changed,
        approval: RunApproval? = nil,
        interruption: RunInterruption = RunInterruption(),
        verifies: Bool = false,
        review: (inout PlannedChanges) async throws -> Void = { _ in },
        finish: @escaping @Sendable (RunResult) throws -> Void = { _ in }
    ) async throws -> AppliedRun {
        let recovered = try await settle(drain: interruption.drain)
        var planned = try await plan(manifest, after: recovered, options: options, refresh: refresh)
        try await review(&planned)
        return try await carryOut(planned, manifest.digest, approval, interruption, finish) {
            verifies ? try await verify(manifest, options: options) : nil
        }
    }

    /// Carries out a saved plan as it is, but for what is stale.
    ///
    /// - Parameters:
    ///   - saved: The plan.
    ///   - approval: What was allowed against the policies, for the journal.
    ///   - interruption: How the run can be interrupted.
    ///   - review: Sees the plan before anything is sent; throws to keep it from being carried out.
    ///   - finish: Sees how every operation ended.
    /// - Returns: What became of the plan.
    /// - Throws: `MarketError`, what the state and the closures throw, and `CancellationError`.
    func apply(
        _ saved: SavedPlan,
        approval: RunApproval? = nil,
        interruption: RunInterruption = RunInterruption(),
        review: (inout PlannedChanges) async throws -> Void = { _ in },
        finish: @escaping @Sendable (RunResult) throws -> Void = { _ in }
    ) async throws -> AppliedRun {
        var planned = try await planned(saved, after: settle(drain: interruption.drain))
        try await review(&planned)
        return try await carryOut(planned, saved.manifestDigest, approval, interruption, finish) { nil }
    }

    /// Applies a plan and looks after it; what is unresolved or not done keeps it from being verified.
    private func carryOut(
        _ planned: PlannedChanges,
        _ manifest: ContentDigest,
        _ approval: RunApproval?,
        _ interruption: RunInterruption,
        _ finish: @escaping @Sendable (RunResult) throws -> Void,
        verify: @escaping @Sendable () async throws -> PlannedChanges?
    ) async throws -> AppliedRun {
        let record = runRecord(manifest: manifest, approval: approval)
        return try await interruption.run {
            do {
                return try await apply(planned, as: record, drain: interruption.drain)
            } catch let lost as LostRun {
                // What ended the run is reported, even where the result cannot be written either.
                try? finish(lost.result)
                throw lost.reason
            }
        } then: { result in
            if let result { try finish(result) }
            let unresolved = planned.recovery.unresolved(besides: planned.plan)
            var run = AppliedRun(run: record.id, result: result, unresolved: unresolved)
            if result?.isComplete ?? true, run.unresolved.isEmpty { run.remaining = try await verify() }
            return run
        }
    }
}
