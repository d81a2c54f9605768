/// A product that a session made although another one had taken its place by then: no key means it.
package struct OrphanedProduct: Hashable, Sendable {
    /// The product.
    var id: MarketID
    /// The run.
    var run: RunID
    /// The operation's index in the run.
    var sequence: Int
    /// The operation that made it; a backend keeps it for as long as the product is written down.
    var operation: PlannedOperation

    /// A product.
    package init(id: MarketID, run: RunID, sequence: Int, operation: PlannedOperation) {
        self.id = id
        self.run = run
        self.sequence = sequence
        self.operation = operation
    }
}
