import Synchronization

/// Items that several tasks work through, each item taken once, in order.
final class SharedQueue<Item: Sendable>: Sendable {
    private let items: [Item]
    private let position = Atomic(0)

    init(_ items: [Item]) {
        self.items = items
    }

    /// How many items there were at the beginning.
    var count: Int { items.count }

    /// The next item; `nil` when all were taken.
    func next() -> Item? {
        let index = position.wrappingAdd(1, ordering: .relaxed).oldValue
        return index < items.count ? items[index] : nil
    }
}
