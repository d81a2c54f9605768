extension Planner.Input {
    /// Sets the keys of rows that lack one, or whose key lost or gained a formula guard.
    ///
    /// A row with only an id, or with a shortened key, gets the state's key of its product. A guarded key gets its
    /// original form.
    mutating func settleKeys() {
        guard !state.entries.isEmpty else { return }
        let listings = manifest.listings
        let rows = listings.indices.filter { listings.row(at: $0) != nil }
        guard !rows.isEmpty else { return }
        var taken = Set(listings.indices.map(listings.key(at:)))
        for index in rows {
            let key = listings.key(at: index)
            let other = FormulaGuard.unguarded(key)
            guard !other.isExactly(key), state.entries[key] == nil, state.entries[other] != nil else { continue }
            if taken.insert(other).inserted { manifest.listings[index].key = other }
        }
        let made = rows.filter { listings.row(at: $0)?.hasMadeKey == true }
        guard !made.isEmpty else { return }
        let known = Dictionary(zip(state.entries.ids, state.entries.keys), uniquingKeysWith: min)
        for index in made {
            // A key with a listing stays that listing's. The planner reports that the product is listed twice.
            guard let id = listings.pinnedID(at: index), let key = known[id], taken.insert(key).inserted else {
                continue
            }
            manifest.listings[index].key = key
        }
    }
}
