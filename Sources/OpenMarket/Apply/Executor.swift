import Logging

/// Carries out the operations of a plan: the driver around ``OperationMachine``.
///
/// In phases — adopt, create, update, replace, delete, forget — each with a bounded number of operations at once.
/// One product's failure stops nothing else. Creates without reply are settled when everything else is through.
package struct Executor: Sendable {
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
    package init(
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
    package func run(
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
            refusals: OperationRefusal.all(of: operations, besides: refusals)
        )
        let keys = ownKeys(operations, snapshot)
        opening.identity?.keys = keys
        if highWater == nil || identity == nil && namesakes != nil,
            operations.indices.contains(where: { operations[$0].makesProduct && opening.refusals[$0] == nil })
        {
            try await readCatalog(for: operations, snapshot, namesakes, keys, &opening)
        }
        var known = opening.identity ?? VendorIdentity(claim: namesakes?.vendorID, state: snapshot, live: [:])
        known.keys = keys
        let chunks = chunks(of: operations, record, opening, pendingDeletes)
        var run = executionRun(
            record.id,
            RunOperations(planned: operations, refusals: opening.refusals, besides: chunks, state),
            ledger: RunLedger(snapshot, known, opening.highWater, breaker),
            drain: drain
        )
        run.isBegunHere = true
        run.contested = opening.contested
        run.pendingDeletes = pendingDeletes
        let begins = operations.indices.filter { opening.refusals[$0] == nil }.map { operations[$0] }
        try await withTaskExecutorPreference(market.executor) { [run] in try await run.confirm(for: begins) }
        try await state.begin(record, operations: operations, chunks: chunks)
        if !chunks.isEmpty { try await limitRate(of: record.id) }
        return try await carryOut(run)
    }

    /// Takes part in a run that another session began.
    ///
    /// The session is one that joined the run. It gets chunks of it as long as there are any, those of sessions that are over
    /// included, and finds out what became of its own creates when there are none left.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - vendorID: Our vendor number as the manifest says it: a claim, as in
    ///     ``run(_:operations:snapshot:highWater:namesakes:identity:refusals:pendingDeletes:drain:)``.
    ///   - drain: Ends this session's part early. What the user stops, or what only this machine cannot do, because it has no
    ///     credentials or does not reach the market, goes back to the other sessions.
    ///   - adapt: Makes an operation, which another machine planned, one of this machine: the paths of its pictures are that
    ///     machine's. Called before anything of its chunk is begun. What it throws ends this session's part and is thrown, and
    ///     the chunk is another one's when the session is closed.
    /// - Returns: How the operations ended that this session carried out.
    /// - Throws: What ``run(_:operations:snapshot:highWater:namesakes:identity:refusals:pendingDeletes:drain:)`` throws,
    ///   ``LostRun`` with what this session carried out.
    package func work(
        in run: RunID,
        vendorID: Int64? = nil,
        drain: DrainSignal = DrainSignal(),
        adapting adapt: @escaping @Sendable (PlannedOperation) throws -> PlannedOperation
    ) async throws -> RunResult {
        try await limitRate(of: run)
        let snapshot = try await state.snapshot()
        // What other sessions made of it a moment ago is older than anything that this one makes.
        try await drain.pause(for: capabilities.readAfterWriteDelay, on: environment.clock)
        let catalog = try await market.catalog()
        var identity = VendorIdentity(claim: vendorID, state: snapshot, live: catalog.products)
        identity.keys = ownKeys([], snapshot)
        identity.findWitnesses(state: snapshot, live: catalog.products)
        let run = executionRun(
            run,
            RunOperations(of: state, adapting: adapt),
            ledger: RunLedger(snapshot, identity, catalog.highWater, breaker),
            drain: drain
        )
        return try await carryOut(run)
    }

    /// Has the sessions of a run share the rate that this one was given.
    private func limitRate(of run: RunID) async throws {
        guard let rate = configuration.rate else { return }
        try await state.limit(run, toOneRequestIn: Throttle.interval(of: rate))
    }

    /// Carries out what there is to do for this session, and closes the run or leaves it.
    private func carryOut(_ run: ExecutionRun) async throws -> RunResult {
        let outcomes = RunOutcomes(count: run.operations.planned.count)
        do {
            var watch = SessionWatch(state: state, drain: run.drain, clock: run.time.clock)
            if run.operations.isShared { watch.onDrain = { try await run.passOnStop() } }
            try await withTaskExecutorPreference(market.executor) { [watch] in
                try await watch.during { try await run.carryOut(outcomes) }
            }
            let results = outcomes.takeResults()
            if let contradiction = run.ledger.identity.contradiction { run.drain.stop(.identity(contradiction)) }
            if let message = run.credentials.everyWriteWasRefused(results) { run.drain.stop(.credentials(message)) }
            try await run.passOnStop()
            let result = run.result(results)
            let endsRun = result.interrupted && !run.leavesRest
            try await state.finish(run.id, totals: result.totals, interrupted: endsRun)
            return try await run.completed(result)
        } catch let error as StateError where error.losesRun {
            run.drain.stop(.ordered(error.message))
            let isShared = run.operations.isShared && run.isBegunHere
            let journalled = isShared ? (try? await state.operations(of: run.id)) ?? [] : []
            throw LostRun(result: run.result(run.resultsSoFar(outcomes, journalled)), reason: error)
        }
    }

    /// The parts of a run that any session may carry out; none where this one has it to itself.
    ///
    /// A session on another machine has to know the manifest, finds products as the plan of this moment says, and does not know
    /// what this one refuses or has left to do of earlier runs.
    private func chunks(
        of operations: [PlannedOperation],
        _ record: RunRecord,
        _ opening: Opening,
        _ pendingDeletes: [Recovery.PendingDelete]
    ) -> [RunChunk] {
        guard state.sharesRuns, record.manifest != nil, !configuration.staleCheck, opening.contested.isEmpty else {
            return []
        }
        let pending = Set(pendingDeletes.compactMap(\.operation.id))
        return RunChunk.cut(operations, size: configuration.chunkSize) { index in
            guard opening.refusals[index] == nil else { return false }
            return operations[index].action != .delete || operations[index].id.map { !pending.contains($0) } ?? true
        }
    }

    private var breaker: CircuitBreaker { CircuitBreaker(threshold: configuration.breakerThreshold) }

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
        _ operations: RunOperations,
        ledger: RunLedger,
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
            operations: operations
        )
    }
}
