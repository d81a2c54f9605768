import OpenMarket

/// A digest of a pass over the list, in order; passes with the same rows are equal.
struct ReadingTrace: Equatable {
    private(set) var rows = 0
    private var hash = FNVHash()
    /// The hash of the readable rows.
    private var ids = FNVHash()

    mutating func addPage(rows count: Int) {
        rows += count
        hash.add(word: UInt64(count))
    }

    mutating func add(unreadableRow: UInt64) { hash.add(word: unreadableRow) }

    mutating func add(_ id: MarketID) {
        let word =
            switch id {
            case .number(let number): UInt64(bitPattern: number)
            case .text(let text): FNVHash(text.utf8).value
            }
        hash.add(word: word)
        ids.add(word: word)
    }

    /// Whether another pass differs only in unreadable rows.
    func differsInUnreadableRows(from other: ReadingTrace) -> Bool { rows == other.rows && ids == other.ids }
}
