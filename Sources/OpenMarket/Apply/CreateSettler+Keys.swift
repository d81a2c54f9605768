/// Creates whose products carry keys: the market is searched for the key.
extension CreateSettler {
    private enum Look {
        case atOnce
        /// After the quiet period.
        case late
        /// After the same time again: a key may be found later than it is stored.
        case onceMore
    }

    /// Finds the outcome of creates by searching for their keys.
    ///
    /// `isUnique` means that the market refuses a second product with the same key, so a late create does no harm. The
    /// result maps each create's index to its verdict. Throws `CancellationError`.
    func settleByKey(
        _ creates: [CreateSettlement.OpenCreate],
        _ snapshot: StateSnapshot,
        isUnique: Bool
    ) async throws -> [Int: SettlementVerdict] {
        var verdicts: [Int: SettlementVerdict] = [:]
        var troubles: [Int: String] = [:]
        let holders = holders(snapshot)
        for look in isUnique ? [Look.atOnce, .late] : [.atOnce, .late, .onceMore] {
            let open = creates.filter { verdicts[$0.index] == nil }
            guard !open.isEmpty else { break }
            if look != .atOnce {
                let quiet = configuration.quietPeriod(readAfterWriteDelay: capabilities.readAfterWriteDelay)
                try await drain.pause(for: look == .late ? remainingQuiet(open) : quiet, on: time.clock)
                guard drain.reason == nil else {
                    return verdicts.merging(open.all(.unresolved("the run stopped before it was settled"))) { $1 }
                }
            }
            for create in open {
                do {
                    verdicts[create.index] = try await carrier(of: create, holders)
                    troubles[create.index] = nil
                } catch let error as MarketError {
                    troubles[create.index] = "the market cannot be asked: \(error.message)"
                }
            }
        }
        let open = creates.filter { verdicts[$0.index] == nil }
        guard !open.isEmpty else { return verdicts }
        for create in open {
            verdicts[create.index] = troubles[create.index].map(SettlementVerdict.unresolved) ?? create.missing
        }
        guard !isUnique else { return verdicts }
        // A search may find a product later than the list, or not work at all.
        do {
            let keys = OwnKeys(creates.compactMap(\.carried?.key) + snapshot.entries.keys, capabilities)
            for (index, verdict) in try await listed(open, snapshot, holders, keys) { verdicts[index] = verdict }
            let missing = open.filter { verdicts[$0.index] == .neverHappened }
            if !missing.isEmpty, let doubt = try await doubtAboutSearch(snapshot) {
                verdicts.merge(missing.all(.unresolved(doubt))) { $1 }
            }
        } catch let error as MarketError {
            return verdicts.merging(open.all(.unresolved("the market cannot be asked: \(error.message)"))) { $1 }
        }
        return verdicts
    }

    /// How many known products are used to test the search.
    private static var searchesForDoubt: Int { 3 }
    /// How many known products are read to find those.
    private static var detailsForDoubt: Int { 20 }

    /// Why an empty search result proves nothing: the search does not find products that show their keys.
    ///
    /// The newest products that show their keys are searched for, because a search that omits new products does harm.
    /// Products that disappeared or show another key prove nothing.
    ///
    /// `nil` if all are found, or if none of the newest shows the key that the state has for it. Throws `MarketError`.
    private func doubtAboutSearch(_ snapshot: StateSnapshot) async throws -> String? {
        let known = zip(snapshot.entries.keys, snapshot.entries.ids)
        var searches = 0
        for (key, id) in known.sorted(by: { MarketID.follows($0.1, $1.1) }).prefix(Self.detailsForDoubt) {
            guard searches < Self.searchesForDoubt else { break }
            guard let product = try await market.product(id), product.key == key else { continue }
            searches += 1
            guard !(try await market.products(carrying: key, capabilities).contains { $0.id == id }) else { continue }
            return
                "product \(id) is not found by the key '\(key)' that it shows, so whether another one exists is not known; "
                + "see 'identity.key.find' of the market's description"
        }
        return nil
    }

    /// The verdicts according to the keys that the market shows now; throws `MarketError`.
    func previewByKey(
        _ creates: [CreateSettlement.OpenCreate],
        _ snapshot: StateSnapshot
    ) async throws -> [Int: SettlementVerdict] {
        let holders = holders(snapshot)
        var verdicts: [Int: SettlementVerdict] = [:]
        for create in creates { verdicts[create.index] = try await carrier(of: create, holders) ?? create.missing }
        return verdicts
    }

    private func holders(_ snapshot: StateSnapshot) -> [MarketID: String] {
        Dictionary(snapshot.entries.values.lazy.map { ($0.id, $0.key) }, uniquingKeysWith: min)
    }

    /// The verdict from products that carry a create's key; `nil` if there are none.
    private func carrier(
        of create: CreateSettlement.OpenCreate,
        _ holders: [MarketID: String]
    ) async throws -> SettlementVerdict? {
        guard let carried = create.carried else { return nil }
        return create.verdict(try await market.products(carrying: carried.key, capabilities), holders, capabilities)
    }

    /// The verdicts from the whole list on creates that a search did not find; empty if no row shows a key.
    private func listed(
        _ creates: [CreateSettlement.OpenCreate],
        _ snapshot: StateSnapshot,
        _ holders: [MarketID: String],
        _ keys: OwnKeys
    ) async throws -> [Int: SettlementVerdict] {
        guard !creates.isEmpty else { return [:] }
        let catalog = try await market.catalog()
        let settlement = settlement(of: creates, snapshot)
        let rows = Array(catalog.products.values)
        let showsKeys = rows.isEmpty || rows.contains { $0.key != nil } || capabilities.choosesIDs
        var verdicts: [Int: SettlementVerdict] = [:]
        for create in creates {
            if let doubt = catalog.unreadRowsSinceRequest.doubt(aboutName: create.product.values.name) {
                verdicts[create.index] = .unresolved(doubt.description)
                continue
            }
            // Rows without keys may match by name.
            let rewritesNames = capabilities.normalisedFields.contains(.name)
            let suspects = settlement.suspects(of: create, among: rows, ofAnyName: rewritesNames)
            var carriers: [LiveProduct] = []
            for row in suspects where row.key == create.carried?.key || keys.key(of: row) == nil {
                guard let product = try await market.product(row.id).map(row.completed) else { continue }
                if let key = product.key, key == create.carried?.key { carriers.append(product) }
                // It is new, and has the name but not the key: the market may have dropped or rewritten the key.
                guard !rewritesNames, capabilities.idsRise, keys.key(of: product) == nil else { continue }
                if let key = product.key {
                    guard create.carried?.isRewritten(as: key) == true else { continue }
                    verdicts[create.index] = .unresolved("product \(row.id) has its name, and shows the key '\(key)'")
                } else {
                    verdicts[create.index] = .unresolved("product \(row.id) has its name, and does not show its key")
                }
            }
            if verdicts[create.index] == nil, let id = create.answered, let product = try await market.product(id),
                product.name == create.product.values.name
            {
                verdicts[create.index] = .unresolved(
                    "the market answered with product \(id), which carries the key '\(product.key ?? "")'; look whether it is it"
                )
            }
            if let verdict = create.verdict(carriers, holders, capabilities) {
                verdicts[create.index] = verdict
            } else if verdicts[create.index] == nil, showsKeys {
                verdicts[create.index] = create.missing
            }
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
        let carriers = products.filter { ($0.key ?? carried.key) == carried.key && $0.id != carried.replaced }
        guard let product = carriers.first else { return nil }
        guard carriers.count == 1 else {
            let ids = carriers.map(\.id).inOrder().map(\.description).joined(separator: ", ")
            return .unresolved("products \(ids) carry the key '\(carried.key)'; delete there what is not wanted")
        }
        if let holder = holders[product.id], holder != carried.key {
            return .unresolved("product \(product.id) carries the key '\(carried.key)', and is '\(holder)' already")
        }
        let differences = self.product.differences(
            of: product,
            isFresh: false,
            normalised: capabilities.normalisedFields
        )
        return .happened(product, picturesAreCertain: differences.isEmpty)
    }

    fileprivate var missing: SettlementVerdict {
        guard isDuplicate else { return .neverHappened }
        return .unresolved(
            "the market says that a product has the key '\(carried?.key ?? "")', and does not show which"
        )
    }
}
