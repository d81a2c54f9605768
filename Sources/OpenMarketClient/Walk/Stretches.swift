/// Ranges of whole numbers, without overlapping or adjacent ones.
struct Stretches<Number: FixedWidthInteger> {
    /// From the highest to the lowest range.
    private(set) var ranges: [ClosedRange<Number>] = []

    mutating func add(_ range: ClosedRange<Number>) {
        // Pages usually come in order, so the range usually belongs at the end.
        var start = ranges.endIndex
        while let before = ranges[..<start].last, Self.touch(before, range) || before.upperBound < range.lowerBound {
            start -= 1
        }
        var end = start
        var merged = range
        while end < ranges.endIndex, Self.touch(ranges[end], merged) {
            merged = min(merged.lowerBound, ranges[end].lowerBound)...max(merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: [merged])
    }

    /// Whether two ranges touch or overlap.
    private static func touch(_ one: ClosedRange<Number>, _ other: ClosedRange<Number>) -> Bool {
        let (upper, lower) = (min(one.upperBound, other.upperBound), max(one.lowerBound, other.lowerBound))
        return lower <= upper || upper + 1 == lower
    }
}
