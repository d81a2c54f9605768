/// How one operation of a run ended.
package struct OperationResult: Hashable, Sendable {
    /// How it ended.
    package enum Status: String, Hashable, Sendable {
        /// Carried out.
        case done
        /// Not carried out, or not as asked; ``OperationResult/error`` says why.
        case failed
        /// Refused because the product moved since the plan was saved.
        case stale
        /// Not started.
        case skipped
        /// The outcome is unknown, or it stopped between two steps; the next run settles it.
        case unknown
    }

    /// The operation's index in the run, from 0.
    package var sequence: Int
    /// The manifest's name for the product.
    package var key: String
    /// What was to be done.
    package var action: PlannedOperation.Action
    /// How it ended.
    package var status: Status
    /// The product: the new one of a create or replace, where it is known.
    package var id: MarketID?
    /// What went wrong, in one sentence; control characters are the caller's to escape.
    package var error: String?
    /// The manifest's line.
    package var source: SourceLocation?
    /// Whether it was not begun for a reason of its own, and not because the run stopped.
    package var isRefused = false

    /// A result.
    init(
        sequence: Int,
        key: String,
        action: PlannedOperation.Action,
        status: Status,
        id: MarketID? = nil,
        error: String? = nil,
        source: SourceLocation? = nil
    ) {
        self.sequence = sequence
        self.key = key
        self.action = action
        self.status = status
        self.id = id
        self.error = error
        self.source = source
    }
}

/// Why an operation of a run is not even begun.
package struct OperationRefusal: Hashable, Sendable {
    /// `stale`, `skipped` or another status that says that nothing was sent.
    var status: OperationResult.Status
    /// In one sentence for people.
    var reason: String

    /// A refusal.
    package init(_ status: OperationResult.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    /// Of operations, those that are not begun: refused by whoever planned, or because they cannot be carried out as planned.
    ///
    /// - Parameters:
    ///   - operations: the operations of a run.
    ///   - known: what was refused before, by the index.
    /// - Returns: all refusals, by the index.
    package static func all(of operations: [PlannedOperation], besides known: [Int: Self]) -> [Int: Self] {
        var refusals = known
        for (index, operation) in operations.enumerated() where known[index] == nil {
            refusals[index] = operation.mismatch.map { Self(.skipped, "not started: \($0)") }
        }
        return refusals
    }
}

extension OperationResult {
    /// The result of an operation that was not begun.
    ///
    /// - Parameters:
    ///   - sequence: its index in the run.
    ///   - operation: the operation.
    ///   - refusal: why not.
    ///   - isOwn: whether that is a reason of its own, and not that the run stopped.
    package init(_ sequence: Int, _ operation: PlannedOperation, _ refusal: OperationRefusal, isOwn: Bool) {
        self.init(
            sequence: sequence,
            key: operation.key,
            action: operation.action,
            status: refusal.status,
            id: operation.id,
            error: refusal.reason,
            source: operation.source
        )
        isRefused = isOwn
    }
}

/// How a run ended.
package struct RunResult: Sendable {
    /// The run.
    package var run: RunID
    /// How many operations ended how.
    package var totals: RunTotals
    /// Every operation, in the plan's order.
    package var operations: [OperationResult]
    /// What ended the run before its end; `nil` when it went through.
    package var endedBy: StopReason?
    /// What the state knows after the run.
    var snapshot: StateSnapshot

    /// Whether a signal ended it.
    var interrupted: Bool { endedBy == .interrupted }
}

/// Why a run stopped starting work.
package enum StopReason: Hashable, Sendable {
    /// The user asked for it.
    case interrupted
    /// The market does not answer.
    case marketUnreachable(String)
    /// The credentials were rejected.
    case credentials(String)
    /// The market says that we are another vendor than was said.
    case identity(VendorContradiction)
    /// The state's backend said so.
    case ordered(String)

    /// Whether it concerns all sessions of a run, and not only the one that found it.
    var concernsAll: Bool {
        switch self {
        case .interrupted, .marketUnreachable, .credentials: false
        case .identity, .ordered: true
        }
    }

    /// The reason, in one sentence for people.
    var message: String {
        switch self {
        case .interrupted: "the run was interrupted"
        case .marketUnreachable: "the market cannot be reached"
        case .credentials: "the credentials were rejected"
        case .identity(let contradiction): "\(contradiction)"
        case .ordered(let why): why
        }
    }
}

extension RunTotals {
    /// Counts results.
    package init(_ results: [OperationResult]) {
        self.init()
        for result in results { count(result.status) }
    }

    /// Counts a result.
    mutating func count(_ status: OperationResult.Status) {
        switch status {
        case .done: done += 1
        case .failed: failed += 1
        case .stale: stale += 1
        case .skipped: skipped += 1
        case .unknown: unknown += 1
        }
    }
}

/// What a run reports while it goes on: for the progress bar and for NDJSON.
///
/// Later versions may add kinds.
package enum ExecutionEvent: Hashable, Sendable {
    /// An operation starts.
    case started(sequence: Int, PlannedOperation)
    /// An operation ended.
    case finished(OperationResult)
    /// A request will be sent again.
    case retrying(sequence: Int, key: String, step: RequestStep, attempt: Int, after: Duration, reason: String)
    /// The market asked for less: so many requests at once from now on, none before the pause is over.
    case slowed(width: Int, pause: Duration?)
    /// Creates without reply are looked for on the market.
    case settling(count: Int)
    /// A create without reply was found, or never happened, or stays unresolved.
    case settled(sequence: Int, key: String, SettlementVerdict)
}
