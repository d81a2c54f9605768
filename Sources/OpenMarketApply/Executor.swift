import Logging
public import OpenMarket

/// Carries out the operations of a plan: the driver around ``OperationMachine``.
///
/// In phases — adopt, create, update, replace, delete, forget — each with a bounded number of operations at once.
/// One product's failure stops nothing else. Creates without reply are settled when everything else is through.
public struct Executor: Sendable {
    private let market: any Market
    private let state: any StateSession
    private let capabilities: MarketCapabilities
    private let configuration: ExecutorConfiguration
    private let environment: ExecutionEnvironment
    private let onEvent: @Sendable (ExecutionEvent) -> Void

    /// An executor.
    ///
    /// - Parameters:
    ///   - market: The market.
    ///   - state: Where everything is written down.
    ///   - capabilities: What the market can do.
    ///   - configuration: How runs behave.
    ///   - environment: Clock, date and random numbers.
    ///   - onEvent: Called with each event, from any thread; must not block.
    public init(
        market: any Market,
        state: any StateSession,
        capabilities: MarketCapabilities,
        configuration: ExecutorConfiguration = ExecutorConfiguration(),
        environment: ExecutionEnvironment,
        onEvent: @escaping @Sendable (ExecutionEvent) -> Void = { _ in }
    ) {
        self.market = market
        self.state = state
        self.capabilities = capabilities
        self.configuration = configuration
        self.environment = environment
        self.onEvent = onEvent
    }

    /// Carries out operations.
    ///
    /// - Parameters:
    ///   - record: The run.
    ///   - operations: What to do; the index of each is its sequence in the journal.
    ///   - snapshot: The state, with the plan's own state updates in it.
    ///   - highWater: The newest id known; `nil` when no catalog was read, then the executor reads it before a create.
    ///   - namesakes: What the plan knew of the names that it makes.
    ///   - identity: Who we are, as the plan of this moment found it. `nil` when the plan is not of this moment: then the
    ///     catalog is read again before a create, what appeared since is not made a second time, and what the plan says of
    ///     our vendor number is a claim.
    ///   - refusals: Operations that are not begun, by their index, and why.
    ///   - pendingDeletes: What ``Recovery`` found half done; their operations are among `operations`.
    ///   - drain: Ends the run early. Cancelling the task ends it at once.
    /// - Returns: How every operation ended.
    /// - Throws: What the journal throws: nothing is sent that cannot be written down. ``MarketError`` when the
    ///   newest id cannot be read. ``LostRun`` when the session is over or the state cannot be written any more.
    ///   `CancellationError` when the task is cancelled; the journal has it all.
    public func run(
        _ record: RunRecord,
        operations: [PlannedOperation],
        snapshot: StateSnapshot,
        highWater: MarketID?,
        namesakes: KnownNamesakes? = nil,
        identity: VendorIdentity? = nil,
        refusals: [Int: OperationRefusal] = [:],
        pendingDeletes: [Recovery.PendingDelete] = [],
        drain: DrainSignal = DrainSignal()
    ) async throws -> RunResult {
        var opening = Opening(
            highWater: highWater,
            identity: identity,
            contested: Set(namesakes?.contested ?? []),
            refusals: refusals
        )
        for (index, operation) in operations.enumerated() where refusals[index] == nil {
            opening.refusals[index] = operation.mismatch.map { OperationRefusal(.skipped, "not started: \($0)") }
        }
        let keys = ownKeys(operations, snapshot)
        opening.identity?.keys = keys
        if highWater == nil || identity == nil && namesakes != nil,
            operations.indices.contains(where: { operations[$0].makesProduct && opening.refusals[$0] == nil })
        {
            try await readCatalog(for: operations, snapshot, namesakes, keys, &opening)
        }
        try await state.begin(record, operations: operations)
        var known = opening.identity ?? VendorIdentity(claim: namesakes?.vendorID, state: snapshot, live: [:])
        known.keys = keys
        let ledger = RunLedger(
            snapshot: snapshot,
            identity: known,
            highWater: opening.highWater,
            breaker: CircuitBreaker(threshold: configuration.breakerThreshold)
        )
        let run = executionRun(record.id, ledger: ledger, contested: opening.contested, drain: drain)
        let outcomes = RunOutcomes(count: operations.count)
        do {
            let results = try await withTaskExecutorPreference(market.executor) { [opening] in
                try await SessionWatch(state: state, drain: drain, clock: run.time.clock).during {
                    try await run.carryOut(operations, except: opening.refusals, finishing: pendingDeletes, outcomes)
                }
            }
            if let contradiction = run.ledger.identity.contradiction { drain.stop(.identity(contradiction)) }
            if let message = run.credentials.everyWriteWasRefused(results) { drain.stop(.credentials(message)) }
            let result = run.result(results)
            try await state.finish(record.id, totals: result.totals, interrupted: result.interrupted)
            return result
        } catch let error as StateError where error.losesRun {
            drain.stop(.ordered(error.message))
            throw LostRun(result: run.result(run.resultsSoFar(operations, outcomes)), reason: error)
        }
    }

    /// What a run begins with.
    private struct Opening {
        var highWater: MarketID?
        var identity: VendorIdentity?
        var contested: Set<String>
        var refusals: [Int: OperationRefusal]
    }

    /// The keys of our products, where products carry them.
    private func ownKeys(_ operations: [PlannedOperation], _ snapshot: StateSnapshot) -> OwnKeys? {
        guard configuration.sendsKeys else { return nil }
        return OwnKeys([operations.map(\.key), Array(snapshot.entries.keys)].joined(), capabilities)
    }

    /// Reads the catalog before products are made: the newest id, who we are, and what appeared since the plan.
    private func readCatalog(
        for operations: [PlannedOperation],
        _ snapshot: StateSnapshot,
        _ namesakes: KnownNamesakes?,
        _ keys: OwnKeys?,
        _ opening: inout Opening
    ) async throws {
        var catalog = try await market.catalog()
        if opening.identity == nil {
            if let namesakes {
                var seen = VendorIdentity(claim: namesakes.vendorID, state: snapshot, live: catalog.products)
                seen.keys = keys
                let check = NamesakeCheck(known: namesakes, identity: seen, operations: operations)
                if check.isUnclear(catalog) { catalog = try await market.catalog() }
                opening.contested.formUnion(check.contested(catalog))
                opening.refusals.merge(check.refusals(catalog: catalog, snapshot: snapshot)) { first, _ in first }
            }
            var seen = VendorIdentity(claim: namesakes?.vendorID, state: snapshot, live: catalog.products)
            seen.keys = keys
            seen.findWitnesses(state: snapshot, live: catalog.products)
            opening.identity = seen
        }
        opening.highWater = [opening.highWater, catalog.highWater].compactMap(\.self).newest()
    }

    private func executionRun(
        _ id: RunID,
        ledger: RunLedger,
        contested: Set<String>,
        drain: DrainSignal
    ) -> ExecutionRun {
        let time = RunTime(environment)
        return ExecutionRun(
            id: id,
            market: market,
            state: state,
            capabilities: capabilities,
            configuration: configuration,
            time: time,
            random: environment.random,
            onEvent: onEvent,
            drain: drain,
            gate: RequestGate(
                Throttle(
                    parallelism: configuration.parallelism,
                    rate: configuration.rate,
                    maximumPause: configuration.maximumPause
                ),
                time: time,
                drain: drain
            ),
            sender: RequestSender(market, in: state, drain: drain),
            ledger: ledger,
            lookup: ProductLookup(market: market, hiding: capabilities.readAfterWriteDelay) {
                try await drain.pause(for: $0, on: time.clock)
            },
            credentials: CredentialsWatch(),
            contested: contested
        )
    }
}
