import Synchronization

/// One of several processes in a simulation: it dies, or is stopped for a while, at a moment of its own.
final class SimulatedProcess: Sendable {
    /// What happens to a process, and at which of its moments.
    struct Fate: Sendable {
        /// When it dies.
        var crashAt: Int?
        /// When it is stopped, and for how long: nothing of it goes on meanwhile, and it notices nothing.
        var freezeAt: Int?
        var freezeFor = Duration.zero
        /// When its user ends it.
        var drainAt: Int?
    }

    private struct State {
        var steps = 0
        var isDead = false
        var frozenUntil: Duration?
    }

    /// The process of the task; `nil` where there is one process only.
    @TaskLocal static var current: SimulatedProcess?

    private let fate: Fate
    private let onDrain: @Sendable () -> Void
    private let state = Mutex(State())

    init(_ fate: Fate = Fate(), onDrain: @escaping @Sendable () -> Void = {}) {
        self.fate = fate
        self.onDrain = onDrain
    }

    /// Whether it has died.
    var isDead: Bool { state.withLock { $0.isDead } }
    /// Whether it was ever stopped.
    var wasFrozen: Bool { state.withLock { $0.frozenUntil != nil } }

    /// A moment at which something may happen to it; says whether it is alive.
    func survives(at now: Duration) -> Bool {
        let (isAlive, drains) = state.withLock { state in
            guard !state.isDead else { return (false, false) }
            state.steps += 1
            if state.steps == fate.crashAt { state.isDead = true }
            if state.steps == fate.freezeAt { state.frozenUntil = now + fate.freezeFor }
            return (!state.isDead, state.steps == fate.drainAt)
        }
        if drains { onDrain() }
        return isAlive
    }

    /// For how long nothing of it goes on; `nil` while it runs.
    func frozen(at now: Duration) -> Duration? {
        state.withLock { $0.frozenUntil }.flatMap { now < $0 ? $0 - now : nil }
    }
}
