/// "Did you mean …": the existing name that a misspelled one probably means.
package enum Suggestion {
    package static func nearest(to name: String, in names: some Sequence<String>) -> String? {
        let word = Array(name.lowercased().unicodeScalars)
        guard (1...64).contains(word.count) else { return nil }
        let tolerance = word.count <= 3 ? 1 : 2
        var best: (name: String, distance: Int)?
        for candidate in names {
            let other = Array(candidate.lowercased().unicodeScalars)
            guard abs(other.count - word.count) <= tolerance else { continue }
            let distance = distance(word, other)
            if distance <= tolerance, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// The edit distance: insertions, deletions, substitutions and swaps of neighbours.
    package static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 1...left.count {
            var current = [row]
            current.reserveCapacity(right.count + 1)
            for column in 1...right.count {
                let cost = left[row - 1] == right[column - 1] ? 0 : 1
                var best = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + cost)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, beforeLast[column - 2] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
