import YAML

/// Finds a manifest key by its bytes, without creating a string for each line of a catalog.
struct KeyTable<Key: ManifestKey>: Sendable {
    private struct Slot {
        var name: [UInt8]
        var key: Key
    }

    /// A hash table with linear probing, at least half of it free.
    private let slots: [Slot?]

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

    func find(_ key: YAMLNode.Key) -> Key? {
        key.withName { find($0) } ?? nil
    }

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
