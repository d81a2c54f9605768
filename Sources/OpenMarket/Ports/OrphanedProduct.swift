/// A product that a session created after another one had replaced it; no key refers to the product.
package struct OrphanedProduct: Hashable, Sendable {
    var id: MarketID
    var run: RunID
    /// The operation's index in the run, from 0.
    var sequence: Int
    /// The operation that created it; a backend keeps it as long as the product's record.
    var operation: PlannedOperation

    package init(id: MarketID, run: RunID, sequence: Int, operation: PlannedOperation) {
        self.id = id
        self.run = run
        self.sequence = sequence
        self.operation = operation
    }
}
