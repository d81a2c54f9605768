package struct OperationResult: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable {
        case done
        /// Not applied, or not as asked; ``OperationResult/error`` has the reason.
        case failed
        /// Refused because the product changed since the plan was saved.
        case stale
        case skipped
        /// The outcome is unknown, or the operation stopped between two steps; the next run settles it.
        case unknown

        init(_ progress: OperationStatus) {
            self =
                switch progress {
                case .succeeded: .done
                case .failed: .failed
                case .sent, .advanced, .unknown: .unknown
                case .intended, .skipped: .skipped
                }
        }
    }

    /// The operation's index in the run, from 0.
    package var sequence: Int
    package var key: String
    package var action: PlannedOperation.Action
    /// The key that the operation's key replaced.
    package var renamedFrom: String?
    package var status: Status
    /// The product, if known; for a create or replace the new one.
    package var id: MarketID?
    /// The error in one sentence; if it is done, how the market altered the sent values.
    ///
    /// The caller must escape control characters.
    package var error: String?
    package var source: SourceLocation?
    /// Whether it was not begun for a reason in the operation, and not because the run stopped.
    package var isRefused = false
}

package struct OperationRefusal: Hashable, Sendable {
    /// A status without a sent request, such as `stale` or `skipped`.
    var status: OperationResult.Status
    var reason: String

    package init(_ status: OperationResult.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    /// All refusals by operation index: those of the planner in `known`, and operations that cannot be applied as
    /// planned.
    package static func all(of operations: [PlannedOperation], besides known: [Int: Self]) -> [Int: Self] {
        var refusals = known
        for (index, operation) in operations.enumerated() where known[index] == nil {
            refusals[index] = operation.mismatch.map { Self(.skipped, "not started: \($0)") }
        }
        return refusals
    }
}

extension OperationResult {
    init(_ sequence: Int, _ operation: PlannedOperation, _ status: Status, error: String?) {
        self.init(
            sequence: sequence,
            key: operation.key,
            action: operation.action,
            renamedFrom: operation.renamedFrom,
            status: status,
            id: operation.id,
            error: error?.masked,
            source: operation.source
        )
    }

    /// The result of an operation that was not begun.
    ///
    /// `isOwn` means that the reason is in the operation, and not that the run stopped.
    package init(_ sequence: Int, _ operation: PlannedOperation, _ refusal: OperationRefusal, isOwn: Bool) {
        self.init(sequence, operation, refusal.status, error: refusal.reason)
        isRefused = isOwn
    }
}

package struct RunResult: Sendable {
    package var run: RunID
    package var totals: RunTotals
    /// Every operation in the plan's order.
    package var operations: [OperationResult]
    /// Why the run stopped early; `nil` if it completed.
    package var endedBy: StopReason?
    var snapshot: StateSnapshot
    package var decisions: RunDecisions?

    var interrupted: Bool { endedBy == .interrupted }

    /// The result of a run with an empty plan.
    package static func empty(_ run: RunID) -> RunResult {
        RunResult(run: run, totals: RunTotals(), operations: [], snapshot: StateSnapshot())
    }
}

package enum StopReason: Hashable, Sendable {
    case interrupted
    case marketUnreachable(String)
    case credentials(String)
    /// The market reports another vendor than stated.
    case identity(VendorContradiction)
    /// An update removed values that it did not name.
    case loss(String)
    /// The state's backend ordered it.
    case ordered(String)

    /// Whether it concerns all sessions of a run, and not only the one that detected it.
    var concernsAll: Bool {
        switch self {
        case .interrupted, .marketUnreachable, .credentials: false
        case .identity, .loss, .ordered: true
        }
    }

    var message: String {
        switch self {
        case .interrupted: "the run was interrupted"
        case .marketUnreachable: "the market cannot be reached"
        case .credentials: "the credentials were rejected"
        case .identity(let contradiction): "\(contradiction)"
        case .loss(let why), .ordered(let why): why
        }
    }
}

extension RunTotals {
    package init(_ results: [OperationResult]) {
        self.init()
        for result in results { count(result.status) }
    }

    mutating func count(_ status: OperationResult.Status, _ number: Int = 1) {
        switch status {
        case .done: done += number
        case .failed: failed += number
        case .stale: stale += number
        case .skipped: skipped += number
        case .unknown: unknown += number
        }
    }
}

/// The progress reports of a run, for the progress bar and for NDJSON.
///
/// Later versions may add kinds.
package enum ExecutionEvent: Hashable, Sendable {
    case started(sequence: Int, PlannedOperation)
    case finished(OperationResult)
    case retrying(sequence: Int, key: String, step: RequestStep, attempt: Int, after: Duration, reason: String)
    /// The market asked for fewer requests: `width` is the new limit of concurrent ones, and none is sent during the
    /// pause.
    case slowed(width: Int, pause: Duration?)
    /// Creates without a reply are searched for on the market.
    case settling(count: Int)
    /// A create without a reply was found, never happened, or stays unresolved.
    case settled(sequence: Int, key: String, SettlementVerdict)
}
