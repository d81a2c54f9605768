import Synchronization

/// An operation that a session carries out, and what is known of it before.
struct Assignment: Sendable {
    var operation: PlannedOperation
    /// Why it is not begun.
    var refusal: OperationRefusal?
    /// How far another session came with it.
    var unresolved: UnresolvedOperation?
}

/// Operations of a run that a session carries out together.
struct WorkPart: Sendable {
    /// The number of the chunk, where the state gave it out; `nil` for what only this session may do.
    var chunk: Int?
    /// What is done with each of them.
    var action: PlannedOperation.Action
    /// The operations, in the run's order.
    var sequences: [Int]
    /// For how long what is known to be under way of them may still take effect.
    var caution: Duration?
}

/// The operations of a run as one of its sessions gets them: first what only it may do, phase by phase, then chunks that the
/// state gives out, as long as there are any.
///
/// A session that has a run to itself has all its operations from the beginning, and a state that shares no runs gives out
/// nothing.
final class RunOperations: Sendable {
    /// What there is to do next.
    enum Claim {
        case part(WorkPart)
        /// What is left waits for what is under way.
        case wait
        /// All that is left to do is others', or nothing.
        case none
    }

    private struct State {
        /// What only this session may do, the last phase first.
        var own: [WorkPart]
        /// How many operations of this session's own parts have no outcome yet.
        var ownUnderWay = 0
        /// What the state gave out and that has no outcome yet.
        var claimed: [Int: Assignment] = [:]
        /// The chunks that this session has, with how many of their operations have no outcome yet.
        var chunks: [Int: Int] = [:]
        /// Chunks of which operations were not begun.
        var unfinished: Set<Int> = []
        /// How many other sessions took part in the run when nothing was left to do.
        var others = 0
    }

    /// All operations of the run, where this session began it.
    let planned: [PlannedOperation]
    let refusals: [Int: OperationRefusal]
    /// Makes an operation that another machine may have planned one of this machine.
    private let adapt: @Sendable (PlannedOperation) throws -> PlannedOperation
    private let session: any StateSession
    /// Whether the state gives out parts of the run.
    let isShared: Bool
    private let state: Mutex<State>

    /// The operations of a run that this session begins.
    ///
    /// - Parameters:
    ///   - planned: All of them.
    ///   - refusals: Those that are not begun, by their index.
    ///   - chunks: What any session may do; nothing where this one has the run to itself.
    ///   - session: Gives out the chunks.
    init(
        planned: [PlannedOperation],
        refusals: [Int: OperationRefusal],
        besides chunks: [RunChunk],
        _ session: any StateSession
    ) {
        self.planned = planned
        self.refusals = refusals
        self.session = session
        isShared = !chunks.isEmpty
        adapt = { $0 }
        var isOwn = [Bool](repeating: true, count: planned.count)
        for sequence in chunks.lazy.flatMap(\.sequences) { isOwn[sequence] = false }
        let phases = Dictionary(grouping: planned.indices.filter { isOwn[$0] }) { planned[$0].action }
        let own = PlannedOperation.Action.allCases.reversed().compactMap { action in
            phases[action].map { WorkPart(chunk: nil, action: action, sequences: $0) }
        }
        state = Mutex(State(own: own))
    }

    /// The operations of a run that another session began.
    ///
    /// - Parameters:
    ///   - session: Gives them out.
    ///   - adapt: Gives an operation what is this machine's own. What it throws ends the session's work before anything of
    ///     the chunk is begun.
    init(
        of session: any StateSession,
        adapting adapt: @escaping @Sendable (PlannedOperation) throws -> PlannedOperation
    ) {
        planned = []
        refusals = [:]
        self.session = session
        self.adapt = adapt
        isShared = true
        state = Mutex(State(own: []))
    }

    /// How many other sessions took part in the run when nothing was left to do.
    var others: Int { state.withLock { $0.others } }

    /// How many other sessions take part in a run of which nothing is given out any more.
    ///
    /// - Throws: ``StateError``.
    func countOthers() async throws -> Int {
        guard isShared, case .none(let others) = try await session.claim() else { return 0 }
        return others
    }

    /// Takes the next part.
    ///
    /// - Parameters:
    ///   - ledger: Takes over what is known of the operations' products.
    ///   - mayBegin: Whether another chunk may be begun.
    /// - Returns: The part, whose operations are this session's from now on.
    /// - Throws: What the state throws, and what keeps this machine from carrying operations out.
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
        // What has its outcome already is over.
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
            caution: !isOpen ? nil : chunk.isTakenOver ? session.takeoverDelay : .zero
        )
    }

    /// What is to be done about an operation of a part.
    func assignment(_ sequence: Int) -> Assignment? {
        if let claimed = state.withLock({ $0.claimed[sequence] }) { return claimed }
        guard planned.indices.contains(sequence) else { return nil }
        return Assignment(operation: planned[sequence].assembled, refusal: refusals[sequence])
    }

    /// Takes note that operations of a part have an outcome, which is written down, or were not begun.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - part: The part.
    ///   - areBegun: Whether they were begun.
    /// - Returns: Whether the part is through.
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

    /// Writes down that a part is through.
    ///
    /// - Parameters:
    ///   - part: The part.
    ///   - areFinal: Whether each of its operations has its final outcome.
    /// - Throws: ``StateError``.
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

    /// Gives back the chunks of which operations were not begun.
    ///
    /// - Throws: ``StateError``.
    func giveBack() async throws {
        for chunk in state.withLock({ $0.unfinished.sorted() }) { try await session.finish(chunk, as: .returned) }
    }
}
