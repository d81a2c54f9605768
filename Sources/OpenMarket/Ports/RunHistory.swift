/// The progress of an operation in its run.
package enum OperationStatus: String, Hashable, Sendable, CaseIterable {
    /// Written to the journal, nothing sent.
    case intended
    /// A request was sent; no reply is known.
    case sent
    /// A step succeeded, another has to follow.
    case advanced
    case succeeded
    case failed
    case unknown
    case skipped

    /// The order in which people want to see operations: 0 for failed, 1 for unknown, 2 for done, 3 for not begun.
    package var rank: Int {
        switch self {
        case .failed: 0
        case .sent, .advanced, .unknown: 1
        case .succeeded: 2
        case .intended, .skipped: 3
        }
    }

    /// The statuses of operations whose outcome is unknown.
    package static let unresolved: Set<OperationStatus> = [.sent, .advanced, .unknown]
}

extension JournalEvent.Fact {
    package var status: OperationStatus {
        switch self {
        case .sent: .sent
        case .advanced: .advanced
        case .succeeded: .succeeded
        case .failed: .failed
        case .unknown: .unknown
        case .skipped: .skipped
        }
    }

    package var message: String? {
        switch self {
        case .sent, .advanced: nil
        case .succeeded(_, let note): note
        case .failed(let message), .unknown(_, let message, _), .skipped(let message): message
        }
    }
}

/// A run as recorded in the journal.
package struct RunSummary: Hashable, Sendable {
    package var record: RunRecord
    package var startedAt: Timestamp
    /// When it was closed; `nil` while it is in progress, and if it was killed.
    package var finishedAt: Timestamp?
    package var interrupted: Bool
    /// The numbers of operations by outcome; all zero until it is closed.
    package var totals: RunTotals
    package var operations: Int
    package var unresolved: Int

    package init(
        record: RunRecord,
        startedAt: Timestamp,
        finishedAt: Timestamp?,
        interrupted: Bool,
        totals: RunTotals,
        operations: Int,
        unresolved: Int
    ) {
        self.record = record
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.interrupted = interrupted
        self.totals = totals
        self.operations = operations
        self.unresolved = unresolved
    }
}

/// An operation as recorded in the journal.
package struct JournalledOperation: Hashable, Sendable {
    package var run: RunID
    var startedAt: Timestamp
    /// The operation's index in the run, from 0.
    package var sequence: Int
    package var operation: PlannedOperation
    package var status: OperationStatus
    package var step: RequestStep?
    /// The product that it created or changed, if known.
    package var product: MarketID?
    package var sentAt: Timestamp?
    package var message: String?

    package init(
        run: RunID,
        startedAt: Timestamp,
        sequence: Int,
        operation: PlannedOperation,
        status: OperationStatus,
        step: RequestStep?,
        product: MarketID?,
        sentAt: Timestamp?,
        message: String?
    ) {
        self.run = run
        self.startedAt = startedAt
        self.sequence = sequence
        self.operation = operation
        self.status = status
        self.step = step
        self.product = product
        self.sentAt = sentAt
        self.message = message
    }
}
