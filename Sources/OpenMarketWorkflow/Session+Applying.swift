import OpenMarket

extension Session {
    /// Applies a plan; returns `nil` if it is empty.
    ///
    /// With `asksOwners`, the market has to prove the ownership of adopted products, which needs credentials.
    /// `drain` ends the run early; cancelling the task ends it at once.
    ///
    /// Throws ``CommandFailure/unsoundPlan`` and ``CommandFailure/unacceptedMarket(_:digest:)`` before anything is sent,
    /// and `LostRun` if the run is lost in the middle.
    func apply(
        _ planned: PlannedChanges,
        as record: RunRecord,
        asksOwners: Bool = true,
        drain: StopSignal = StopSignal()
    ) async throws -> RunResult? {
        try requireWritable()
        if planned.plan.operations.contains(where: { !$0.action.sendsNothing }) {
            try market.profile.requireKnownChanges()
        }
        guard planned.plan.isSound else { throw CommandFailure.unsoundPlan }
        let state = try requireHeld()
        if !planned.plan.isEmpty { try await requireAccepted() }
        try await requireServedPictures(of: planned.plan)
        var planned = planned
        planned.plan = try await readingDeleted(planned.plan, planned.snapshot.entries)
        try await keepPictures(of: planned.plan)
        let updates = planned.plan.updatesOfPresentKeys
        try await state.apply(updates)
        var snapshot = planned.snapshot
        for mutation in updates { snapshot.apply(mutation) }

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

    /// Runs and reports operations; `configuration` replaces the session's own.
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

    func runRecord(manifest: ContentDigest? = nil, approval: RunApproval? = nil) -> RunRecord {
        RunRecord(
            id: .new(in: environment),
            manifest: manifest,
            tool: tool,
            approval: approval,
            description: market.profile.digestToAccept
        )
    }

    /// Checks that a market which fetches pictures itself finds the right ones.
    ///
    /// The bytes at each address are compared before anything is sent: the market would show any picture it finds
    /// there.
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
            throw CommandFailure(
                .refused,
                "\(picture.path) is not at \(picture.address ?? ""): \(reason); no change was sent",
                help: "serve the manifest's folder at `market.pictures_url` as it is here"
            )
        }
    }

    /// Prepares a saved plan for this state, without stale operations.
    ///
    /// They are those that another run has done since, or that need another state.
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

    /// Plans again after an apply, with every detail read; the plan is empty if the market matches the manifest.
    func verify(_ manifest: Manifest, options: PlannerOptions) async throws -> PlannedChanges {
        // A new write may not show at once.
        try await environment.clock.sleep(for: capabilities.readAfterWriteDelay)
        // The requested replacements are already done.
        var options = options
        options.replaced = KeyPatterns()
        return try await plan(manifest, after: preview(), options: options, refresh: .full)
    }
}
