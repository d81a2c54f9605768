/// The progress of an operation in its run.
package enum OperationStatus: String, Hashable, Sendable, CaseIterable {
    /// Written to the journal, but not sent.
    case intended
    /// A request was sent; its reply is unknown.
    case sent
    /// A step succeeded, another has to follow.
    case advanced
    case succeeded
    case failed
    case unknown
    case skipped

    /// The display order: 0 for failed, 1 for unknown, 2 for done, 3 for not begun.
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

extension RunTotals {
    /// The totals from the number of operations in each status, and the number of those recorded as stale.
    ///
    /// Facts do not show whether a skipped operation was stale.
    package init(_ counts: some Sequence<(OperationStatus, Int)>, stale: Int = 0) {
        for (status, count) in counts where status != .intended { self.count(.init(status), count) }
        self.stale = min(stale, skipped)
        skipped -= self.stale
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
    package var startedAt: Timestamp
    /// When the run ended; `nil` while it is in progress, and if it was killed.
    package var runEndedAt: Timestamp?
    /// The operation's index in the run, from 0.
    package var sequence: Int
    package var operation: PlannedOperation
    package var progress: OperationProgress

    package init(
        run: RunID,
        startedAt: Timestamp,
        runEndedAt: Timestamp?,
        sequence: Int,
        operation: PlannedOperation,
        progress: OperationProgress
    ) {
        self.run = run
        self.startedAt = startedAt
        self.runEndedAt = runEndedAt
        self.sequence = sequence
        self.operation = operation
        self.progress = progress
    }

    package var status: OperationStatus { progress.status }
    package var step: RequestStep? { progress.step }
    package var product: MarketID? { progress.product }
    package var sentAt: Timestamp? { progress.sentAt }
    package var message: String? { progress.message }

    /// The operation with an unknown outcome; `nil` if its outcome is known.
    ///
    /// Throws ``DocumentError`` if the journal lacks its request.
    package func unresolved(isUnderWay: Bool = false) throws(DocumentError) -> UnresolvedOperation? {
        guard progress.isUnresolved else { return nil }
        guard let step, let sentAt else {
            throw DocumentError("is missing", at: "step")
        }
        // A later run may have repeated the request, and may have been killed before the reply.
        let wasSentAgain = runEndedAt.map { status == .sent && sentAt > $0 } ?? false
        return UnresolvedOperation(
            run: run,
            sequence: sequence,
            facts: progress.facts,
            operation: operation,
            step: step,
            stepSucceeded: status == .advanced,
            highWater: progress.highWater,
            created: product,
            answered: progress.answered,
            sentAt: sentAt,
            runEndedAt: wasSentAgain ? nil : runEndedAt,
            fingerprint: progress.fingerprint,
            firstSentAt: progress.firstSentAt,
            isUnderWay: isUnderWay
        )
    }
}
