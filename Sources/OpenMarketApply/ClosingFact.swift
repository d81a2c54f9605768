import OpenMarket

/// The last fact of an operation, on its way to the journal.
///
/// It waits for the first fact of the next operation, and for nothing else: nothing but computing lies between the two,
/// and a disk that has taken one has taken both, at the price of one commit. So no request leaves before the outcome of
/// the one before it is on the disk.
struct ClosingFact: Sendable {
    /// The fact.
    let event: JournalEvent
    /// How the operation ended; it is told once the fact is written.
    let result: OperationResult
    /// Operations of earlier runs that end with this one.
    var origins: [Recovery.PendingDelete] = []
    /// The operation that begins meanwhile; it is told behind this one's end.
    var successor: (sequence: Int, operation: PlannedOperation)?

    init(event: JournalEvent, result: OperationResult) {
        self.event = event
        self.result = result
    }
}
