extension Planner.Input {
    /// Sets the keys of rows that lack one, or whose key lost or gained a formula guard.
    ///
    /// A row with only an id, or with a shortened key, gets the state's key of its product. A guarded key gets its
    /// original form.
    mutating func settleKeys() {
        let listings = manifest.listings
        settleGuardedKeys()
        let made = listings.indices.filter { listings.row(at: $0)?.hasMadeKey == true }
        guard !made.isEmpty, !state.entries.isEmpty else { return }
        let known = Dictionary(zip(state.entries.ids, state.entries.keys), uniquingKeysWith: min)
        var taken = Set(listings.indices.map(listings.key(at:)))
        for index in made {
            // A key with a listing stays that listing's. The planner reports that the product is listed twice.
            guard let id = listings.pinnedID(at: index), let key = known[id], taken.insert(key).inserted else {
                continue
            }
            manifest.listings[index].key = key
        }
    }

    private mutating func settleGuardedKeys() {
        guard !state.entries.isEmpty else { return }
        let listings = manifest.listings
        let guarded = listings.indices.filter { index in
            guard listings.row(at: index) != nil else { return false }
            let key = listings.key(at: index)
            let other = FormulaGuard.unguarded(key)
            return !other.isExactly(key) && state.entries[key] == nil && state.entries[other] != nil
        }
        guard !guarded.isEmpty else { return }
        var taken = Set(listings.indices.map(listings.key(at:)))
        for index in guarded {
            let key = FormulaGuard.unguarded(listings.key(at: index))
            if taken.insert(key).inserted { manifest.listings[index].key = key }
        }
    }
}
