package import OpenMarket
import OpenMarketFiles

/// A saved plan on the market and with the state that it was created for.
///
/// The reasons against applying it are checked in a fixed order: it is not the approved plan, its state is missing, an
/// output would replace an input of the plan, credentials for writing are missing. Only then anything is opened for
/// writing.
package struct SavedRun<Connection: MarketConnection>: Sendable {
    private let saved: SavedPlan
    private let work: MarketWork<Connection>

    /// Checks that the plan is the approved one, and that its state exists.
    ///
    /// `content` is the SHA-256 of the approved plan; with `nil` any plan is applied.
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

    /// Applies the plan as the only writer, except for stale operations.
    ///
    /// `timeout` is how long to wait for another holder of the state. `review` receives the session before anything is
    /// sent, and throws to prevent the apply. `finish` receives the end of every operation.
    package func apply(
        waiting timeout: Duration = .zero,
        accepting acceptance: DescriptionAcceptance? = nil,
        approval: RunApproval? = nil,
        interruption: RunInterruption = RunInterruption(),
        review: (Session) async throws -> Void = { _ in },
        finish: @escaping @Sendable (RunResult) throws -> Void = { _ in }
    ) async throws -> AppliedRun {
        try requireInputsAndCredentials()
        try work.target.profile.requireKnownChanges()
        return try await work.holding(for: "apply", waiting: timeout, accepting: acceptance) { session in
            try await session.apply(saved, approval: approval, interruption: interruption) { _ in
                try await review(session)
            } finish: {
                try finish($0)
            }
        }
    }

    /// Determines which operations of the plan would begin, without writing anything.
    ///
    /// A product that moved on the market is only detected when its request is about to be sent.
    ///
    /// `body` receives the plan with its stale operations, and the market client that describes the requests.
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
