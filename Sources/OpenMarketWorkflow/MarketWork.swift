package import OpenMarket
import OpenMarketFiles

/// A command's market and state, opened together.
package struct MarketWork<Connection: MarketConnection>: Sendable {
    package let target: MarketTarget
    package var client: Connection
    package let state: OpenedState
    /// The settings of runs on this market; the market decides whether they send keys.
    package var configuration: ExecutorConfiguration
    /// The most bytes of pictures that runs keep for `undo`; 0 disables it.
    package var keptPictureBytes = PictureKeeping.standardLimit
    let tool: String
    let onEvent: @Sendable (SessionEvent) -> Void

    /// `tool` is the tool's version, for documents and the journal.
    ///
    /// `onEvent` is called from any thread, and must not block.
    package init(
        target: MarketTarget,
        client: Connection,
        state: OpenedState,
        tool: String,
        onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) {
        self.target = target
        self.client = client
        self.state = state
        configuration = ExecutorConfiguration()
        configuration.parallelism = client.parallelism
        self.tool = tool
        self.onEvent = onEvent
    }

    private var sessionConfiguration: ExecutorConfiguration {
        var configuration = configuration
        configuration.sendsKeys = target.sendsKeys
        configuration.origins = state.origins
        return configuration
    }

    /// Reads market and state without writing to either.
    ///
    /// Throws `FileConflict` if an output would replace an input, and `StateError` with code `moved` if the state has
    /// moved.
    package func reading<Result>(
        _ body: (Session, Connection.Client) async throws -> Result
    ) async throws -> Result {
        try FileRegister.current.check()
        return try await state.backend.reading(target.scope) { state in
            if let elsewhere = try await state.movedTo() { throw StateError.moved(state.location, to: elsewhere) }
            return try await client.open { client in
                var session = Session(
                    market: client,
                    reading: state,
                    configuration: sessionConfiguration,
                    tool: tool,
                    onEvent: onEvent
                )
                session.knownMarkets = self.state.backend.markets
                return try await body(session, client)
            }
        }
    }

    /// The requests that a plan would send, as far as they are foreseeable, each with its operation.
    package func requests(
        of planned: PlannedChanges
    ) -> some Sequence<(operation: PlannedOperation, request: WriteRequest)> {
        let (capabilities, sendsKeys) = (target.profile.capabilities, target.sendsKeys)
        let (operations, refused) = (planned.plan.operations, Set(planned.refused.map(\.sequence)))
        return operations.indices.lazy.filter { !refused.contains($0) }.map { operations[$0] }.flatMap { operation in
            operation.plannedRequests(capabilities, sendsKeys: sendsKeys).map { (operation: operation, request: $0) }
        }
    }

    /// Joins the run that is under way on other machines.
    ///
    /// `manifest` is the local copy of the manifest that the run was planned from. `timeout` limits the wait for a run
    /// to begin. Returns `nil` if the run ended before it could be joined.
    package func joining<Result>(
        _ manifest: Manifest,
        waiting timeout: Duration,
        _ body: (Session, RunUnderWay) async throws -> Result
    ) async throws -> Result? {
        try FileRegister.current.check()
        try target.profile.requireWritable()
        try target.requireCredentialsToWrite(withoutSecret: manifest.listings.allSatisfy { $0.secret != nil })
        let worker = Worker(backend: state.backend, target: target, manifest: manifest.digest)
        return try await worker.joining(waiting: timeout) { run, session in
            // The run began with this description, so it was accepted.
            let accepted = try await session.acceptedDescription()
            return try await open(accepting: accepted, holding: session) { try await body($0, run) }
        }
    }

    /// Works on market and state as the only writer.
    ///
    /// `command` states the purpose of the lease, and `timeout` limits the wait for another holder. Without
    /// `acceptance`, a described market is written to only if the state has its acceptance.
    package func holding<Result>(
        for command: String,
        waiting timeout: Duration = .zero,
        accepting acceptance: DescriptionAcceptance? = nil,
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        try FileRegister.current.check()
        // Checked first, because holding a state creates it.
        try target.profile.requireWritable()
        let trust = try await state.backend.reading(target.scope) { try await MarketTrust(target, rememberedBy: $0) }
        // The user answers before the lock is taken, so no other run waits meanwhile.
        let accepted = try acceptance.map { try trust.accepted(said: $0.said, asking: $0.ask) } ?? trust.remembered
        return try await state.backend.holding(target.scope, for: command, waiting: timeout) { held in
            // The acceptance stays valid, even without a request.
            if let accepted, trust.remembered == nil { try await held.accept(accepted) }
            return try await open(accepting: accepted, holding: held, body)
        }
    }

    private func open<Result>(
        accepting accepted: ContentDigest?,
        holding state: any StateSession,
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        var client = client
        client.acceptedDescription = accepted
        client.onShopPage = { [onEvent] in onEvent(.shopPage($0)) }
        return try await client.open { client in
            var session = Session(
                market: client,
                reading: state,
                holding: state,
                accepting: accepted,
                configuration: sessionConfiguration,
                tool: tool,
                onEvent: onEvent
            )
            session.keeping = self.state.keepingPictures(to: keptPictureBytes)
            session.knownMarkets = self.state.backend.markets
            return try await body(session)
        }
    }
}
