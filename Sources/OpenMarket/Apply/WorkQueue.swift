import Synchronization

/// Distributes a run's operations to the tasks of a session, each once and in order; claims more when none is left.
///
/// One task at a time claims a part, while the others wait for it.
final class WorkQueue: Sendable {
    struct Item: Sendable {
        var sequence: Int
        var part: WorkPart
    }

    private enum Step {
        case item(Item)
        case claim
        case wait
        case over
    }

    private struct State {
        var part: WorkPart?
        var position = 0
        /// The number of parts with operations that have no outcome yet.
        var underWay = 0
        var isClaiming = false
        /// Whether nothing can be claimed until a part is complete.
        var isBlocked = false
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        mutating func next() -> Item? {
            guard let part, position < part.sequences.count else { return nil }
            position += 1
            return Item(sequence: part.sequences[position - 1], part: part)
        }
    }

    private let state = Mutex(State())
    private let claim: @Sendable () async throws -> RunOperations.Claim
    /// Waits until claiming again is worthwhile.
    private let pause: @Sendable () async throws -> Void

    init(
        claim: @escaping @Sendable () async throws -> RunOperations.Claim,
        pause: @escaping @Sendable () async throws -> Void
    ) {
        self.claim = claim
        self.pause = pause
    }

    /// The next operation if it is available without waiting.
    func nextAtOnce() -> Item? { state.withLock { $0.next() } }

    /// The next operation; `nil` if nothing is left for this session.
    ///
    /// An error of claiming is thrown to the task that claims; the others get `nil`.
    func next() async throws -> Item? {
        while true {
            switch step() {
            case .item(let item): return item
            case .over: return nil
            case .wait: await changed()
            case .claim:
                do {
                    try await claimPart()
                } catch {
                    change { state in
                        state.isClaiming = false
                        state.isOver = true
                    }
                    throw error
                }
            }
        }
    }

    func close() {
        change { state in
            state.underWay -= 1
            state.isBlocked = false
        }
    }

    /// Hands out nothing more, because a task failed.
    func stop() {
        change { state in
            state.part = nil
            state.isOver = true
        }
    }

    private func step() -> Step {
        state.withLock { state in
            if let item = state.next() { return .item(item) }
            if state.isOver { return .over }
            if state.isClaiming || state.isBlocked { return .wait }
            state.isClaiming = true
            return .claim
        }
    }

    private func claimPart() async throws {
        switch try await claim() {
        case .part(let part):
            change { state in
                state.isClaiming = false
                guard !part.sequences.isEmpty else { return }
                (state.part, state.position) = (part, 0)
                state.underWay += 1
            }
        case .none:
            change { state in
                state.isClaiming = false
                state.isOver = true
            }
        case .wait:
            let isOwn = state.withLock { state in
                state.isBlocked = state.underWay > 0
                return state.isBlocked
            }
            // The progress of other sessions must be polled.
            if !isOwn { try await pause() }
            change { $0.isClaiming = false }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func changed() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                let hasItem = state.part.map { state.position < $0.sequences.count } ?? false
                guard !hasItem, !state.isOver, state.isClaiming || state.isBlocked else { return true }
                state.waiters.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
