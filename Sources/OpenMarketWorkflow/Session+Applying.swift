import OpenMarket

extension Session {
    /// Carries a plan out.
    ///
    /// - Parameters:
    ///   - planned: what to do.
    ///   - manifest: the SHA-256 of the manifest, for the journal.
    ///   - approval: what was allowed against the policies, for the journal.
    ///   - asksOwners: whether the market is asked for proof that what is taken over is ours; that needs credentials.
    ///   - drain: ends the run early. Cancelling the task ends it at once.
    /// - Returns: how every operation ended; `nil` when there was nothing to do.
    /// - Throws: ``SessionError/unsoundPlan`` and ``SessionError/unacceptedMarket(_:digest:)`` before anything is sent, `MarketError`, what the state throws,
    ///   `LostRun` where it is lost in the middle, and `CancellationError`.
    func apply(
        _ planned: PlannedChanges,
        manifest: ContentDigest?,
        approval: RunApproval? = nil,
        asksOwners: Bool = true,
        drain: DrainSignal = DrainSignal()
    ) async throws -> RunResult? {
        let record = runRecord(manifest: manifest, approval: approval)
        return try await apply(planned, as: record, asksOwners: asksOwners, drain: drain)
    }

    /// Carries a plan out as a run.
    func apply(
        _ planned: PlannedChanges,
        as record: RunRecord,
        asksOwners: Bool = true,
        drain: DrainSignal
    ) async throws -> RunResult? {
        try requireWritable()
        guard planned.plan.isSound else { throw SessionError.unsoundPlan }
        let state = try requireHeld()
        if !planned.plan.isEmpty { try await requireAccepted() }
        try await requireServedPictures(of: planned.plan)
        try await state.apply(planned.plan.stateUpdates)
        var snapshot = planned.snapshot
        for mutation in planned.plan.stateUpdates { snapshot.apply(mutation) }

        onEvent(.runBegan(record.id, operations: planned.plan.operations.count, planned.plan.summary))
        guard !planned.plan.isEmpty else {
            onEvent(.nothingToDo(record.id))
            return nil
        }
        var configuration = configuration
        if planned.basis == .earlier { configuration.staleCheck = true }
        configuration.confirmsOwners = asksOwners
        return try await executor(in: state, configuration).run(
            record,
            operations: planned.plan.operations,
            snapshot: snapshot,
            highWater: planned.highWater,
            namesakes: planned.plan.namesakes,
            identity: planned.basis == .read ? planned.identity : nil,
            refusals: planned.refusals,
            pendingDeletes: planned.recovery.pendingDeletes,
            drain: drain
        )
    }

    /// What carries out operations, and reports it.
    ///
    /// - Parameters:
    ///   - state: the state, held.
    ///   - configuration: how it behaves, where not as the session does.
    /// - Returns: the executor.
    func executor(in state: any StateSession, _ configuration: ExecutorConfiguration? = nil) -> Executor {
        Executor(
            market: market,
            state: state,
            capabilities: capabilities,
            configuration: configuration ?? self.configuration,
            environment: environment,
            onEvent: { [onEvent] in onEvent(.execution($0)) }
        )
    }

    /// A run that begins now.
    func runRecord(manifest: ContentDigest?, approval: RunApproval? = nil) -> RunRecord {
        RunRecord(
            id: .new(in: environment),
            manifest: manifest,
            tool: tool,
            approval: approval,
            description: market.profile.isBuiltIn ? nil : market.profile.digest
        )
    }

    /// Makes sure that a market that fetches pictures itself finds them: what is at an address is compared before anything is
    /// sent, because the market would show whatever it finds there.
    ///
    /// - Throws: ``SessionError/pictureNotServed(address:path:reason:)``.
    private func requireServedPictures(of plan: Plan) async throws {
        guard capabilities.pictureStyle == .url else { return }
        var seen: Set<ExactText> = []
        let pictures = plan.operations.flatMap(\.pictures).filter { picture in
            picture.address.map { seen.insert(ExactText($0 + " " + picture.digest.hexadecimal)).inserted } ?? false
        }
        try await forEachConcurrently(pictures, width: configuration.parallelism) { picture -> String? in
            guard let address = picture.address else { return nil }
            do {
                return try await market.pictureDigest(at: address) == picture.digest ? nil : "there are other bytes"
            } catch let error as MarketError {
                return error.message
            }
        } collect: { picture, reason in
            guard let reason else { return }
            throw SessionError.pictureNotServed(address: picture.address ?? "", path: picture.path, reason: reason)
        }
    }

    /// Makes a saved plan ready to be carried out on this state.
    ///
    /// - Parameters:
    ///   - saved: the plan.
    ///   - recovered: what earlier runs left unresolved.
    /// - Returns: the plan, without what another run has done since or would do on another state.
    /// - Throws: what the state throws.
    func planned(_ saved: SavedPlan, after recovered: Recovery.Resolution) async throws -> PlannedChanges {
        let doneSince = try await saved.doneSince(state)
        var plan = saved.plan
        plan.stateUpdates = saved.stateUpdates(recovered, doneSince: doneSince)
        return PlannedChanges(
            plan: plan,
            snapshot: recovered.snapshot,
            recovery: recovered,
            highWater: nil,
            basis: .earlier,
            refusals: saved.refusals(recovered, doneSince: doneSince)
        )
    }

    /// Plans again after an apply, with every detail read.
    ///
    /// - Returns: the plan; empty when the market is as the manifest says.
    /// - Throws: `MarketError`, and what the state throws.
    func verify(_ manifest: Manifest, options: PlannerOptions) async throws -> PlannedChanges {
        // What was just written may not show at once.
        try await environment.clock.sleep(for: capabilities.readAfterWriteDelay)
        // What was asked for is done.
        var options = options
        options.replaced = KeyPatterns()
        return try await plan(manifest, after: preview(), options: options, refresh: .full)
    }
}
