/// How much happens at once.
package enum Parallelism {
    /// How many requests are under way at once, and connections open, unless specified.
    package static let standard = 8
    /// How many may be asked for.
    package static let range = 1...1024
}

/// Does the same to many items, a bounded number of them at once.
///
/// - Parameters:
///   - items: the items; begun in their order.
///   - width: how many at once, at least one.
///   - work: what to do with each.
///   - collect: takes the results one by one, in the order of completion.
/// - Throws: what `work` and `collect` throw.
package func forEachConcurrently<Item: Sendable, Result: Sendable>(
    _ items: some Sequence<Item>,
    width: Int,
    work: @escaping @Sendable (Item) async throws -> Result,
    collect: (Item, Result) throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: (Item, Result).self) { group in
        var waiting = items.makeIterator()
        for _ in 0..<max(1, width) {
            guard let item = waiting.next() else { break }
            group.addTask { (item, try await work(item)) }
        }
        while let (item, result) = try await group.next() {
            try collect(item, result)
            if let item = waiting.next() {
                group.addTask { (item, try await work(item)) }
            }
        }
    }
}
