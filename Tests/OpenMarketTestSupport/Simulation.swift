@testable import OpenMarket
import Synchronization

/// The process died: nothing that it would still have done happens.
struct Crash: Error {
    init() {}
}

/// What a history's parts share: the random numbers, the time, and the moment at which the process dies.
final class Simulation: Sendable {
    private struct State {
        var generator: SeededGenerator
        var steps = 0
        var crashAt: Int?
        var drainAt: Int?
        var isCrashed = false
        var onDrain: (@Sendable () -> Void)?
        var trace: [String] = []
        var wallOffset = Duration.zero
    }

    let scheduler: SimulatedScheduler
    let clock: SimulatedClock
    private let keepsTrace: Bool
    private let state: Mutex<State>

    init(seed: UInt64, keepsTrace: Bool = false) {
        self.keepsTrace = keepsTrace
        scheduler = SimulatedScheduler(seed: seed &* 31)
        clock = SimulatedClock(scheduler: scheduler)
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    var now: Duration { scheduler.now }
    var wall: Timestamp {
        Timestamp(milliseconds: 1_800_000_000_000) + (state.withLock { $0.wallOffset } + now)
    }

    /// Sets the wall clock forward or back, as people and time servers do.
    func jump(by duration: Duration) { state.withLock { $0.wallOffset += duration } }

    var isCrashed: Bool { SimulatedProcess.current?.isDead ?? state.withLock { $0.isCrashed } }
    /// How many moments at which the process could have died have passed since the last ``restart(crashAt:)``.
    var steps: Int { state.withLock { $0.steps } }

    /// A new process, that dies after so many steps.
    func restart(crashAt: Int? = nil, drainAt: Int? = nil, onDrain: (@Sendable () -> Void)? = nil) {
        state.withLock { state in
            state.steps = 0
            state.isCrashed = false
            state.crashAt = crashAt
            state.drainAt = drainAt
            state.onDrain = onDrain
        }
    }

    /// A moment at which the process may die; says whether it is alive.
    func survives() -> Bool {
        if let process = SimulatedProcess.current { return process.survives(at: now) }
        let (isAlive, drain) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.isCrashed else { return (false, nil) }
            state.steps += 1
            if state.steps == state.crashAt { state.isCrashed = true }
            return (!state.isCrashed, state.steps == state.drainAt ? state.onDrain : nil)
        }
        drain?()
        return isAlive
    }

    /// Waits while the process of the task is stopped.
    func thaw() async {
        while let left = SimulatedProcess.current?.frozen(at: now) { await scheduler.pass(left) }
    }

    /// What happened, for a history that failed.
    var trace: [String] { state.withLock { $0.trace } }

    func log(_ line: @autoclosure () -> String) {
        guard keepsTrace else { return }
        let line = "\(now) \(line())"
        state.withLock { $0.trace.append(line) }
    }

    func chance(_ probability: Double) -> Bool {
        probability > 0 && state.withLock { Double.random(in: 0..<1, using: &$0.generator) < probability }
    }

    func number(_ range: Range<Int>) -> Int {
        state.withLock { Int.random(in: range, using: &$0.generator) }
    }

    func unit() -> Double {
        state.withLock { Double.random(in: 0..<1, using: &$0.generator) }
    }

    func milliseconds(_ range: Range<Int>) -> Duration {
        .milliseconds(number(range))
    }
}
