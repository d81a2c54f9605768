package import OpenMarket
import OpenMarketFiles

package struct RunTerms: Sendable {
    /// The limit of the wait for another holder of the state.
    package var lockTimeout: Duration = .zero
    /// Without it, a described market is written to only if the state has its acceptance.
    package var acceptance: DescriptionAcceptance?
    package var approval: RunApproval?
    /// The SHA-256 of the approved plan; `nil` accepts any plan.
    package var content: ContentDigest?

    package init() {}
}

// Plans a manifest and applies it at once. After the plan is shown, three checks follow in a fixed order: it is sound,
// it is the approved plan, and the credentials for writing are set. Only then the run asks the user.
extension MarketWork {
    /// Plans a manifest and applies the plan, as the only writer.
    ///
    /// `drain` ends the run early. With `verifies`, it plans again after all operations are done.
    ///
    /// - `ask` asks the user about changes, and throws if they are declined; `nil` skips the question.
    /// - `edit` writes the manifest's files before anything is sent, if they are edited.
    /// - `review` receives the plan, and throws if it is not sound.
    /// - `finish` receives the result of every operation, before the verification.
    /// - `left` receives the plan of the verification.
    package func apply(
        _ manifest: Manifest,
        options: PlannerOptions = .standard,
        refresh: RefreshMode = .changed,
        on terms: RunTerms = RunTerms(),
        drain: StopSignal = StopSignal(),
        verifies: Bool = false,
        ask: (() throws -> Void)? = nil,
        edit: (isEmpty: Bool, write: () throws -> Void)? = nil,
        review: (SavedPlan, Session) async throws -> Void = { _, _ in },
        finish: (RunResult) throws -> Void = { _ in },
        left: (SavedPlan, Session) async throws -> Void = { _, _ in }
    ) async throws -> AppliedRun {
        try target.profile.requireKnownChanges()
        return try await holding(for: "apply", waiting: terms.lockTimeout, accepting: terms.acceptance) { session in
            let applied = try await session.apply(
                manifest,
                options: options,
                refresh: refresh,
                approval: terms.approval,
                drain: drain,
                verifies: verifies
            ) { planned in
                let saved = try await session.saved(planned, manifest)
                try await review(saved, session)
                try requireReady(saved, terms.content)
                if let ask, !saved.plan.isEmpty || edit?.isEmpty == false {
                    try ask()
                    planned.noteQuestion()
                }
                try edit?.write()
            } finish: {
                try finish($0)
            }
            if let rest = applied.remaining { try await left(session.saved(rest, manifest), session) }
            return applied
        }
    }

    /// Plans a manifest without writing anything, with the same checks as before applying.
    ///
    /// `review` receives the plan, and throws if it is not sound. `body` receives the plan, and the market client that
    /// describes the requests.
    package func previewing<Result>(
        _ manifest: Manifest,
        options: PlannerOptions = .standard,
        refresh: RefreshMode = .changed,
        expecting content: ContentDigest? = nil,
        review: (PlannedChanges) throws -> Void,
        _ body: (PlannedChanges, Connection.Client) async throws -> Result
    ) async throws -> Result {
        try await reading { session, client in
            let planned = try await session.plan(manifest, options: options, refresh: refresh)
            try review(planned)
            try await requireReady(session.saved(planned, manifest), content)
            return try await body(planned, client)
        }
    }

    private func requireReady(_ saved: SavedPlan, _ content: ContentDigest?) throws {
        guard saved.plan.isSound else { throw CommandFailure.unsoundPlan }
        try saved.requireContent(content)
        try target.requireCredentials(for: saved.plan)
    }
}

// Applies a saved plan to its market and its state. The checks have a fixed order: it is the approved plan, its state
// exists, no output replaces an input of the plan, and the credentials for writing are set. Only then anything is
// opened for writing.
extension MarketWork {
    /// Applies a saved plan as the only writer, except for stale operations.
    ///
    /// `drain` ends the run early. `review` receives the session before anything is sent, and throws to prevent the
    /// apply. `finish` receives the result of every operation.
    package func apply(
        _ saved: SavedPlan,
        on terms: RunTerms = RunTerms(),
        drain: StopSignal = StopSignal(),
        review: (Session) async throws -> Void = { _ in },
        finish: (RunResult) throws -> Void = { _ in }
    ) async throws -> AppliedRun {
        try await requireUsable(saved, terms.content)
        try target.profile.requireKnownChanges()
        return try await holding(for: "apply", waiting: terms.lockTimeout, accepting: terms.acceptance) { session in
            try await session.apply(saved, approval: terms.approval, drain: drain) { _ in
                try await review(session)
            } finish: {
                try finish($0)
            }
        }
    }

    /// Determines which operations of a saved plan would begin, without writing anything.
    ///
    /// A change of the product on the market is only detected just before its request.
    ///
    /// `body` receives the plan with its stale operations, and the market client that describes the requests.
    package func previewing<Result>(
        _ saved: SavedPlan,
        expecting content: ContentDigest? = nil,
        _ body: (PlannedChanges, Connection.Client) async throws -> Result
    ) async throws -> Result {
        try await requireUsable(saved, content)
        return try await reading { session, client in
            try await body(session.planned(saved, after: session.preview()), client)
        }
    }

    private func requireUsable(_ saved: SavedPlan, _ content: ContentDigest?) async throws {
        try saved.requireContent(content)
        try await state.backend.reading(target.scope) { try await saved.requireKnown(in: $0) }
        saved.noteInputs()
        try FileRegister.current.check()
        try target.requireCredentials(for: saved.plan)
    }
}
