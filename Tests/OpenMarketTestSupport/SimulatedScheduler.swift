import Synchronization

/// Runs tasks on the calling thread in an order drawn from a seed, on a time of its own.
///
/// Every interleaving of the real code is possible, and each can be repeated. Time passes only when no task has
/// anything else to do.
final class SimulatedScheduler: TaskExecutor {
    private struct Sleeper {
        var id: UInt64
        var deadline: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var jobs: [UnownedJob] = []
        var generator: SeededGenerator
        var now: Duration = .zero
        var nextSleeper: UInt64 = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<UInt64> = []
    }

    struct Deadlock: Error {}

    private let state: Mutex<State>

    init(seed: UInt64) {
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    var now: Duration { state.withLock { $0.now } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// Runs a body and everything that it starts to its end.
    func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
        let box = Box<Result>()
        let task = Task(executorPreference: self) {
            do {
                let value = try await body()
                box.result.withLock { $0 = .success(value) }
            } catch {
                box.result.withLock { $0 = .failure(error) }
            }
        }
        while true {
            if let result = box.result.withLock({ $0 }) { return try result.get() }
            if let job = nextJob() {
                job.runSynchronously(on: asUnownedTaskExecutor())
            } else if !wakeNext() {
                task.cancel()
                throw Deadlock()
            }
        }
    }

    func sleep(until deadline: Duration) async throws {
        let id = state.withLock { state in
            state.nextSleeper += 1
            return state.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    guard state.cancelled.remove(id) == nil else { return true }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Lets time pass for a task that notices nothing meanwhile, not even that it was cancelled.
    func pass(_ duration: Duration) async {
        _ = try? await withCheckedThrowingContinuation { continuation in
            state.withLock { state in
                state.nextSleeper += 1
                state.sleepers.append(
                    Sleeper(id: state.nextSleeper, deadline: state.now + duration, continuation: continuation)
                )
            }
        }
    }

    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else { return nil }
            let index = Int.random(in: 0..<state.jobs.count, using: &state.generator)
            state.jobs.swapAt(index, state.jobs.count - 1)
            return state.jobs.removeLast()
        }
    }

    private func wakeNext() -> Bool {
        let sleeper = state.withLock { state -> Sleeper? in
            guard
                let index = state.sleepers.indices.min(by: { state.sleepers[$0].deadline < state.sleepers[$1].deadline }
                )
            else { return nil }
            let sleeper = state.sleepers.remove(at: index)
            state.now = max(state.now, sleeper.deadline)
            return sleeper
        }
        sleeper?.continuation.resume()
        return sleeper != nil
    }
}

private final class Box<Result: Sendable>: Sendable {
    let result = Mutex<Swift.Result<Result, any Error>?>(nil)
}

/// The scheduler's time as a clock.
struct SimulatedClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    let scheduler: SimulatedScheduler

    var now: Instant { Instant(offset: scheduler.now) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await scheduler.sleep(until: deadline.offset)
    }
}
