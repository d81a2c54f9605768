/// The number of concurrent requests.
package enum Parallelism {
    /// The default number of concurrent requests and open connections.
    package static let standard = 8
    /// The valid values.
    package static let range = 1...1024
}

/// Runs the same work for many items, at most `width` of them concurrently.
///
/// The items are started in order; `width` is at least 1. `collect` receives the results one by one, in the order of
/// completion. Errors of `work` and `collect` are rethrown.
package func forEachConcurrently<Item: Sendable, Result: Sendable>(
    _ items: some Sequence<Item>,
    width: Int,
    work: @escaping @Sendable (Item) async throws -> Result,
    collect: (Item, Result) throws -> Void = { _, _ in }
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
