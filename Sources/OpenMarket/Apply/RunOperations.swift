import Synchronization

struct Assignment: Sendable {
    var operation: PlannedOperation
    var refusal: OperationRefusal?
    var unresolved: UnresolvedOperation?
}

struct WorkPart: Sendable {
    /// The number of a chunk that the state assigned; `nil` for operations that only this session may apply.
    var chunk: Int?
    var action: PlannedOperation.Action
    /// In the run's order.
    var sequences: [Int]
    /// How long recorded pending requests of the operations may still take effect.
    var caution: Duration?
}

/// The operations of a run as assigned to one of its sessions.
///
/// First come those that only this session may apply, phase by phase, then chunks that the state assigns. If the run is
/// not shared, the session has all operations from the beginning.
final class RunOperations: Sendable {
    enum Claim {
        case part(WorkPart)
        /// The remaining operations wait for pending ones.
        case wait
        /// No work is left, or only that of other sessions.
        case none
    }

    private struct State {
        /// The parts that only this session may apply, the last phase first.
        var own: [WorkPart]
        /// How many operations of those parts lack an outcome.
        var ownUnderWay = 0
        /// The operations that the state assigned and that lack an outcome.
        var claimed: [Int: Assignment] = [:]
        /// The chunks of this session, with the number of their operations without an outcome.
        var chunks: [Int: Int] = [:]
        /// Chunks with operations that were not begun.
        var unfinished: Set<Int> = []
        var others = 0
    }

    /// All operations of the run, if this session began it.
    let planned: [PlannedOperation]
    let refusals: [Int: OperationRefusal]
    /// Converts an operation that another machine may have planned.
    private let adapt: @Sendable (PlannedOperation) throws -> PlannedOperation
    private let session: any StateSession
    let isShared: Bool
    private let state: Mutex<State>

    /// `planned` is empty for a run that another session began; `chunks` has those of them that any session may apply.
    ///
    /// `refusals` has the operations that are not begun, by index. An error of `adapt` ends the session's work before
    /// anything of the chunk is begun.
    init(
        planned: [PlannedOperation] = [],
        refusals: [Int: OperationRefusal] = [:],
        besides chunks: [RunChunk] = [],
        isShared: Bool,
        _ session: any StateSession,
        adapting adapt: @escaping @Sendable (PlannedOperation) throws -> PlannedOperation = { $0 }
    ) {
        (self.planned, self.refusals, self.isShared) = (planned, refusals, isShared)
        (self.session, self.adapt) = (session, adapt)
        var isOwn = [Bool](repeating: true, count: planned.count)
        for sequence in chunks.lazy.flatMap(\.sequences) { isOwn[sequence] = false }
        let phases = Dictionary(grouping: planned.indices.filter { isOwn[$0] }) { planned[$0].action }
        let own = PlannedOperation.Action.allCases.reversed().compactMap { action in
            phases[action].map { WorkPart(chunk: nil, action: action, sequences: $0) }
        }
        state = Mutex(State(own: own))
    }

    /// How many other sessions took part in the run when no work was left.
    var others: Int { state.withLock { $0.others } }

    /// How many other sessions take part in a run without further chunks; throws ``StateError``.
    func countOthers() async throws -> Int {
        guard isShared, case .none(let others) = try await session.claim() else { return 0 }
        return others
    }

    /// Claims the next part, whose operations belong to this session from now on.
    ///
    /// `mayBegin` permits another chunk. `ledger` receives the chunk's entries and fact numbers. Rethrows errors of the
    /// state and of `adapt`.
    func claim(_ ledger: RunLedger, mayBegin: Bool) async throws -> Claim {
        let own = state.withLock { state -> Claim? in
            guard state.ownUnderWay == 0 else { return .wait }
            guard let part = state.own.popLast() else { return nil }
            state.ownUnderWay = part.sequences.count
            return .part(part)
        }
        if let own { return own }
        guard isShared, mayBegin else { return .none }
        switch try await session.claim() {
        case .wait: return .wait
        case .none(let others):
            state.withLock { $0.others = others }
            return .none
        case .chunk(let chunk): return .part(try take(chunk, ledger))
        }
    }

    private func take(_ chunk: ClaimedChunk, _ ledger: RunLedger) throws -> WorkPart {
        ledger.take(chunk.entries, of: chunk.operations.map(\.operation.key))
        var assignments: [Int: Assignment] = [:]
        // Operations with an outcome are finished.
        for claimed in chunk.operations where claimed.facts == 0 || claimed.unresolved != nil {
            let isPlanned = planned.indices.contains(claimed.sequence)
            let operation = isPlanned ? planned[claimed.sequence] : try adapt(claimed.operation)
            var unresolved = claimed.unresolved
            unresolved?.operation = operation
            ledger.resume(claimed.sequence, behind: claimed.facts)
            assignments[claimed.sequence] = Assignment(operation: operation, unresolved: unresolved)
        }
        let sequences = chunk.operations.map(\.sequence).filter { assignments[$0] != nil }
        let isOpen = assignments.values.contains { $0.unresolved != nil }
        let actions = PlannedOperation.Action.allCases
        state.withLock { state in
            state.claimed.merge(assignments) { $1 }
            state.chunks[chunk.number] = sequences.count
        }
        return WorkPart(
            chunk: chunk.number,
            action: actions.indices.contains(chunk.phase) ? actions[chunk.phase] : .forget,
            sequences: sequences,
            caution: !isOpen ? nil : chunk.isTakenOver ? session.takeoverDelay ?? .zero : .zero
        )
    }

    func assignment(_ sequence: Int) -> Assignment? {
        if let claimed = state.withLock({ $0.claimed[sequence] }) { return claimed }
        guard planned.indices.contains(sequence) else { return nil }
        return Assignment(operation: planned[sequence].assembled, refusal: refusals[sequence])
    }

    /// Notes that `count` operations of a part were recorded, or were not begun; returns whether the part is complete.
    func end(_ count: Int, of part: WorkPart, areBegun: Bool = true) -> Bool {
        state.withLock { state in
            guard let chunk = part.chunk else {
                state.ownUnderWay -= count
                return state.ownUnderWay == 0
            }
            if !areBegun { state.unfinished.insert(chunk) }
            state.chunks[chunk, default: 0] -= count
            return state.chunks[chunk] == 0
        }
    }

    /// Records that a part is complete; throws ``StateError``.
    ///
    /// `areFinal` means that each of its operations has its final outcome.
    func close(_ part: WorkPart, areFinal: Bool) async throws {
        guard let chunk = part.chunk else { return }
        let isWhole = state.withLock { state in
            for sequence in part.sequences { state.claimed[sequence] = nil }
            guard !state.unfinished.contains(chunk) else { return false }
            state.chunks[chunk] = nil
            return true
        }
        if isWhole { try await session.finish(chunk, as: areFinal ? .final : .known) }
    }

    /// Returns the chunks with operations that were not begun; throws ``StateError``.
    func giveBack() async throws {
        for chunk in state.withLock({ $0.unfinished.sorted() }) { try await session.finish(chunk, as: .returned) }
    }
}
