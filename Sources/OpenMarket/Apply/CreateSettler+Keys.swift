/// Creates whose products carry keys: the market is searched for the key.
extension CreateSettler {
    /// Finds the outcome of creates by searching for their keys.
    ///
    /// `isUnique` means that the market refuses a second product with the same key, so a late create does no harm. The
    /// result maps each create's index to its verdict. Throws `CancellationError`.
    func settleByKey(
        _ creates: [CreateSettlement.OpenCreate],
        as identity: VendorIdentity?,
        isUnique: Bool,
        _ knowledge: () async throws -> Knowledge
    ) async throws -> [Int: SettlementVerdict] {
        var verdicts: [Int: SettlementVerdict] = [:]
        var troubles: [Int: String] = [:]
        let holders = holders(try await knowledge().snapshot)
        // At once, after the quiet period, and after the same time again: a search may find a key later than the market
        // stores it.
        for look in 0..<(isUnique ? 2 : 3) {
            let open = creates.filter { verdicts[$0.index] == nil && (look == 0 || !$0.isRefusedAtOnce) }
            guard !open.isEmpty else { break }
            if look > 0 {
                let quiet = configuration.quietPeriod(on: capabilities)
                try await drain.pause(for: look == 1 ? remainingQuiet(open) : quiet, on: time.clock)
                guard drain.reason == nil else {
                    return verdicts.merging(open.all(.unresolved("the run stopped before it was settled"))) { $1 }
                }
            }
            for create in open {
                do {
                    verdicts[create.index] = try await carrier(of: create, holders)
                    troubles[create.index] = nil
                } catch let error as MarketError {
                    troubles[create.index] = "the market cannot be read: \(error.message)"
                }
            }
        }
        let open = creates.filter { verdicts[$0.index] == nil }
        guard !open.isEmpty else { return verdicts }
        for create in open {
            verdicts[create.index] = troubles[create.index].map { .unresolved($0) } ?? create.missing
        }
        // A search may find a product later than the list, or not work at all; the market may have respelt the key.
        do {
            let catalog = try await market.catalog()
            let known = try await knowledge()
            var settlement = settlement(of: creates, known, as: identity)
            for create in creates where !open.contains(create) {
                settlement.close(create, with: verdicts[create.index]?.product)
            }
            for (index, verdict) in try await listed(open, in: catalog, settlement, holders) {
                verdicts[index] = verdict
            }
            guard !isUnique else { return verdicts }
            let missing = open.filter { verdicts[$0.index] == .neverHappened }
            if !missing.isEmpty, let doubt = try await doubtAboutSearch(known.snapshot) {
                verdicts.merge(missing.all(.unresolved(doubt))) { $1 }
            }
        } catch let error as MarketError {
            return verdicts.merging(open.all(.unresolved("the market cannot be read: \(error.message)"))) { $1 }
        }
        return verdicts
    }

    /// Why an empty search result is inconclusive: the search does not find products that show their keys.
    ///
    /// The three newest products that show their keys are searched for, because a search without new products would miss
    /// creates. Products that disappeared or show another key are inconclusive.
    ///
    /// `nil` if all are found, or if none of the newest shows the key that the state has for it. Throws `MarketError`.
    private func doubtAboutSearch(_ snapshot: StateSnapshot) async throws -> String? {
        let known = zip(snapshot.entries.keys, snapshot.entries.ids)
        var searches = 0
        for (key, id) in known.sorted(by: { MarketID.follows($0.1, $1.1) }).prefix(20) {
            guard searches < 3 else { break }
            guard let product = try await market.product(id), product.key == key else { continue }
            searches += 1
            guard !(try await market.products(carrying: key, capabilities).contains { $0.id == id }) else { continue }
            return
                "product \(id) is not found by the key '\(key)' that it shows, so another one may exist; "
                + "see 'identity.key.find' of the market's description"
        }
        return nil
    }

    func holders(_ snapshot: StateSnapshot) -> [MarketID: String] {
        Dictionary(snapshot.entries.values.lazy.map { ($0.id, $0.key) }, uniquingKeysWith: min)
    }

    /// The verdict according to the keys that the market shows now; throws `MarketError`.
    func carrier(
        of create: CreateSettlement.OpenCreate,
        _ holders: [MarketID: String]
    ) async throws -> SettlementVerdict? {
        guard let carried = create.carried else { return nil }
        return create.verdict(try await market.products(carrying: carried, capabilities), holders, capabilities)
    }

    /// The verdicts from the whole list on creates that a search did not find.
    ///
    /// If the list does not show keys, a create without a possible product stays undecided.
    private func listed(
        _ creates: [CreateSettlement.OpenCreate],
        in catalog: LiveCatalog,
        _ settlement: CreateSettlement,
        _ holders: [MarketID: String]
    ) async throws -> [Int: SettlementVerdict] {
        var settlement = settlement
        let rows = Array(catalog.products.values)
        let showsKeys = rows.isEmpty || rows.contains { $0.key != nil } || capabilities.choosesIDs
        var verdicts: [Int: SettlementVerdict] = [:]
        for create in creates {
            var carriers: [LiveProduct] = []
            for row in rows where row.key == create.carried {
                if let product = try await market.product(row.id).map(row.completed) { carriers.append(product) }
            }
            guard let verdict = create.verdict(carriers, holders, capabilities) else { continue }
            settlement.close(create, with: verdict.product)
            verdicts[create.index] = verdict
        }
        try await look(in: catalog, &settlement, &verdicts, isLast: true)
        for create in creates where verdicts[create.index] == nil && showsKeys {
            verdicts[create.index] = create.missing
        }
        return verdicts
    }
}

extension CreateSettlement.OpenCreate {
    /// The verdict from products that carry the create's key; `nil` if there are none.
    fileprivate func verdict(
        _ products: [LiveProduct],
        _ holders: [MarketID: String],
        _ capabilities: MarketCapabilities
    ) -> SettlementVerdict? {
        guard let carried else { return nil }
        // Filters are not trusted: only products that show the key count.
        let carriers = products.filter { ($0.key ?? carried) == carried && $0.id != replaced }
        guard let product = carriers.first else { return nil }
        guard carriers.count == 1 else {
            let ids = carriers.map(\.id).inOrder().map(\.description).joined(separator: ", ")
            return .unresolved("products \(ids) carry the key '\(carried)'; delete the unwanted ones there")
        }
        if let holder = holders[product.id], holder != carried {
            return .unresolved("product \(product.id) carries the key '\(carried)', and is '\(holder)' already")
        }
        let differences = self.product.differences(of: product, capabilities)
        return .happened(product, picturesAreCertain: differences.isEmpty)
    }

    var missing: SettlementVerdict {
        guard isDuplicate else { return .neverHappened }
        return .unresolved(
            "the market reports a product with the key '\(carried ?? "")', and does not show which"
        )
    }
}
