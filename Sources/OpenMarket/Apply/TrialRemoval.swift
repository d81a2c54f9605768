/// Takes what trials of a description made from the market again, however far they came.
///
/// A trial stays unresolved in the journal until its product is gone. Every product that shows its mark is the trial's, and no
/// other: neither a number that a market answered nor a filter decides what is deleted.
package struct TrialRemoval: Sendable {
    private let market: any Market
    private let state: any StateSession
    private let capabilities: MarketCapabilities
    private let configuration: ExecutorConfiguration
    private let environment: ExecutionEnvironment

    /// A removal.
    package init(
        market: any Market,
        state: any StateSession,
        capabilities: MarketCapabilities,
        configuration: ExecutorConfiguration,
        environment: ExecutionEnvironment
    ) {
        self.market = market
        self.state = state
        self.capabilities = capabilities
        self.configuration = configuration
        self.environment = environment
    }

    /// Deletes what trials made, and closes those of which nothing is left.
    ///
    /// - Parameters:
    ///   - trials: the trials that are unresolved.
    ///   - record: the run that deletes.
    ///   - drain: ends it early; what is left then stays unresolved.
    /// - Returns: what became of each trial.
    /// - Throws: ``MarketError`` when the market cannot be read, and what the state throws.
    package func remove(
        _ trials: [UnresolvedOperation],
        as record: RunRecord,
        drain: DrainSignal
    ) async throws -> [Recovery.Settled] {
        try await waitForLateEffects(of: trials, drain)
        guard drain.reason == nil else {
            return trials.map { Recovery.Settled(operation: $0, outcome: "the run stopped before", isOpen: true) }
        }
        let found = try await products(of: trials)
        let deletes = trials.flatMap { trial in (found[trial.operation.key] ?? []).map { $0.deletion(for: trial) } }
        var troubles: [String: String] = [:]
        // What the market says to have deleted is not asked for: a description may be wrong about how that is answered.
        var deleted: Set<MarketID> = []
        if !deletes.isEmpty {
            var configuration = configuration
            configuration.staleCheck = false
            let executor = Executor(
                market: market,
                state: state,
                capabilities: capabilities,
                configuration: configuration,
                environment: environment
            )
            do {
                let result = try await executor.run(
                    record,
                    operations: deletes,
                    snapshot: try await state.snapshot(),
                    highWater: nil,
                    drain: drain
                )
                for operation in result.operations { troubles[operation.key] = operation.error }
                let open = Set(result.operations.filter { $0.status != .done }.map(\.key))
                deleted = Set(deletes.filter { !open.contains($0.key) }.compactMap(\.id))
            } catch let lost as LostRun {
                throw lost.reason
            }
        }
        let left = deletes.isEmpty ? [:] : try await products(of: trials, without: deleted)
        var settled: [Recovery.Settled] = []
        for trial in trials {
            settled.append(
                try await close(trial, found[trial.operation.key] ?? [], left[trial.operation.key] ?? [], troubles)
            )
        }
        return settled
    }

    /// Waits until no create of a trial can still be carried out.
    private func waitForLateEffects(of trials: [UnresolvedOperation], _ drain: DrainSignal) async throws {
        let time = RunTime(environment)
        let now = environment.wallTime()
        let quiet = configuration.quietPeriod(readAfterWriteDelay: capabilities.readAfterWriteDelay)
        guard let youngest = trials.filter({ !$0.stepSucceeded }).map({ $0.unheardSince(now) }).max() else { return }
        try await drain.pause(for: time.remaining(of: quiet, since: youngest), on: time.clock)
    }

    /// The products on the market that show the mark of a trial, by its key.
    private func products(
        of trials: [UnresolvedOperation],
        without deleted: Set<MarketID> = []
    ) async throws -> [String: [LiveProduct]] {
        let catalog = try await market.catalog()
        let managed = Set(try await state.snapshot().entries.ids)
        var found: [String: [LiveProduct]] = [:]
        for trial in trials {
            let mark = TrialMark(of: trial.operation)
            var products = catalog.products.values.filter { mark.isShown(by: $0) && !managed.contains($0.id) }
            // Its row may show less than a detail.
            if let created = trial.created, !products.contains(where: { $0.id == created }), !managed.contains(created),
                !deleted.contains(created), capabilities.showsDetails, let product = try await market.product(created),
                mark.isShown(by: product)
            {
                products.append(product)
            }
            found[trial.operation.key] = products
        }
        return found
    }

    /// Writes down that a trial is over, where nothing of it is left.
    private func close(
        _ trial: UnresolvedOperation,
        _ found: [LiveProduct],
        _ left: [LiveProduct],
        _ troubles: [String: String]
    ) async throws -> Recovery.Settled {
        guard left.isEmpty else {
            let products = Self.words(for: left)
            let why = troubles[trial.operation.key].map { ": \($0)" } ?? ""
            return Recovery.Settled(
                operation: trial,
                outcome: "\(products), which a probe made, could not be removed\(why)",
                isOpen: true
            )
        }
        let outcome =
            found.isEmpty
            ? "nothing of the probe is on the market"
            : "\(Self.words(for: found)) \(found.count == 1 ? "was" : "were") removed again"
        _ = try await state.record(
            JournalEvent(
                run: trial.run,
                sequence: trial.sequence,
                number: trial.facts + 1,
                fact: .failed("a probe: \(outcome)")
            )
        )
        return Recovery.Settled(operation: trial, outcome: outcome, isOpen: false)
    }

    /// The products by their ids.
    private static func words(for products: [LiveProduct]) -> String {
        let ids = products.map(\.id).sorted(by: MarketID.precedes).map(\.description).joined(separator: ", ")
        return "\(products.count == 1 ? "product" : "products") \(ids)"
    }
}

extension LiveProduct {
    /// The delete of what a trial made.
    fileprivate func deletion(for trial: UnresolvedOperation) -> PlannedOperation {
        var live = values
        live.images = images?.map { .unknown($0.reference) }
        return PlannedOperation(
            key: trial.operation.key,
            reason: "made by a probe of the market's description",
            work: .delete(PlannedOperation.Deletion(id: id, live: live, livePictures: LivePictures(self)))
        )
    }
}
