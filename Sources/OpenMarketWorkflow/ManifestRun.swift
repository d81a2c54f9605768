package import OpenMarket

/// A manifest that is planned and applied at once.
///
/// After the plan was shown, the reasons against applying it are checked in a fixed order: it is not sound, it is not
/// the approved plan, credentials for writing are missing. Only then the user is asked.
package struct ManifestRun<Connection: MarketConnection>: Sendable {
    private let manifest: Manifest
    private let work: MarketWork<Connection>
    private let options: PlannerOptions
    private let refresh: RefreshMode
    private let content: ContentDigest?

    /// `content` is the SHA-256 of the approved plan; with `nil` any plan is applied.
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

    /// Plans and applies the plan, as the only writer.
    ///
    /// `timeout` is how long to wait for another holder of the state. With `verifies`, it plans again after everything
    /// was done.
    ///
    /// - `ask` asks the user about changes, and throws if they are declined; with `nil` nothing is asked.
    /// - `review` receives the plan, and throws if it is not sound.
    /// - `finish` receives the end of every operation, before anything is verified.
    /// - `left` receives the plan of the verification.
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
        try work.target.profile.requireKnownChanges()
        return try await work.holding(for: "apply", waiting: timeout, accepting: acceptance) { session in
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

    /// Plans without writing anything, with the same checks as before applying.
    ///
    /// `review` receives the plan, and throws if it is not sound. `body` receives the plan, and the market client that
    /// describes the requests.
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
