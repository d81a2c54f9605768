/// Finds live products that a plan would create a second time, because they appeared since the plan.
struct NamesakeCheck {
    let known: KnownNamesakes
    let identity: VendorIdentity
    let operations: [PlannedOperation]

    /// Whether some rows hide their product, so that reading the list again may help.
    func isUnclear(_ catalog: LiveCatalog) -> Bool {
        catalog.unreadRows.count > 0 || unexplained(catalog).contains { $0.name == nil }
    }

    /// The operations that must not begin, by their index; empty if all may.
    ///
    /// Both arguments are current: the market's catalog and the state.
    func refusals(catalog: LiveCatalog, snapshot: StateSnapshot) -> [Int: OperationRefusal] {
        let makes = operations.indices.filter { operations[$0].newProduct != nil }
        let names = Set(operations.compactMap { $0.newProduct?.values.name })
        let (claimed, unexplained) = (claimed, unexplained(catalog))
        let nameless = unexplained.filter { $0.name == nil }.map(\.id).min(by: MarketID.precedes)
        // A product in the current state still counts: the plan may create it again under a renamed key. The list may
        // not show it yet, or show the name that a person gave it.
        let keys = Set(operations.map(\.key))
        let managed = snapshot.entries.values.filter { !claimed.contains($0.id) && !keys.contains($0.key) }
            .map { LiveProduct(id: $0.id, values: $0.applied) }
        let others = unexplained + managed
        // Markets rewrite names.
        let spellings = Set(names.map { RewrittenName($0) })
        var found: [RewrittenName: [MarketID]] = [:]
        for product in others {
            guard let name = product.name.map({ RewrittenName($0) }), spellings.contains(name) else { continue }
            found[name, default: []].append(product.id)
        }
        // A market may have truncated the name, and the price may have changed since.
        let truncatedNames = TruncatedNames(others, except: names)
        let carriers = carriers(catalog)
        let unread = catalog.unreadRows
        var refusals: [Int: OperationRefusal] = [:]
        for index in makes {
            guard let values = operations[index].newProduct?.values, let name = values.name else { continue }
            let namesakes = found[RewrittenName(name)]
            let ids = namesakes ?? truncatedNames.candidates(for: values, by: .name)
            // The new product of a replace is newer than the old one.
            let old = operations[index].id
            let reason: String? =
                if let carrier = carriers[operations[index].key] {
                    "product \(carrier) carries its key, which is new since the plan"
                } else if let first = ids.filter({ id in old.map { id.mayBeNewer(than: $0) } ?? true })
                    .min(by: MarketID.precedes)
                {
                    "the market has product \(first) of \(namesakes == nil ? "the beginning of its name" : "its name"), "
                        + "unlike in the plan"
                } else if let nameless {
                    "the market has product \(nameless) without a name, unlike in the plan"
                } else if unread.count > known.unreadRows, let doubt = unread.doubt(aboutName: name) {
                    "\(doubt), and may be it"
                } else { nil }
            if let reason { refusals[index] = OperationRefusal(.stale, reason) }
        }
        return refusals
    }

    /// The products that the plan already accounts for.
    private var claimed: Set<MarketID> { Set(known.others).union(operations.compactMap(\.id)) }

    /// The products outside the plan that carry a managed key, by key.
    private func carriers(_ catalog: LiveCatalog) -> [String: MarketID] {
        guard let keys = identity.keys else { return [:] }
        let claimed = claimed
        var carriers: [String: MarketID] = [:]
        for product in catalog.products.values where !claimed.contains(product.id) {
            if let key = keys.key(of: product) { carriers[key] = product.id }
        }
        return carriers
    }

    /// The products outside the plan that do not carry a managed key and are not another vendor's.
    private func unexplained(_ catalog: LiveCatalog) -> [LiveProduct] {
        let claimed = claimed
        return catalog.products.values.filter { product in
            guard !claimed.contains(product.id), identity.keys?.key(of: product) == nil else { return false }
            return identity.ownership(of: product, by: .confirmed) != .foreign && !identity.isContested(product)
        }
    }

    /// The keys of products to create whose names others use, if the plan's vendor identity is right.
    func contested(_ catalog: LiveCatalog) -> Set<String> {
        let claimed = claimed
        let others = Set(
            catalog.products.values.lazy.filter { identity.isContested($0) && !claimed.contains($0.id) }
                .compactMap(\.name)
        )
        guard !others.isEmpty else { return [] }
        return Set(
            operations.filter { $0.newProduct?.values.name.map(others.contains) ?? false }.map(\.key)
        )
    }
}
