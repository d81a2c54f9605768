extension YAMLComposer {
    /// The entries of the mapping whose start was just read, up to its end.
    mutating func composePairs() throws(YAMLError) -> [YAMLNode.Pair] {
        var pairs: [YAMLNode.Pair] = []
        // Growing from one entry on would cost most mappings four allocations.
        pairs.reserveCapacity(8)
        var keys = KeySet()
        var merges: [YAMLNode] = []
        var mergeStart: YAMLMark?
        while try reader.next() != .mappingEnd {
            let key = try composeKey()
            try reader.next()
            let value = try compose()
            guard let key else { continue }
            if key.isPlain, key.name == "<<" {
                if let mergeStart {
                    reportDuplicate(key, first: mergeStart)
                } else {
                    mergeStart = key.start
                    merges = mergedMappings(value)
                }
                continue
            }
            if let index = keys.index(of: key.name, in: pairs) {
                reportDuplicate(key, first: pairs[index].key.start)
                continue
            }
            keys.note(key.name, at: pairs.count)
            pairs.append(YAMLNode.Pair(key: key, value: value))
            if pairs.count == KeySet.searchable { keys.index(pairs) }
        }
        // Written entries win over merged ones, earlier merged mappings over later ones.
        for mapping in merges {
            for pair in mapping.pairs ?? [] where keys.index(of: pair.key.name, in: pairs) == nil {
                keys.note(pair.key.name, at: pairs.count)
                pairs.append(pair)
                if pairs.count == KeySet.searchable { keys.index(pairs) }
            }
        }
        return pairs
    }

    /// The key at hand; `nil`, with a fault, when it cannot be one, and its value comes next all the same.
    mutating func composeKey() throws(YAMLError) -> YAMLNode.Key? {
        let start = reader.start
        let end = reader.end
        if reader.kind == .scalar, reader.scalarLength <= 1024 {
            let isPlain = reader.style == .plain
            if reader.anchor == nil, reader.tag == nil {
                return YAMLNode.Key(name: reader.text, start: start, end: end, isPlain: isPlain)
            }
            let node = try compose()
            return YAMLNode.Key(name: node.text ?? "", start: start, end: end, isPlain: false)
        }
        let node = try compose()
        if let name = node.text, name.utf8.count <= 1024 {
            return YAMLNode.Key(name: name, start: start, end: end, isPlain: false)
        }
        faults.append(YAMLError(.unsupported, "a key must be a short text", at: start))
        return nil
    }

    /// What `<<` names: a mapping or a list of them.
    private mutating func mergedMappings(_ node: YAMLNode) -> [YAMLNode] {
        let mappings = node.items ?? [node]
        guard mappings.allSatisfy({ $0.pairs != nil }) else {
            faults.append(
                YAMLError(
                    .unsupported,
                    "'<<' merges a mapping or a list of mappings, and this is neither",
                    at: node.start,
                    help: "write '<<: *anchor'"
                )
            )
            return []
        }
        return mappings
    }
}

/// Tells quickly that a key is new: most mappings are small and their keys differ in first letter or length.
private struct KeySet {
    /// Up to so many pairs a search from the start is faster than a table.
    static let searchable = 24

    private var filter: UInt64 = 0
    /// Built once a mapping is large, so that no number of keys makes the search quadratic.
    private var indices: [String: Int] = [:]

    private static func bit(_ name: String) -> UInt64 {
        let first = name.utf8.first ?? 0
        // Two spellings of one key differ in both, and are one key all the same.
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return .max }
        return 1 << UInt64((UInt64(first) &* 7 &+ UInt64(name.utf8.count)) & 63)
    }

    /// Where a key stands in the pairs seen so far.
    func index(of name: String, in pairs: [YAMLNode.Pair]) -> Int? {
        guard filter & Self.bit(name) != 0 else { return nil }
        return indices.isEmpty ? pairs.firstIndex { $0.key.name == name } : indices[name]
    }

    /// Notes a key that is about to be the pair at an index.
    mutating func note(_ name: String, at index: Int) {
        filter |= Self.bit(name)
        if index >= Self.searchable { indices[name] = index }
    }

    /// Builds the index of a mapping that became large.
    mutating func index(_ pairs: [YAMLNode.Pair]) {
        for (index, pair) in pairs.enumerated() { indices[pair.key.name] = index }
    }
}
