public import OpenMarket
public import OpenMarketApply

/// The whole pipeline, in order: what each command is made of.
///
/// ```
/// plan            apply           apply of a saved plan
/// preview ─┐      settle ─┐       settle ─┐
///          plan           plan            planned      <- refuses what is stale
///                         review          review       <- the caller shows it, and asks
///                         apply           apply
///                         verify
/// ```
///
/// A command that has to do something of its own between two steps takes the steps.
extension Session {
    /// Plans, and writes nothing.
    ///
    /// - Parameters:
    ///   - manifest: What should be.
    ///   - options: How to plan.
    ///   - refresh: How much of the market to read.
    /// - Returns: The plan, with what forbids it in it.
    /// - Throws: `MarketError`, ``SessionError``, and what the state throws.
    public func plan(
        _ manifest: Manifest,
        options: PlannerOptions = PlannerOptions(),
        refresh: RefreshMode = .changed
    ) async throws -> PlannedChanges {
        let recovered = try await preview()
        return try await plan(manifest, after: recovered, options: options, refresh: refresh)
    }

    /// Makes the market what the manifest says.
    ///
    /// - Parameters:
    ///   - manifest: What should be.
    ///   - options: How to plan.
    ///   - refresh: How much of the market to read.
    ///   - drain: Ends the run early. Cancelling the task ends it at once.
    ///   - review: Sees the plan before anything is sent; throws to keep it from being carried out.
    /// - Returns: How every operation ended; `nil` when there was nothing to do.
    /// - Throws: ``SessionError/unsoundPlan`` where the plan is forbidden, `MarketError`, what the state and the review
    ///   throw, and `CancellationError`.
    public func apply(
        _ manifest: Manifest,
        options: PlannerOptions = PlannerOptions(),
        refresh: RefreshMode = .changed,
        drain: DrainSignal = DrainSignal(),
        review: (PlannedChanges) async throws -> Void = { _ in }
    ) async throws -> RunResult? {
        let recovered = try await settle(drain: drain)
        let planned = try await plan(manifest, after: recovered, options: options, refresh: refresh)
        try await review(planned)
        return try await apply(planned, manifest: manifest.digest, drain: drain)
    }

    /// Carries out a saved plan as it is, but for what is stale.
    ///
    /// - Parameters:
    ///   - saved: The plan.
    ///   - drain: Ends the run early. Cancelling the task ends it at once.
    ///   - review: Sees the plan before anything is sent; throws to keep it from being carried out.
    /// - Returns: How every operation ended; `nil` when there was nothing to do.
    /// - Throws: `MarketError`, what the state and the review throw, and `CancellationError`.
    public func apply(
        _ saved: SavedPlan,
        drain: DrainSignal = DrainSignal(),
        review: (PlannedChanges) async throws -> Void = { _ in }
    ) async throws -> RunResult? {
        let recovered = try await settle(drain: drain)
        let planned = try await planned(saved, after: recovered)
        try await review(planned)
        return try await apply(planned, manifest: saved.manifestDigest, drain: drain)
    }
}
