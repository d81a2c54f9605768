import OpenMarket
import OpenMarketDescription

/// Which stretches of product numbers were shown whole, where they fall, or rise, from row to row.
///
/// One page is the list at one moment: between its first and its last number there was no other product then. Where the
/// pages of several passes cover all numbers, nothing that was there throughout can have been passed over, whatever others
/// inserted and deleted.
struct NumberCoverage {
    /// From the newest to the oldest; none touches another.
    private var stretches: [ClosedRange<Int64>] = []
    private let direction: MarketDescription.List.Order.Direction
    /// Whether the numbers of all pages fell, or rose; where those of one did not, the stretches mean nothing.
    private(set) var isOrdered = true

    init(_ direction: MarketDescription.List.Order.Direction = .falling) { self.direction = direction }

    /// Whether all numbers are covered.
    var isWhole: Bool { isOrdered && stretches == [Int64.min...Int64.max] }

    /// Notes a page.
    ///
    /// - Parameters:
    ///   - ids: its products, in its order.
    ///   - isFirst: whether nothing was before it.
    ///   - isLast: whether nothing was behind it.
    mutating func add(_ ids: [MarketID], isFirst: Bool, isLast: Bool) {
        guard isOrdered, !ids.isEmpty else { return }
        let numbers = ids.compactMap(\.number)
        let falling = direction == .falling ? numbers : numbers.reversed()
        guard numbers.count == ids.count, let newest = falling.first, let oldest = falling.last,
            zip(falling, falling.dropFirst()).allSatisfy({ $0 > $1 })
        else {
            distrust()
            return
        }
        let (atNewest, atOldest) = direction == .falling ? (isFirst, isLast) : (isLast, isFirst)
        add((atOldest ? .min : oldest)...(atNewest ? .max : newest))
    }

    /// Takes the stretches for worth nothing from here on: between two pages the numbers were in no order.
    mutating func distrust() {
        isOrdered = false
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
