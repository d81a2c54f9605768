import OpenMarket

/// What a pass over the list saw, in order: two passes that saw the same have the same.
struct ReadingTrace: Equatable {
    private(set) var rows = 0
    private var hash = FNVHash()
    /// Of what could be read of it.
    private var ids = FNVHash()
    var hasDuplicates = false

    /// Begins a page.
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

    /// Whether another pass differs in nothing but rows that cannot be read.
    func differsInUnreadableRows(from other: ReadingTrace) -> Bool { rows == other.rows && ids == other.ids }
}
