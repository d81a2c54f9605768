/// The manifest's keys by product, in a few bytes per product besides the keys.
package struct ProductKeys: Sendable {
    /// The products with numbers as IDs, in ascending order; the keys of other products are in ``others``.
    private var numbers: [Int64] = []
    /// The start of each key in ``texts``, and the end of the last.
    private var starts: [UInt32] = [0]
    private var texts: [UInt8] = []
    /// The keys of products with texts as IDs; ``otherIDs`` has the IDs in the order of insertion.
    private var others: [MarketID: String] = [:]
    private var otherIDs: [MarketID] = []

    package init() {}

    /// Appends a key; numbers must be in ascending order, and the first key of an ID counts.
    package mutating func append(_ id: MarketID, _ key: String) {
        guard case .number(let number) = id else {
            guard others[id] == nil else { return }
            others[id] = key
            otherIDs.append(id)
            return
        }
        guard number != numbers.last else { return }
        numbers.append(number)
        texts += key.utf8
        starts.append(UInt32(texts.count))
    }

    /// At most `count` products: the newest numbers, or the texts added last.
    package func newest(_ count: Int) -> [MarketID] {
        (numbers.suffix(count).map(MarketID.number) + otherIDs).suffix(count)
    }

    package subscript(id: MarketID) -> String? {
        guard case .number(let number) = id else { return others[id] }
        let place = numbers.partitioningIndex { $0 >= number }
        guard place < numbers.count, numbers[place] == number else { return nil }
        return String(decoding: texts[Int(starts[place])..<Int(starts[place + 1])], as: UTF8.self)
    }
}
