import OpenMarket
import OpenMarketDescription

/// The ranges of product numbers that were read completely, for numbers that fall, or rise, from row to row.
///
/// One page is a snapshot of one moment: between its first and its last number there was no other product then. If the
/// pages of several passes cover all numbers, all products that existed throughout were read, regardless of inserts and
/// deletes.
struct NumberCoverage {
    private var ranges = RangeSet<Int64>()
    private let direction: MarketDescription.List.Order.Direction
    /// Whether the numbers of all pages fell, or rose; otherwise the ranges cannot be a proof.
    private(set) var isOrdered = true

    init(_ direction: MarketDescription.List.Order.Direction = .falling) { self.direction = direction }

    var isWhole: Bool { isOrdered && ranges == RangeSet(.min ..< .max) }

    /// Adds a page with its ids in order; `isFirst` and `isLast` are whether it is the first or the last page.
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
        // The largest number stands for the end, and is no id.
        ranges.insert(contentsOf: (atOldest ? .min : oldest)..<(atNewest ? .max : min(newest, .max - 1) + 1))
    }

    /// Discards all ranges, now and later, because the numbers had no order across pages.
    mutating func distrust() {
        isOrdered = false
        ranges = RangeSet()
    }
}
