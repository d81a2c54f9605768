/// Does something with each, so many at once, also where tests run one after the other: these mostly wait for a market
/// or for the time that a market is given.
func concurrently<Item: Sendable>(
    _ items: [Item],
    width: Int = 6,
    _ body: @escaping @Sendable (Item) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        var waiting = items.makeIterator()
        for _ in 0..<width {
            guard let item = waiting.next() else { break }
            group.addTask { try await body(item) }
        }
        while try await group.next() != nil {
            guard let item = waiting.next() else { continue }
            group.addTask { try await body(item) }
        }
    }
}
