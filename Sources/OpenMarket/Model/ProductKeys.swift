/// The manifest's keys by product, in a few bytes a product beside the keys themselves.
package struct ProductKeys: Sendable {
    /// The products named by numbers, in ascending order; the keys of others are in ``others``.
    private var numbers: [Int64] = []
    /// Where each key begins in ``texts``; one more than keys.
    private var starts: [UInt32] = [0]
    private var texts: [UInt8] = []
    /// The keys of products that have texts for ids, and these in the order in which they came.
    private var others: [MarketID: String] = [:]
    private var otherIDs: [MarketID] = []

    /// No keys.
    package init() {}

    /// Takes the next one; numbers come in ascending order, and of an id's keys the first one counts.
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

    /// So many products at most: of numbers the newest, of texts the last ones.
    package func newest(_ count: Int) -> [MarketID] {
        (numbers.suffix(count).map(MarketID.number) + otherIDs).suffix(count)
    }

    /// The key of a product; `nil` where none is known.
    package subscript(id: MarketID) -> String? {
        guard case .number(let number) = id else { return others[id] }
        let place = numbers.partitioningIndex { $0 >= number }
        guard place < numbers.count, numbers[place] == number else { return nil }
        return String(decoding: texts[Int(starts[place])..<Int(starts[place + 1])], as: UTF8.self)
    }
}
