/// How far an operation of a run has come.
package enum OperationStatus: String, Hashable, Sendable, CaseIterable {
    /// Written down, nothing sent.
    case intended
    /// A request left; no answer is known.
    case sent
    /// A step succeeded, another has to follow.
    case advanced
    /// Carried out.
    case succeeded
    /// Ended without effect.
    case failed
    /// The outcome is not known.
    case unknown
    /// Never started.
    case skipped

    /// The place among the statuses for people, who want to see first what went wrong: 0 for what failed, 1 for what is
    /// not known, 2 for what is done, 3 for what was not begun.
    package var rank: Int {
        switch self {
        case .failed: 0
        case .sent, .advanced, .unknown: 1
        case .succeeded: 2
        case .intended, .skipped: 3
        }
    }

    /// The statuses of operations whose outcome is not known.
    package static let unresolved: Set<OperationStatus> = [.sent, .advanced, .unknown]
}

extension JournalEvent.Fact {
    /// How far the operation has come by it.
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

    /// What went wrong, or why it was skipped.
    package var message: String? {
        switch self {
        case .sent, .advanced, .succeeded: nil
        case .failed(let message), .unknown(_, let message, _), .skipped(let message): message
        }
    }
}

/// A run as the journal remembers it.
package struct RunSummary: Hashable, Sendable {
    /// How it was opened.
    package var record: RunRecord
    /// When it began.
    package var startedAt: Timestamp
    /// When it was closed; `nil` while it goes on, and for one that was killed.
    package var finishedAt: Timestamp?
    /// Whether the user broke it off.
    package var interrupted: Bool
    /// How its operations ended; all zero until it is closed.
    package var totals: RunTotals
    /// How many operations it had.
    package var operations: Int
    /// How many of them have no known outcome.
    package var unresolved: Int

    /// A run.
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

/// An operation as the journal remembers it.
package struct JournalledOperation: Hashable, Sendable {
    /// The run.
    package var run: RunID
    /// When the run began.
    var startedAt: Timestamp
    /// The operation's index in the run, from 0.
    package var sequence: Int
    /// What was to be done.
    package var operation: PlannedOperation
    /// How far it has come.
    package var status: OperationStatus
    /// The last step that a request left for.
    package var step: RequestStep?
    /// The product that it made or changed, where that is known.
    package var product: MarketID?
    /// When its last request left.
    package var sentAt: Timestamp?
    /// What went wrong, or why it was skipped.
    package var message: String?

    /// An operation.
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
