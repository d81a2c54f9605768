extension Recovery {
    /// Deletes the products of a description's trials, however far the trials got, and closes those without leftovers;
    /// returns each trial's outcome.
    ///
    /// A trial stays unresolved in the journal until its product is gone. A product is the trial's only if it shows its
    /// mark: neither an id in a reply nor a filter decides on deletes. The trial's update may have removed the mark.
    /// Then the product must have the id that showed the mark before, and no texts.
    ///
    /// `record` is the run that deletes. `drain` ends it early; the rest stays unresolved. Throws ``MarketError`` if
    /// the market cannot be read, and rethrows the state's errors.
    package func remove(
        _ trials: [UnresolvedOperation],
        as record: RunRecord,
        in session: any StateSession,
        drain: StopSignal
    ) async throws -> [Recovery.Settled] {
        guard !trials.isEmpty else { return [] }
        let time = RunTime(environment)
        let quiet = configuration.quietPeriod(on: capabilities)
        guard try await drain.outlast(trials, by: quiet, since: time.wall(), time) else {
            return trials.map { Recovery.Settled(operation: $0, outcome: "the run stopped before", isOpen: true) }
        }
        let found = try await products(of: trials)
        let deletes = trials.flatMap { trial in
            (found[trial.operation.key] ?? []).filter { $0.isMade(by: trial) }.map { product in
                PlannedOperation(
                    deleting: product,
                    of: trial.operation,
                    reason: "created by a probe of the market's description"
                )
            }
        }
        var troubles: [String: String] = [:]
        // Products that the market reports as deleted are not read: a description may be wrong about that reply.
        var deleted: Set<MarketID> = []
        if !deletes.isEmpty {
            var configuration = configuration
            configuration.staleCheck = false
            // The products were just read.
            var capabilities = capabilities
            capabilities.listOmitsNothing = false
            let executor = Executor(
                market: market,
                state: session,
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
        let left = found.values.allSatisfy(\.isEmpty) ? [:] : try await products(of: trials, without: deleted)
        var settled: [Recovery.Settled] = []
        for trial in trials {
            let key = trial.operation.key
            settled.append(try await close(trial, found[key] ?? [], left[key] ?? [], troubles[key], in: session))
        }
        return settled
    }

    /// The products that show the mark of a trial, by the trial's key.
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
            // A row may show less than the detail. Only a product that showed the mark was changed.
            if let created = trial.created, !products.contains(where: { $0.id == created }), !managed.contains(created),
                !deleted.contains(created), capabilities.showsDetails, let product = try await market.product(created),
                mark.isShown(by: product) || trial.step == .update
            {
                products.append(product)
            }
            found[trial.operation.key] = products
        }
        return found
    }

    private func close(
        _ trial: UnresolvedOperation,
        _ found: [LiveProduct],
        _ left: [LiveProduct],
        _ trouble: String?,
        in session: any StateSession
    ) async throws -> Recovery.Settled {
        guard left.isEmpty else {
            let products = Self.words(for: left)
            let doubt =
                left.allSatisfy { $0.isMade(by: trial) }
                ? nil : "it no longer shows the probe's values; delete it there"
            let why = (trouble ?? doubt).map { ": \($0)" } ?? ""
            return Recovery.Settled(
                operation: trial,
                outcome: "\(products), which a probe created, could not be deleted\(why)",
                isOpen: true
            )
        }
        let outcome =
            found.isEmpty
            ? "the probe's product is not on the market"
            : "\(Self.words(for: found)) \(found.count == 1 ? "was" : "were") removed again"
        _ = try await session.record(trial.next(.failed("a probe: \(outcome)")))
        return Recovery.Settled(operation: trial, outcome: outcome, isOpen: false)
    }

    private static func words(for products: [LiveProduct]) -> String {
        let ids = products.map(\.id).sorted(by: MarketID.precedes).map(\.description).joined(separator: ", ")
        return "\(products.count == 1 ? "product" : "products") \(ids)"
    }
}

extension LiveProduct {
    /// Whether a product with the id or the mark of a trial is certainly the trial's.
    fileprivate func isMade(by trial: UnresolvedOperation) -> Bool {
        TrialMark(of: trial.operation).isShown(by: self)
            || [name, key, values.description].allSatisfy { $0?.isEmpty ?? true }
    }
}
