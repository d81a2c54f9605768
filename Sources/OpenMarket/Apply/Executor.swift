/// Applies the operations of a plan: the driver around ``OperationMachine``.
///
/// The phases are adopt, create, update, replace, delete, forget and rename, each with a limited number of operations at once.
/// One product's failure does not stop the others. Creates without a reply are settled at the end.
package struct Executor: Sendable {
    private let market: any Market
    private let state: any StateSession
    private let capabilities: MarketCapabilities
    private let configuration: ExecutorConfiguration
    private let environment: ExecutionEnvironment
    private let onEvent: @Sendable (ExecutionEvent) -> Void

    /// `onEvent` is called from any thread and must not block.
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

    /// Applies operations; the index of each is its sequence in the journal.
    ///
    /// - `snapshot` includes the plan's own state updates.
    /// - `highWater` is the newest id. If `nil`, the executor reads the catalog before a create.
    /// - `namesakes` has the products that the plan found for the names that it creates.
    /// - `identity` is the vendor identity if the plan was created just now. If `nil`, the catalog is read again before a
    ///   create, products that appeared since are not created again, and the plan's vendor number is only a claim.
    /// - `refusals` has the operations that are not begun, by their index.
    /// - `pendingDeletes` has the unfinished deletes that ``Recovery`` found; their operations are among `operations`.
    /// - `drain` ends the run early; cancelling the task ends it at once.
    ///
    /// Rethrows the journal's errors, because only recorded requests are sent. Throws ``MarketError`` if the newest id
    /// cannot be read, and ``LostRun`` if the session ended or the state can no longer be written. Throws
    /// `CancellationError` if the task is cancelled; the journal is complete then.
    package func run(
        _ record: RunRecord,
        operations: [PlannedOperation],
        snapshot: StateSnapshot,
        highWater: MarketID?,
        namesakes: KnownNamesakes? = nil,
        identity: VendorIdentity? = nil,
        refusals: [Int: OperationRefusal] = [:],
        pendingDeletes: [Recovery.PendingDelete] = [],
        drain: StopSignal = StopSignal()
    ) async throws -> RunResult {
        var refusals = OperationRefusal.all(of: operations, besides: refusals)
        var snapshot = snapshot
        for (index, operation) in operations.enumerated() where refusals[index] == nil {
            // The state follows with the operation's first fact.
            if let former = operation.renamedFrom { snapshot.apply(.rename(from: former, to: operation.key)) }
        }
        let keys = ownKeys(operations, snapshot)
        var contested = Set(namesakes?.contested ?? [])
        var (highWater, known) = (highWater, identity)
        if highWater == nil || identity == nil && namesakes != nil,
            operations.indices.contains(where: { operations[$0].makesProduct && refusals[$0] == nil })
        {
            // The newest id, the vendor identity, and the products that appeared since the plan.
            var catalog = try await market.catalog()
            func identity(in catalog: LiveCatalog) -> VendorIdentity {
                VendorIdentity(claim: namesakes?.vendorID, state: snapshot, live: catalog.products, keys: keys)
            }
            if known == nil, let namesakes {
                let check = NamesakeCheck(known: namesakes, identity: identity(in: catalog), operations: operations)
                if check.isUnclear(catalog) { catalog = try await market.catalog() }
                contested.formUnion(check.contested(catalog))
                refusals.merge(check.refusals(catalog: catalog, snapshot: snapshot)) { first, _ in first }
            }
            if known == nil {
                known = identity(in: catalog)
                known?.findWitnesses(state: snapshot, live: catalog.products)
            }
            highWater = [highWater, catalog.highWater].compactMap(\.self).newest()
        }
        var vendor = known ?? VendorIdentity(claim: namesakes?.vendorID, state: snapshot, live: [:])
        vendor.keys = keys
        // A session on another machine needs the manifest, and products as the current plan states. It does not have
        // this session's refusals or its unfinished work from earlier runs.
        let isShared = state.sharesRuns && record.manifest != nil && !configuration.staleCheck && contested.isEmpty
        let pending = Set(pendingDeletes.compactMap(\.operation.id))
        let chunks =
            !isShared
            ? []
            : RunChunk.cut(operations, size: configuration.chunkSize) { index in
                // The state hands out the entry of the operation's key, and it has this one under another.
                guard refusals[index] == nil, operations[index].renamedFrom == nil else { return false }
                return operations[index].action != .delete || operations[index].id.map { !pending.contains($0) } ?? true
            }
        var run = executionRun(
            record.id,
            RunOperations(
                planned: operations,
                refusals: refusals,
                besides: chunks,
                isShared: !chunks.isEmpty,
                state
            ),
            ledger: RunLedger(snapshot, vendor, highWater),
            drain: drain
        )
        run.isBegunHere = true
        run.contested = contested
        run.pendingDeletes = pendingDeletes
        let begins = operations.indices.filter { refusals[$0] == nil }.map { operations[$0] }
        try await withTaskExecutorPreference(market.executor) { [run] in try await run.confirm(for: begins) }
        try await state.begin(record, operations: operations, chunks: chunks)
        if !chunks.isEmpty { try await limitRate(of: record.id) }
        return try await carryOut(run)
    }

    /// Takes part in a run that another session began.
    ///
    /// The session has joined the run. It claims chunks, including those of ended sessions, until there are none left.
    /// Then it settles its own creates. The result has only the operations of this session.
    ///
    /// - `vendorID` is the manifest's vendor number: a claim, as in
    ///   ``run(_:operations:snapshot:highWater:namesakes:identity:refusals:pendingDeletes:drain:)``.
    /// - `drain` ends this session's part early. The other sessions get the rest if the user stops this one, or if only
    ///   this machine fails: it lacks credentials, or does not reach the market.
    /// - `adapt` converts an operation that another machine planned, such as the paths of its pictures. It is called
    ///   before anything of the chunk begins. An error from it ends this session's part and is rethrown; another
    ///   session gets the chunk when this one is closed.
    ///
    /// Throws the errors of ``run(_:operations:snapshot:highWater:namesakes:identity:refusals:pendingDeletes:drain:)``;
    /// ``LostRun`` contains this session's results.
    package func work(
        in run: RunID,
        vendorID: Int64? = nil,
        drain: StopSignal = StopSignal(),
        adapting adapt: @escaping @Sendable (PlannedOperation) throws -> PlannedOperation
    ) async throws -> RunResult {
        try await limitRate(of: run)
        let snapshot = try await state.snapshot()
        // The recent writes of other sessions must be visible before this one writes.
        try await drain.pause(for: capabilities.readAfterWriteDelay, on: environment.clock)
        let catalog = try await market.catalog()
        let keys = ownKeys([], snapshot)
        var identity = VendorIdentity(claim: vendorID, state: snapshot, live: catalog.products, keys: keys)
        identity.findWitnesses(state: snapshot, live: catalog.products)
        let run = executionRun(
            run,
            RunOperations(isShared: true, state, adapting: adapt),
            ledger: RunLedger(snapshot, identity, catalog.highWater),
            drain: drain
        )
        return try await carryOut(run)
    }

    /// Applies this session's rate limit to all sessions of the run together.
    private func limitRate(of run: RunID) async throws {
        guard let rate = configuration.rate else { return }
        try await state.order(.limit(Throttle.interval(of: rate)), in: run)
    }

    /// Applies this session's operations, then closes or leaves the run.
    private func carryOut(_ run: ExecutionRun) async throws -> RunResult {
        let outcomes = RunOutcomes(count: run.operations.planned.count)
        do {
            try await withTaskExecutorPreference(market.executor) { try await run.carryOutUnderLease(outcomes) }
            let results = outcomes.takeResults()
            run.stopIfContradicted()
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

    private func ownKeys(_ operations: [PlannedOperation], _ snapshot: StateSnapshot) -> ManagedKeys? {
        guard configuration.sendsKeys else { return nil }
        return ManagedKeys([operations.map(\.key), Array(snapshot.entries.keys)].joined(), capabilities)
    }

    private func executionRun(
        _ id: RunID,
        _ operations: RunOperations,
        ledger: RunLedger,
        drain: StopSignal
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
                Throttle(parallelism: configuration.parallelism, rate: configuration.rate),
                time: time,
                drain: drain
            ),
            ledger: ledger,
            lookup: ProductLookup(market: market, hiding: capabilities.readAfterWriteDelay) {
                try await drain.pause(for: $0, on: time.clock)
            },
            credentials: CredentialsWatch(capabilities),
            operations: operations
        )
    }
}
