import OpenMarket

/// A digest of a pass over the list, in order; passes with the same rows are equal.
struct ReadingTrace: Equatable {
    private(set) var rows = 0
    private var hash = FNVHash()

    mutating func addPage(rows count: Int) {
        rows += count
        hash.add(word: UInt64(count))
    }

    mutating func add(unreadableRow: UInt64) { hash.add(word: unreadableRow) }

    mutating func add(_ id: MarketID) {
        switch id {
        case .number(let number): hash.add(word: UInt64(bitPattern: number))
        case .text(let text): hash.add(word: FNVHash(text.utf8).value)
        }
    }
}
