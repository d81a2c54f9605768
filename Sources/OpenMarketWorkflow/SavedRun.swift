package import OpenMarket
import OpenMarketFiles

/// A saved plan on the market and with the state that it was made for.
///
/// What keeps it from being carried out is found in one order: it is not the plan that was approved, its state is not here, an
/// output would replace what it was made from, there is nothing to write with. Only then is anything opened to be written.
package struct SavedRun<Connection: MarketConnection>: Sendable {
    private let saved: SavedPlan
    private let work: MarketWork<Connection>

    /// Checks that the plan is the right one, and that its state is here.
    ///
    /// - Parameters:
    ///   - saved: the plan.
    ///   - work: the market and the state.
    ///   - content: the SHA-256 of the plan that was approved; `nil` where any is carried out.
    /// - Throws: ``SessionError/unexpectedPlan(_:expected:)``, ``SessionError/stateMissing(products:location:)``, and what
    ///   the state throws.
    package init(
        _ saved: SavedPlan,
        on work: MarketWork<Connection>,
        expecting content: ContentDigest? = nil
    ) async throws {
        try saved.requireContent(content)
        try await work.state.backend.reading(work.target.scope) { try await saved.requireKnown(in: $0) }
        self.saved = saved
        self.work = work
    }

    /// Carries the plan out as the only writer, but for what is stale.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for another holder of the state.
    ///   - acceptance: how a described market is accepted.
    ///   - approval: what was allowed against the policies, for the journal.
    ///   - interruption: how the run can be interrupted.
    ///   - review: sees the session before anything is sent; throws to keep the plan from being carried out.
    ///   - finish: sees how every operation ended.
    /// - Returns: what became of the plan.
    /// - Throws: `FileConflict`, ``MarketTargetError``, and what ``MarketWork/holding(for:waiting:accepting:_:)`` and the
    ///   session throw.
    package func apply(
        waiting timeout: Duration = .zero,
        accepting acceptance: DescriptionAcceptance? = nil,
        approval: RunApproval? = nil,
        interruption: RunInterruption = RunInterruption(),
        review: (Session) async throws -> Void = { _ in },
        finish: @escaping @Sendable (RunResult) throws -> Void = { _ in }
    ) async throws -> AppliedRun {
        try requireInputsAndCredentials()
        return try await work.holding(for: "apply", waiting: timeout, accepting: acceptance) { session in
            try await session.apply(saved, approval: approval, interruption: interruption) { _ in
                try await review(session)
            } finish: {
                try finish($0)
            }
        }
    }

    /// Finds out what of the plan would be begun, without writing anything.
    ///
    /// Whether a product has moved on the market is only found when its request may leave.
    ///
    /// - Parameter body: sees the plan, with what is stale in it, and the market that describes what would be sent.
    /// - Returns: what the body returns.
    /// - Throws: `FileConflict`, ``MarketTargetError``, and what ``MarketWork/reading(_:)``, the session and the body throw.
    package func previewing<Result>(
        _ body: (PlannedChanges, Connection.Client) async throws -> Result
    ) async throws -> Result {
        try requireInputsAndCredentials()
        return try await work.reading { session, client in
            try await body(session.planned(saved, after: session.preview()), client)
        }
    }

    private func requireInputsAndCredentials() throws {
        saved.noteInputs()
        try FileRegister.current.check()
        try work.target.requireCredentials(for: saved.plan)
    }
}
