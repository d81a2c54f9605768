import OpenMarket
import OpenMarketManifest

extension Session {
    private func recovery(_ manifest: Manifest?) -> Recovery {
        Recovery(
            market: market,
            state: state,
            capabilities: capabilities,
            configuration: configuration,
            environment: environment
        ) { key in
            guard let listings = manifest?.listings else { return nil }
            return listings.indices.first { listings.key(at: $0) == key }.flatMap { listings.pinnedID(at: $0) }
        }
    }

    /// Determines the unresolved operations of earlier runs without writing anything: for `plan`.
    ///
    /// Throws `MarketError` if the market cannot be read.
    func preview(_ manifest: Manifest? = nil) async throws -> Recovery.Resolution {
        try requireWritable()
        return try await recovery(manifest).preview()
    }

    /// Resolves operations of earlier runs as far as possible, and records the results: for `apply`.
    ///
    /// `drain` ends the waiting, and leaves the rest unresolved. Throws `MarketError` if the market cannot be read.
    func settle(
        _ manifest: Manifest? = nil,
        drain: StopSignal = StopSignal()
    ) async throws -> Recovery.Resolution {
        try requireWritable()
        // Settling sends a market requests that prove ownership, and repeats creates.
        if market.profile.digestToAccept != nil, try await state.counts().unresolved > 0 { try await requireAccepted() }
        let (recovery, held) = (recovery(manifest), try requireHeld())
        var resolution = try await recovery.settle(in: held, drain: drain)
        resolution.settled += try await recovery.remove(
            resolution.trials,
            as: runRecord(),
            in: held,
            drain: drain
        )
        for item in resolution.settled { onEvent(.settled(item)) }
        return resolution
    }

    /// Reads the market and plans; the plan includes its errors and refusals.
    ///
    /// `recovered` are the unresolved operations of earlier runs, settled or only previewed. `pictures` keeps the
    /// pictures that are fetched for comparison, for a review to show.
    func plan(
        _ manifest: Manifest,
        after recovered: Recovery.Resolution,
        options: PlannerOptions = .standard,
        refresh: RefreshMode = .changed,
        keeping pictures: (any PictureStore)? = nil
    ) async throws -> PlannedChanges {
        try checkFilter(options.filter, options.replaced, manifest, recovered.snapshot)
        var input = try await input(
            manifest,
            after: recovered,
            filter: options.selection,
            replaced: options.replaced,
            refresh: refresh,
            keeping: pictures
        )
        var plan = Planner.plan(input, capabilities: capabilities, options: options)
        input.begunCreates = try await begunCreates(plan.doubtfulKeys)
        let begunDeletes = try await begunDeletes(plan.goneKeys)
        input.begunDeletes.formUnion(begunDeletes)
        if !input.begunCreates.isEmpty || !begunDeletes.isEmpty {
            plan = Planner.plan(input, capabilities: capabilities, options: options)
        }
        if refresh != .nothing, try await readAgain(plan.caughtUp(recovered.snapshot), &input) {
            plan = Planner.plan(input, capabilities: capabilities, options: options)
        }
        plan.diagnostics += input.live.problems.map {
            Diagnostic(.warning, .unreadableRow, "the market's \($0.place) cannot be read in whole: \($0.message)")
        }
        var identity = input.identity
        if plan.operations.contains(where: { $0.makesProduct || $0.action == .adopt }) {
            identity.findWitnesses(state: input.state, live: input.live.products)
        }
        return PlannedChanges(
            plan: plan,
            snapshot: recovered.snapshot,
            recovery: recovered,
            identity: identity,
            highWater: input.live.highWater,
            basis: refresh == .nothing ? .remembered : .read
        )
    }

    /// Collects the inputs of a plan, including as much of the market as is requested.
    func input(
        _ manifest: Manifest,
        after recovered: Recovery.Resolution,
        filter: KeyFilter = KeyFilter(),
        replaced: KeyPatterns = KeyPatterns(),
        refresh: RefreshMode,
        keeping pictures: (any PictureStore)? = nil
    ) async throws -> Planner.Input {
        var input = Planner.Input(
            manifest: manifest,
            state: recovered.snapshot,
            live: .remembered(by: recovered.snapshot)
        )
        input.pictureDigests = pictureDigests
        input.owedDeletes = recovered.pendingDeletes.map(\.operation) + recovered.orphanDeletes
        input.blockedKeys = recovered.blockedKeys
        input.begunDeletes = recovered.begunDeletes
        input.blockedNames = recovered.blockedNames
        input.inQuestion = recovered.inQuestion
        input.sendsKeys = configuration.sendsKeys
        input.origins = configuration.origins?.origins(of: manifest.files, in: recovered.snapshot.entries)
        if recovered.snapshot.entries.isEmpty {
            let others = try await knownMarkets().filter { $0.scope != scope && $0.products > 0 }
            input.otherMarkets = (scope, others)
        }
        if refresh != .nothing {
            try await market.requireProfile()
            input.live = try await readCatalog(comparedWith: input.state.entries)
            let (filter, replaced) = input.knowing(filter, replaced)
            onEvent(.began(.details))
            defer { onEvent(.ended(.details)) }
            try await input.readDetails(
                from: market,
                mode: refresh,
                capabilities: capabilities,
                filter: filter,
                replaced: replaced,
                parallelism: configuration.parallelism,
                pictures: pictures,
                clock: environment.clock
            ) { total in onEvent(.advanced(.details, by: 1, total: total)) }
        }
        return input
    }

    /// Of keys that may be typing errors, those of creates that an earlier run did not complete.
    ///
    /// The run may have been interrupted between two similar products. A key that an earlier run did create is
    /// excluded: its product has another key now, and would be created a second time.
    private func begunCreates(_ keys: [String]) async throws -> Set<String> {
        var begun: Set<String> = []
        // More keys than this do not come from an interrupted run.
        for key in keys.prefix(1000) {
            let last = try await state.history(of: key, runs: .max).first { $0.operation.action == .create }
            if let last, last.status != .succeeded { begun.insert(key) }
        }
        return begun
    }

    /// Of keys whose products are gone, those that an earlier run was to delete.
    ///
    /// A delete that was recorded as failed may have succeeded.
    private func begunDeletes(_ keys: [String]) async throws -> Set<String> {
        var begun: Set<String> = []
        // More keys than this mean another market, or a reset market.
        for key in keys.prefix(1000) {
            let history = try await state.history(of: key, runs: .max)
            let last = history.first { $0.status != .intended && $0.status != .skipped }
            guard let last, last.status != .succeeded else { continue }
            let operation = last.operation
            if operation.action == .delete || operation.replacement?.deletesFirst == true { begun.insert(key) }
        }
        return begun
    }

    /// Reads products again that match the manifest although no recorded request caused it; returns whether any
    /// differs.
    ///
    /// Otherwise a single wrong reply would be believed forever.
    func readAgain(_ ids: [MarketID], _ input: inout Planner.Input) async throws -> Bool {
        var isOtherwise = false
        try await forEachConcurrently(ids, width: configuration.parallelism) { id in
            try await market.product(id)
        } collect: { id, product in
            guard let product, let known = input.live.products[id], known != known.completed(by: product) else {
                return
            }
            input.live.products[id] = known.completed(by: product)
            isOtherwise = true
        }
        return isOtherwise
    }

    /// Reports patterns that match no product.
    private func checkFilter(
        _ filter: KeyFilter,
        _ replaced: KeyPatterns,
        _ manifest: Manifest,
        _ snapshot: StateSnapshot
    ) throws {
        guard !filter.takesAll || !replaced.patterns.isEmpty else { return }
        let keys = manifest.listings.map(\.key) + snapshot.entries.keys
        if let unknown = filter.unknown(in: keys).first { throw CommandFailure.unmatchedKey(unknown) }
        for pattern in filter.unmatched(in: keys) + replaced.unmatched(in: keys) {
            // A wildcard without matches today may have matches tomorrow.
            guard pattern.contains(where: { "*?".contains($0) }) else { throw CommandFailure.unmatchedKey(pattern) }
            onEvent(.note("warning: \(CommandFailure.unmatchedKey(pattern))"))
        }
    }

    private func readCatalog(comparedWith entries: StateEntries) async throws -> LiveCatalog {
        onEvent(.began(.catalog))
        defer { onEvent(.ended(.catalog)) }
        return try await market.catalog(comparedWith: entries) { onEvent(.advanced(.catalog, by: $0, total: nil)) }
    }
}

extension Plan {
    /// The products that match the manifest, but not the state.
    fileprivate func caughtUp(_ snapshot: StateSnapshot) -> [MarketID] {
        stateUpdates.compactMap { update in
            guard case .put(let entry) = update, entry.applied != snapshot.entries[entry.key]?.applied else {
                return nil
            }
            return entry.id
        }
    }
}
