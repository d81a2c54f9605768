import YAML

/// Finds the key that a mapping of the manifest has by its bytes, without a text made for each line of a catalog.
struct KeyTable<Key: ManifestKey>: Sendable {
    private struct Slot {
        var name: [UInt8]
        var key: Key
    }

    /// A hash table with linear probing, at least half of it free.
    private let slots: [Slot?]

    /// A table of all keys of the mapping.
    init() {
        var slots: [Slot?] = Array(repeating: nil, count: 64)
        precondition(Key.allCases.count <= slots.count / 2)
        for key in Key.allCases {
            let name = Array(key.rawValue.utf8)
            var slot = name.withUnsafeBufferPointer { Self.slot(of: $0) }
            while slots[slot] != nil { slot = (slot + 1) & 63 }
            slots[slot] = Slot(name: name, key: key)
        }
        self.slots = slots
    }

    /// The key of this name.
    func find(_ key: YAMLNode.Key) -> Key? {
        key.withName { find($0) } ?? nil
    }

    /// The key of this name.
    func find(_ name: UnsafeBufferPointer<UInt8>) -> Key? {
        var slot = Self.slot(of: name)
        while let entry = slots[slot] {
            if entry.name.elementsEqual(name) { return entry.key }
            slot = (slot + 1) & 63
        }
        return nil
    }

    private static func slot(of name: UnsafeBufferPointer<UInt8>) -> Int {
        (Int(name.first ?? 0) &* 7 &+ name.count) & 63
    }
}
