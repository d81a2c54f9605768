package import OpenMarket

/// A manifest that is planned and carried out at once.
///
/// What keeps its plan from being carried out is found in one order, after it was shown: it is not sound, which whoever shows
/// it explains, it is not the plan that was approved, there is nothing to write with. Only then is the user asked.
package struct ManifestRun<Connection: MarketConnection>: Sendable {
    private let manifest: Manifest
    private let work: MarketWork<Connection>
    private let options: PlannerOptions
    private let refresh: RefreshMode
    private let content: ContentDigest?

    /// - Parameters:
    ///   - manifest: what should be.
    ///   - work: the market and the state.
    ///   - options: how to plan.
    ///   - refresh: how much of the market to read.
    ///   - content: the SHA-256 of the plan that was approved; `nil` where any is carried out.
    package init(
        _ manifest: Manifest,
        on work: MarketWork<Connection>,
        options: PlannerOptions = PlannerOptions(),
        refresh: RefreshMode = .changed,
        expecting content: ContentDigest? = nil
    ) {
        self.manifest = manifest
        self.work = work
        self.options = options
        self.refresh = refresh
        self.content = content
    }

    /// Plans and carries the plan out, as the only writer.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for another holder of the state.
    ///   - acceptance: how a described market is accepted.
    ///   - approval: what was allowed against the policies, for the journal.
    ///   - interruption: how the run can be interrupted.
    ///   - verifies: whether to plan again once everything was done.
    ///   - ask: asks the user about changes, and throws where they are declined; `nil` where nothing is asked.
    ///   - review: sees the plan; throws where it is not sound.
    ///   - finish: sees how every operation ended, before anything is verified.
    ///   - left: sees what planning again found.
    /// - Returns: what became of the plan.
    /// - Throws: ``SessionError``, ``MarketTargetError``, and what ``MarketWork/holding(for:waiting:accepting:_:)``, the session
    ///   and the closures throw.
    package func apply(
        waiting timeout: Duration = .zero,
        accepting acceptance: DescriptionAcceptance? = nil,
        approval: RunApproval? = nil,
        interruption: RunInterruption = RunInterruption(),
        verifies: Bool = false,
        ask: (() throws -> Void)? = nil,
        review: (SavedPlan, Session) async throws -> Void = { _, _ in },
        finish: @escaping @Sendable (RunResult) throws -> Void = { _ in },
        left: (SavedPlan, Session) async throws -> Void = { _, _ in }
    ) async throws -> AppliedRun {
        try await work.holding(for: "apply", waiting: timeout, accepting: acceptance) { session in
            let applied = try await session.apply(
                manifest,
                options: options,
                refresh: refresh,
                approval: approval,
                interruption: interruption,
                verifies: verifies
            ) { planned in
                let saved = try await session.saved(planned, manifest)
                try await review(saved, session)
                try requireReady(saved)
                guard let ask, saved.plan.hasChanges else { return }
                try ask()
                planned.noteQuestion()
            } finish: {
                try finish($0)
            }
            if let rest = applied.remaining { try await left(session.saved(rest, manifest), session) }
            return applied
        }
    }

    /// Plans without writing anything, and checks the plan as is done before it is carried out.
    ///
    /// - Parameters:
    ///   - review: sees the plan; throws where it is not sound.
    ///   - body: sees the plan, and the market that describes what would be sent.
    /// - Returns: what the body returns.
    /// - Throws: ``SessionError``, ``MarketTargetError``, and what ``MarketWork/reading(_:)``, the session and the closures
    ///   throw.
    package func previewing<Result>(
        review: (PlannedChanges) throws -> Void,
        _ body: (PlannedChanges, Connection.Client) async throws -> Result
    ) async throws -> Result {
        try await work.reading { session, client in
            let planned = try await session.plan(manifest, options: options, refresh: refresh)
            try review(planned)
            try await requireReady(session.saved(planned, manifest))
            return try await body(planned, client)
        }
    }

    private func requireReady(_ saved: SavedPlan) throws {
        guard saved.plan.isSound else { throw SessionError.unsoundPlan }
        try saved.requireContent(content)
        try work.target.requireCredentials(for: saved.plan)
    }
}
