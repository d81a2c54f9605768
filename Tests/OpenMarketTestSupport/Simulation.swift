@testable import OpenMarket
import Synchronization

/// The process died: nothing that it would still have done happens.
struct Crash: Error {}

/// What a history's parts share: the random numbers, the time, and the moment at which the process dies.
final class Simulation: Sendable {
    private struct State {
        var generator: SeededGenerator
        var process = SimulatedProcess()
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

    /// The one of the task, or the only one.
    private var process: SimulatedProcess { SimulatedProcess.current ?? state.withLock { $0.process } }

    var isCrashed: Bool { process.isDead }

    /// A new process, that dies after so many steps.
    func restart(crashAt: Int? = nil, drainAt: Int? = nil, onDrain: @escaping @Sendable () -> Void = {}) {
        var fate = SimulatedProcess.Fate()
        (fate.crashAt, fate.drainAt) = (crashAt, drainAt)
        let process = SimulatedProcess(fate, onDrain: onDrain)
        state.withLock { $0.process = process }
    }

    /// A moment at which the process may die; says whether it is alive.
    func survives() -> Bool { process.survives(at: now) }

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
