extension StateEntry {
    /// Whether listing and row show just what the state knows, so that there is nothing to do and nothing to learn.
    func isCurrent(for listing: Listing, row: LiveProduct) -> Bool {
        listing.values == applied && row.matches(self, ignoring: listing.ignoreChanges)
            && (row.thumbnailURL == nil || thumbnailURL != nil) && (row.issuedAt == nil || issuedAt != nil)
            && (row.vendorID == nil || row.vendorID == vendorID)
            && secret == listing.secret?.reference && isProtected == listing.isProtected
    }
}

extension Planner.Input {
    /// The state by present keys: products that `previously:` names under another key are moved.
    func renamedState() -> (entries: [String: StateEntry], renames: [StateMutation]) {
        var entries = state.entries
        var renames: [StateMutation] = []
        for listing in manifest.listings where !listing.previously.isEmpty && entries[listing.key] == nil {
            guard let old = listing.previously.first(where: { entries[$0] != nil }),
                // What is open under a key is settled under that key.
                !blockedKeys.contains(listing.key), !blockedKeys.contains(old),
                var entry = entries.removeValue(forKey: old)
            else { continue }
            entry.key = listing.key
            entries[listing.key] = entry
            renames.append(.rename(from: old, to: listing.key))
        }
        return (entries, renames)
    }

    /// Products of which the list had a row that nobody could read, and of which nothing else was read either.
    func unreadableProducts() -> [ProductID: RowProblem] {
        let unread = live.problems.compactMap { problem in problem.id.map { ($0, problem) } }
        return Dictionary(unread.filter { live.products[$0.0] == nil }, uniquingKeysWith: { first, _ in first })
    }
}
