/// A change of the state.
///
/// Applied in one transaction with the journal fact that caused it.
package enum StateMutation: Hashable, Sendable {
    /// Writes what we know of a product, under its key.
    case put(StateEntry)
    /// Drops a product.
    case remove(key: String)
    /// Drops a product, where the key still means this one: it turned out to be another key's.
    case release(key: String, id: MarketID)
    /// Moves a product to another key; does nothing where the old key is not known.
    case rename(from: String, to: String)
    /// Remembers our vendor number.
    case vendor(Int64)
}

extension StateMutation {
    /// The keys whose products it is about.
    package var keys: [String] {
        switch self {
        case .put(let entry): [entry.key]
        case .remove(let key), .release(let key, _): [key]
        case .rename(let old, let new): [old, new]
        case .vendor: []
        }
    }

    /// The same with its keys in composed form.
    var composed: StateMutation {
        switch self {
        case .put(var entry):
            entry.key = entry.key.composed
            return .put(entry)
        case .remove(let key): return .remove(key: key.composed)
        case .release(let key, let id): return .release(key: key.composed, id: id)
        case .rename(let old, let new): return .rename(from: old.composed, to: new.composed)
        case .vendor: return self
        }
    }
}

extension StateSnapshot {
    /// Carries out a change of the state, as the journal does on disk.
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
        }
    }
}
