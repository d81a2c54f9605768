import OpenMarket

extension YAMLComposer {
    /// Adds the entries of the mapping whose start was just read, up to its end; returns their number.
    mutating func composePairs() throws(YAMLError) -> Int {
        var known = KeySet(first: keys.count)
        defer { keys.removeLast(keys.count - known.first) }
        var merges: [YAMLNode] = []
        var mergeStart: SourcePosition?
        while try reader.next() != .mappingEnd {
            let length = tape.length
            let key = tape.cells.count
            let isKey = try composeKey()
            try reader.next()
            guard isKey else {
                try composeCells()
                tape.truncate(to: length)
                continue
            }
            let start = tape.cells[key].start
            if tape.cells[key].isBare, tape.cells[key].count == 2, tape.text(of: key) == "<<" {
                tape.truncate(to: length)
                let value = try composeApart()
                if let mergeStart {
                    reportDuplicate("<<", at: start, first: mergeStart)
                } else {
                    mergeStart = start
                    merges = mergedMappings(value)
                }
                continue
            }
            try composeCells()
            if let first = known.find(key, in: keys, of: tape) {
                reportDuplicate(tape.text(of: key) ?? "", at: start, first: tape.cells[first].start)
                tape.truncate(to: length)
                continue
            }
            keys.append(key)
            known.note(key, in: keys, of: tape)
        }
        // Written entries override merged ones, and earlier merged mappings override later ones.
        for mapping in merges {
            for pair in mapping.pairs ?? [] {
                let length = tape.length
                let key = tape.cells.count
                tape.append(pair.key.asNode)
                guard known.find(key, in: keys, of: tape) == nil else {
                    tape.truncate(to: length)
                    continue
                }
                tape.append(pair.value)
                keys.append(key)
                known.note(key, in: keys, of: tape)
            }
        }
        return keys.count - known.first
    }

    /// Adds the current key; returns false if the node cannot be a key, which is a fault and may add anything.
    ///
    /// In both cases the key's value comes next.
    mutating func composeKey() throws(YAMLError) -> Bool {
        let start = reader.start
        let end = reader.end
        if reader.kind == .scalar, reader.scalarLength <= 1024, reader.anchor == nil, reader.tag == nil {
            var cell = YAMLTape.Cell(kind: .scalar, style: reader.style, start: start, end: end)
            cell.isBare = cell.style == .plain
            tape.append(reader.textBytes, cell)
            return true
        }
        let length = tape.length
        let index = tape.cells.count
        try composeCells()
        guard var name = tape.text(of: index), name.utf8.count <= 1024 else {
            faults.append(YAMLError(.unsupported, "a key must be a short text", at: start))
            return false
        }
        tape.truncate(to: length)
        name.withUTF8 { tape.append($0, YAMLTape.Cell(kind: .scalar, style: .singleQuoted, start: start, end: end)) }
        return true
    }

    /// The mappings after `<<`: one, or a list of them.
    private mutating func mergedMappings(_ node: YAMLNode) -> [YAMLNode] {
        let mappings = node.items ?? [node]
        guard mappings.allSatisfy({ $0.kind == .mapping }) else {
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

/// Determines quickly that a key is new: most mappings are small, and their keys differ in first letter or length.
private struct KeySet {
    /// Up to this number of keys, a linear search is faster than a table.
    static let searchable = 24

    /// The index of the mapping's first key among those of all mappings.
    let first: Int
    private var filter: UInt64 = 0
    /// Created once a mapping is large, so that no number of keys causes quadratic search.
    private var indices: [String: Int] = [:]

    init(first: Int) { self.first = first }

    /// The cell of an equal key; `nil` if the mapping has none.
    func find(_ key: Int, in keys: [Int], of tape: YAMLTape.Draft) -> Int? {
        guard filter & Self.bit(key, of: tape) != 0 else { return nil }
        let name = tape.text(of: key)
        if !indices.isEmpty { return name.flatMap { indices[$0] } }
        return keys[first...].first { tape.text(of: $0) == name }
    }

    mutating func note(_ key: Int, in keys: [Int], of tape: YAMLTape.Draft) {
        filter |= Self.bit(key, of: tape)
        let count = keys.count - first
        if count > Self.searchable {
            indices[tape.text(of: key) ?? ""] = key
        } else if count == Self.searchable {
            for key in keys[first...] { indices[tape.text(of: key) ?? ""] = key }
        }
    }

    private static func bit(_ key: Int, of tape: YAMLTape.Draft) -> UInt64 {
        // Two Unicode spellings of one key may differ in first byte and length, and are still one key.
        guard tape.cells[key].kind == .scalar else { return .max }
        return tape.withText(of: key) { name in
            guard name.allSatisfy({ $0 < 0x80 }) else { return .max }
            return 1 << UInt64((UInt64(name.first ?? 0) &* 7 &+ UInt64(name.count)) & 63)
        }
    }
}
