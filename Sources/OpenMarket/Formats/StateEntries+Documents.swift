extension StateEntries {
    /// Positions among the ``values``, ordered by the bytes of the keys.
    package var placesByKey: [Int] {
        var sorted = places.map { place in withKey(at: place) { (head: KeyHead($0), place: place) } }
        sorted.sort { left, right in
            guard left.head == right.head else { return left.head < right.head }
            return withKey(at: left.place) { key in
                withKey(at: right.place) { key.precedes($0) }
            }
        }
        return sorted.map(\.place)
    }

    /// Positions of the entries whose keys match a ``Glob``, in the same order; of all entries without a pattern.
    package func placesByKey(fitting pattern: String?) -> [Int] {
        guard let glob = pattern.map(Glob.init) else { return placesByKey }
        return placesByKey.filter { glob.matches(key(at: $0)) }
    }
}

/// The first sixteen bytes of a key, which distinguish most keys.
private struct KeyHead: Comparable {
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    init(_ key: Span<UInt8>) {
        for index in 0..<min(key.count, 16) {
            let byte = key[index]
            let shift = 56 - index % 8 * 8
            if index < 8 { high |= UInt64(byte) << shift } else { low |= UInt64(byte) << shift }
        }
    }

    static func < (left: KeyHead, right: KeyHead) -> Bool { (left.high, left.low) < (right.high, right.low) }
}
