import YAML

/// Finds a manifest key by its bytes, without creating a string for each line of a catalog.
struct KeyTable<Key: ManifestKey>: Sendable {
    private struct Entry {
        var name: [UInt8]
        var key: Key
    }

    /// The keys by the byte length of their names.
    private let entries: [[Entry]]

    init() {
        let all = Key.allCases.map { Entry(name: Array($0.rawValue.utf8), key: $0) }
        let longest = all.map(\.name.count).max() ?? 0
        entries = (0...longest).map { count in all.filter { $0.name.count == count } }
    }

    func find(_ key: YAMLNode.Key) -> Key? {
        key.withName { find($0) } ?? nil
    }

    func find(_ name: UnsafeBufferPointer<UInt8>) -> Key? {
        guard name.count < entries.count else { return nil }
        return entries[name.count].first { $0.name.elementsEqual(name) }?.key
    }
}
