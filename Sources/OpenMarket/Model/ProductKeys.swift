/// The manifest's keys by product, in a few bytes a product beside the keys themselves.
public struct ProductKeys: Sendable {
    private var ids: [ProductID] = []
    /// Where each key begins in ``texts``; one more than keys.
    private var starts: [UInt32] = [0]
    private var texts: [UInt8] = []

    /// No keys.
    public init() {}

    /// Takes the next one; ids come in ascending order, and of an id's keys the first one counts.
    public mutating func append(_ id: ProductID, _ key: String) {
        guard id != ids.last else { return }
        ids.append(id)
        texts += key.utf8
        starts.append(UInt32(texts.count))
    }

    /// The newest products, so many at most.
    public func newest(_ count: Int) -> [ProductID] { ids.suffix(count) }

    /// The key of a product; `nil` where none is known.
    public subscript(id: ProductID) -> String? {
        let place = ids.partitioningIndex { $0 >= id }
        guard place < ids.count, ids[place] == id else { return nil }
        return String(decoding: texts[Int(starts[place])..<Int(starts[place + 1])], as: UTF8.self)
    }
}
