import OpenMarket

/// Which stretches of product numbers were shown whole, where the newest come first.
///
/// One page is the list at one moment: between its first and its last number there was no other product then. Where the
/// pages of several passes cover all numbers, nothing that was there throughout can have been passed over, whatever others
/// inserted and deleted.
struct NumberCoverage {
    /// From the newest to the oldest; none touches another.
    private var stretches: [ClosedRange<Int64>] = []
    /// Whether the numbers of all pages fell; where those of one did not, the stretches mean nothing.
    private var fall = true

    /// Whether all numbers are covered.
    var isWhole: Bool { fall && stretches == [Int64.min...Int64.max] }

    /// Notes a page.
    ///
    /// - Parameters:
    ///   - ids: its products, in its order.
    ///   - isFirst: whether nothing was before it.
    ///   - isLast: whether nothing was behind it.
    mutating func add(_ ids: [ProductID], isFirst: Bool, isLast: Bool) {
        guard fall, let newest = ids.first, let oldest = ids.last else { return }
        guard zip(ids, ids.dropFirst()).allSatisfy({ $0 > $1 }) else {
            distrust()
            return
        }
        add((isLast ? .min : oldest.rawValue)...(isFirst ? .max : newest.rawValue))
    }

    /// Takes the stretches for worth nothing from here on: between two pages the numbers did not fall.
    mutating func distrust() {
        fall = false
        stretches = []
    }

    private mutating func add(_ stretch: ClosedRange<Int64>) {
        // Pages mostly come in order, so this is mostly the end.
        var start = stretches.endIndex
        while let before = stretches[..<start].last,
            Self.touch(before, stretch) || before.upperBound < stretch.lowerBound
        {
            start -= 1
        }
        var end = start
        var merged = stretch
        while end < stretches.endIndex, Self.touch(stretches[end], merged) {
            merged =
                min(merged.lowerBound, stretches[end].lowerBound)...max(merged.upperBound, stretches[end].upperBound)
            end += 1
        }
        stretches.replaceSubrange(start..<end, with: [merged])
    }

    /// Whether there is no number between two stretches.
    private static func touch(_ one: ClosedRange<Int64>, _ other: ClosedRange<Int64>) -> Bool {
        let (upper, lower) = (min(one.upperBound, other.upperBound), max(one.lowerBound, other.lowerBound))
        return lower <= upper || upper + 1 == lower
    }
}
