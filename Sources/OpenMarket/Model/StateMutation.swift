/// A change of the state, in one transaction with the journal fact that caused it.
package enum StateMutation: Hashable, Sendable {
    case put(StateEntry)
    case remove(key: String)
    /// Removes a product if the key still refers to it, because it is another key's.
    case release(key: String, id: MarketID)
    /// Moves a product to another key; ignored if the old key is unknown.
    case rename(from: String, to: String)
    case vendor(Int64)
    /// Notes the file that lists these products; unknown keys are left out.
    case origin(String, keys: [String])
}

extension StateMutation {
    package var keys: [String] {
        switch self {
        case .put(let entry): [entry.key]
        case .remove(let key), .release(let key, _): [key]
        case .rename(let old, let new): [old, new]
        // Independent of operations.
        case .vendor, .origin: []
        }
    }

    /// The change without products that are left out; `nil` if it becomes empty.
    package func leavingOut(_ isLeftOut: (String) -> Bool) -> StateMutation? {
        guard case .origin(let path, let listed) = self else { return keys.contains(where: isLeftOut) ? nil : self }
        let kept = listed.filter { !isLeftOut($0) }
        return kept.isEmpty ? nil : .origin(path, keys: kept)
    }

    var composed: StateMutation { withKeys(\.composed) }

    func withKeys(_ map: (String) -> String) -> StateMutation {
        switch self {
        case .put(var entry):
            entry.key = map(entry.key)
            return .put(entry)
        case .remove(let key): return .remove(key: map(key))
        case .release(let key, let id): return .release(key: map(key), id: id)
        case .rename(let old, let new): return .rename(from: map(old), to: map(new))
        case .vendor: return self
        case .origin(let path, let keys): return .origin(path, keys: keys.map(map))
        }
    }
}

extension StateSnapshot {
    /// Applies a mutation as the journal does on disk.
    package mutating func apply(_ mutation: StateMutation) {
        switch mutation {
        case .put(let entry): entries[entry.key] = entry
        case .remove(let key): entries[key] = nil
        case .release(let key, let id): if entries[key]?.id == id { entries[key] = nil }
        case .rename(let from, let to):
            guard var entry = entries.removeValue(forKey: from) else { return }
            entry.key = to
            entries[to] = entry
        case .vendor(let id): vendorID = id
        case .origin(let path, let keys): for key in keys { entries.setOrigin(path, of: key) }
        }
    }
}
