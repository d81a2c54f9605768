import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketTestSupport
import Synchronization
import SystemPackage
import Testing

struct StateLockTests: ~Copyable {
    let directory = try! TemporaryDirectory()
    var path: String { directory.path + "/state.db" }
    private let ours = LockHolder(
        host: "lamp",
        process: 4711,
        command: "apply",
        since: Timestamp(milliseconds: 1_795_253_400_000)
    )

    @Test func `a second one is refused and gets who, what, where and since when`() async throws {
        let lock = try await acquire(as: ours)
        let error = await #expect(throws: StateError.self) { try await StateLock.acquire(path, command: "apply") }
        #expect(error?.code == .locked)
        #expect(
            error?.message.contains("openmarket apply, process 4711 on lamp, since 2026-11-21T09:30:00Z") == true,
            "\(error?.message ?? "")"
        )
        #expect(try StateLock.currentHolder(of: path) == ours)

        lock.release()
        lock.release()
        #expect(try StateLock.currentHolder(of: path) == nil)
        #expect(try directory.read("state.db.lock").isEmpty, "the file stays, the description goes")
        _ = try await StateLock.acquire(path, command: "apply")
    }

    @Test(arguments: [
        "GEM\n  remote: https://rubygems.org/\n", "{\"name\":\"shop\",\"lockfileVersion\":3}\n",
        "{\n  \"nodes\": {}\n}\n",
        "{\"command\":\"apply\"}", "{\"command\":\"apply\",\n", "\n# my notes\n", "가나다", "\u{FEFF}notes",
        "\u{89}PNG\r\n",
        #"{"command":"apply","host":"fan","process":1,"since":-9223372036854775808}"#,
        #"{"command":"apply","host":"fan","process":1,"since":9223372036854775807}"#,
    ])
    func `a file that is not a lock is not emptied`(text: String) async throws {
        try directory.write("state.db.lock", Array(text.utf8))
        let error = await #expect(throws: StateError.self) { try await StateLock.acquire(path, command: "apply") }
        #expect(error?.code == .input)
        #expect(throws: StateError.self) { try StateLock.unlock(path) }
        #expect(try directory.read("state.db.lock") == Array(text.utf8))
    }

    #if os(Linux)
    /// A process that is being started holds copies of all descriptors until it runs its program.
    @Test func `a released lock is free, also while a process that is being started has a copy of it`() async throws {
        let lock = try await acquire(as: ours)
        let file = path + ".lock"
        let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(CInt.init).filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == file
        }.map { try FileDescriptor(rawValue: $0).duplicate() }
        #expect(copies.count == 1)
        lock.release()
        try await acquire(as: ours).release()
        for copy in copies { try copy.close() }
    }
    #endif

    @Test func `a lock that is dropped is released`() async throws {
        do { _ = try await acquire(as: ours) }
        #expect(try StateLock.currentHolder(of: path) == nil)
        try await acquire(as: ours).release()
    }

    @Test func `one state has one lock, whatever path leads to it`() async throws {
        let store = try await open(path)
        try FileManager.default.createSymbolicLink(atPath: directory.path + "/link", withDestinationPath: path)
        for other in [directory.path + "/link", directory.path + "/./state.db"] {
            await #expect(throws: StateError.self) { try await StateLock.acquire(other, command: "apply") }
        }
        store.closeFile()
    }

    @Test func `a file whose lock did not reach another machine is written by the newer session only`() async throws {
        let first = try await open(path)
        // The other machine's kernel knows of no lock.
        let second = try await open(path, lock: first.lock)
        #expect(try first.lease == StateLease(number: 1, deadline: nil))
        #expect(try second.lease == StateLease(number: 2, deadline: nil))
        try await second.begin(Samples.run("r"), operations: [Samples.operation(.create, "a")])
        let run = RunID(rawValue: "r")
        let sent = JournalEvent(run: run, sequence: 0, number: 1, fact: .sent(.create, highWater: nil))
        let recorded = await #expect(throws: StateError.self) { _ = try await first.record(sent) }
        let applied = #expect(throws: StateError.self) { try first.apply([.put(Samples.lamp)]) }
        #expect(recorded?.code == .superseded && applied?.code == .superseded)
        #expect(try await second.record(sent) == .proceed)
        #expect(try await second.entries().isEmpty)
    }

    @Test func `waiting ends when the time is up, and not before`() async throws {
        let lock = try await acquire(as: ours)
        let clock = StepClock()
        await #expect(throws: StateError.self) {
            try await StateLock.acquire(path, command: "apply", timeout: .seconds(1), clock: clock)
        }
        #expect(clock.elapsed >= .seconds(1))
        #expect(clock.elapsed < .milliseconds(1100))
        lock.release()
    }

    @Test func `waiting ends as soon as the lock is free, and since says when it was taken`() async throws {
        let lock = try await acquire(as: ours)
        // The holder lets go while the other one waits for the third time.
        let clock = StepClock { if $0 == 3 { lock.release() } }
        let asked = Mutex(Timestamp.epoch)
        let second = try await StateLock.acquire(path, command: "plan", timeout: .seconds(60), clock: clock) {
            LockHolder(
                host: "lamp",
                process: 2,
                command: $0,
                since: asked.withLock {
                    $0 = $0 + .milliseconds(1); return $0
                }
            )
        }
        #expect(clock.elapsed == .milliseconds(600))
        #expect(second.holder.since == Timestamp(milliseconds: 4))
        #expect(try StateLock.currentHolder(of: path) == second.holder)
    }

    @Test func `a cancelled wait ends at once`() async throws {
        let lock = try await acquire(as: ours)
        let path = self.path
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(throws: CancellationError.self) {
                    try await StateLock.acquire(path, command: "apply", timeout: .seconds(3600))
                }
            }
            group.cancelAll()
        }
        lock.release()
    }

    @Test func `what a dead holder on this machine left is taken over`() async throws {
        try directory.write("state.db.lock", describe(ours))
        #expect(try StateLock.currentHolder(of: path) == nil, "the kernel knows that it is dead")
        var next = ours
        next.process = 4712
        let lock = try await acquire(as: next)
        #expect(try StateLock.currentHolder(of: path) == next)
        lock.release()
    }

    @Test func `a holder on another machine is believed for a day, until it is unlocked`() async throws {
        let elsewhere = LockHolder(host: "runner-7", process: 1, command: "apply", since: ours.since + .seconds(-3600))
        try directory.write("state.db.lock", describe(elsewhere))
        let error = await #expect(throws: StateError.self) { try await acquire(as: ours) }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("\(elsewhere)") == true)

        var late = ours
        late.since = elsewhere.since + .seconds(86_400)
        try await acquire(as: late).release()

        try directory.write("state.db.lock", describe(elsewhere))
        #expect(try StateLock.unlock(path) == elsewhere)
        #expect(try StateLock.unlock(path) == nil)
        try await acquire(as: ours).release()
    }

    @Test func `unlock refuses while the holder lives`() async throws {
        let lock = try await acquire(as: ours)
        let error = #expect(throws: StateError.self) { try StateLock.unlock(path) }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("\(ours)") == true)
        #expect(try StateLock.currentHolder(of: path) == ours)
        lock.release()
    }

    @Test func `a lock file that a crash left half-written can be taken`() async throws {
        let line = Array(describe(ours).utf8)
        let zeros = [UInt8](repeating: 0, count: 10_000)
        for left in [zeros, Array(line.prefix(30)), line.prefix(30) + zeros, line + zeros] {
            try directory.write("state.db.lock", left)
            let lock = try await acquire(as: ours)
            #expect(try directory.read("state.db.lock") == line)
            lock.release()
        }
    }

    private func acquire(as holder: LockHolder) async throws -> StateLock {
        try await StateLock.acquire(path, command: holder.command, clock: StepClock()) { _ in holder }
    }

    private func describe(_ holder: LockHolder) -> String {
        """
        {"command":"\(holder.command)","host":"\(holder.host)","process":\(holder.process),"since":\(holder.since.rawValue)}

        """
    }
}

/// A clock that never waits: a sleep moves its time.
final class StepClock: Clock, Sendable {
    typealias Instant = ContinuousClock.Instant

    private let start = ContinuousClock.now
    private let state = Mutex((elapsed: Duration.zero, sleeps: 0))
    private let onSleep: @Sendable (Int) -> Void

    init(onSleep: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.onSleep = onSleep
    }

    var elapsed: Duration { state.withLock { $0.elapsed } }
    var now: Instant { start + elapsed }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let sleeps = state.withLock { state in
            state.elapsed = max(state.elapsed, start.duration(to: deadline))
            state.sleeps += 1
            return state.sleeps
        }
        onSleep(sleeps)
    }
}

extension StateLock {
    /// `nil` if the lock is free, or if its holder is not described.
    static func currentHolder(of path: String) throws -> LockHolder? {
        if case .held(let holder) = try probe(StateFiles(path)) { holder } else { nil }
    }
}
