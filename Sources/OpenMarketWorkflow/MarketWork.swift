package import OpenMarket
import OpenMarketFiles

/// Market and state of a command, opened together.
package struct MarketWork<Connection: MarketConnection>: Sendable {
    /// The market.
    package let target: MarketTarget
    /// How the market is reached.
    package var client: Connection
    /// The state.
    package let state: StatePlace
    /// How runs on this market behave; whether they send keys is the market's to say.
    package var configuration: ExecutorConfiguration
    /// The version of the tool.
    let tool: String
    /// Called with what goes on.
    let onEvent: @Sendable (SessionEvent) -> Void

    /// - Parameters:
    ///   - target: the market.
    ///   - client: how it is reached.
    ///   - state: its state.
    ///   - tool: the version of the tool, for documents and the journal.
    ///   - onEvent: called with what goes on, from any thread; must not block.
    package init(
        target: MarketTarget,
        client: Connection,
        state: StatePlace,
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
        return configuration
    }

    /// Looks at market and state without writing to either.
    ///
    /// - Throws: `FileConflict` where an output would replace an input, `StateError`, `moved` where the state goes on
    ///   elsewhere, and what the market and the body throw.
    package func reading<Result>(
        _ body: (Session, Connection.Client) async throws -> Result
    ) async throws -> Result {
        try FileRegister.current.check()
        return try await state.backend.reading(target.scope) { state in
            if let elsewhere = try await state.movedTo() { throw StateError.moved(state.location, to: elsewhere) }
            return try await client.open { client in
                let session = Session(
                    market: client,
                    reading: state,
                    configuration: sessionConfiguration,
                    tool: tool,
                    onEvent: onEvent
                )
                return try await body(session, client)
            }
        }
    }

    /// The requests that a plan would send, as far as they are known beforehand, each with what it is for.
    package func requests(
        of planned: PlannedChanges
    ) -> some Sequence<(operation: PlannedOperation, request: WriteRequest)> {
        let (capabilities, sendsKeys) = (target.profile.capabilities, target.sendsKeys)
        let (operations, refused) = (planned.plan.operations, Set(planned.refused.map(\.sequence)))
        return operations.indices.lazy.filter { !refused.contains($0) }.map { operations[$0] }.flatMap { operation in
            operation.plannedRequests(capabilities, sendsKeys: sendsKeys).map { (operation: operation, request: $0) }
        }
    }

    /// Takes part in the run that is under way, with other machines.
    ///
    /// - Parameters:
    ///   - manifest: what the run was planned from, as it is here.
    ///   - timeout: how long to wait for a run to begin.
    ///   - body: works in the run.
    /// - Returns: what the body returns; `nil` where the run ended before it could be joined.
    /// - Throws: ``JoiningError``, ``SessionError``, and what the state and the body throw.
    package func joining<Result>(
        _ manifest: Manifest,
        waiting timeout: Duration,
        _ body: (Session, RunUnderWay) async throws -> Result
    ) async throws -> Result? {
        try FileRegister.current.check()
        try target.profile.requireWritable()
        try target.requireCredentialsToWrite(withoutSecret: manifest.listings.allSatisfy { $0.secret != nil })
        let worker = Worker(in: state.backend, at: target, with: manifest.digest)
        return try await worker.joining(waiting: timeout) { place in
            // The run began as this description says, so that it was accepted.
            let accepted = try await place.session.acceptedDescription()
            return try await open(accepting: accepted, holding: place.session) { try await body($0, place.run) }
        }
    }

    /// Works on market and state as the only writer.
    ///
    /// - Parameters:
    ///   - command: what the state is held for.
    ///   - timeout: how long to wait for another holder.
    ///   - acceptance: how a described market is accepted; without, only one is written to that the state remembers.
    ///   - body: what to do.
    /// - Returns: what the body returns.
    /// - Throws: ``SessionError``, ``MarketTrustError``, and what the state, the acceptance and the body throw.
    package func holding<Result>(
        for command: String,
        waiting timeout: Duration = .zero,
        accepting acceptance: DescriptionAcceptance? = nil,
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        try FileRegister.current.check()
        // Holding a state makes it.
        try target.profile.requireWritable()
        let trust = try await state.backend.reading(target.scope) { try await MarketTrust(target, rememberedBy: $0) }
        // Asked before the lock is taken, which no other run waits for meanwhile.
        let accepted = try acceptance.map { try trust.accepted(said: $0.said, asking: $0.ask) } ?? trust.remembered
        return try await state.backend.holding(target.scope, for: command, waiting: timeout) { held in
            // The answer holds although there may be nothing to send.
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
            let session = Session(
                market: client,
                holding: state,
                acceptedDescription: accepted,
                configuration: sessionConfiguration,
                tool: tool,
                onEvent: onEvent
            )
            return try await body(session)
        }
    }
}
