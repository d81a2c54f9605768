/// The manifest's keys by product.
package struct ProductKeys: Sendable {
    /// In the order of the IDs, each once.
    private var keys: [(id: MarketID, key: String)] = []

    package init() {}

    /// Appends a key; IDs must be in ascending order, and the first key of an ID counts.
    package mutating func append(_ id: MarketID, _ key: String) {
        if id != keys.last?.id { keys.append((id, key)) }
    }

    /// At most `count` products: those with the newest numbers, or the last texts.
    package func newest(_ count: Int) -> [MarketID] { keys.suffix(count).map(\.id) }

    package subscript(id: MarketID) -> String? {
        let place = keys.partitioningIndex { !MarketID.precedes($0.id, id) }
        return place < keys.count && keys[place].id == id ? keys[place].key : nil
    }
}
