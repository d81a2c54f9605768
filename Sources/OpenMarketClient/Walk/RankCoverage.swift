/// The ranks of a list, counted from its end, that have been read.
///
/// The oldest row has rank 1. ``CatalogWalk`` explains why ranks stay the same while rows move.
struct RankCoverage {
    private var stretches = Stretches<Int>()

    /// Adds the `count` rows of a page, with `firstIndex` rows before it and `total` rows overall at that moment.
    mutating func add(firstIndex: Int, count: Int, total: Int) {
        let upper = total - firstIndex
        guard count > 0, upper >= 1 else { return }
        stretches.add(max(1, upper - count + 1)...upper)
    }

    /// The ranks from 1 to `total` that no page had.
    func gaps(upTo total: Int) -> [ClosedRange<Int>] {
        var gaps: [ClosedRange<Int>] = []
        var next = 1
        for stretch in stretches.ranges.reversed() where next <= total {
            if stretch.lowerBound > next { gaps.append(next...min(stretch.lowerBound - 1, total)) }
            next = stretch.upperBound + 1
        }
        if next <= total { gaps.append(next...total) }
        return gaps
    }
}
