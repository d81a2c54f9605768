import FoundationEssentials
@testable import OpenMarketTestSupport
import Synchronization
import Testing

/// Four machines create a catalog together while everything fails that can: the market loses replies, machines are
/// killed, or frozen beyond their lease, and the database is killed twice.
///
/// Two of the machines reach it through pgbouncer.
///
/// What happens is drawn from a seed, which a failure names; how it ends is not: each product once. `OPENMARKET_CHAOS`
/// says how many products there are, `OPENMARKET_CHAOS_SEED` what is drawn.
@Suite(
    .enabled(if: PostgreSQLPooler.isAvailable, "no PostgreSQL server or no pgbouncer is installed"),
    .timeLimit(.minutes(10))
)
struct PostgreSQLChaosTests {
    private static let count = ProcessInfo.processInfo.environment["OPENMARKET_CHAOS"].flatMap(Int.init) ?? 1200
    private static let seed =
        ProcessInfo.processInfo.environment["OPENMARKET_CHAOS_SEED"].flatMap(UInt64.init)
        ?? .random(in: 0...UInt64(UInt32.max))

    /// What happens to the machines, in the order in which it does.
    private enum Event: CaseIterable {
        case kill, freeze, crash
    }

    @Test func `four machines make each product once, whatever fails`() async throws {
        let seed = Self.seed
        var chance = SeededGenerator(seed: seed)
        var rest = Array(repeating: Event.kill, count: 5) + Array(repeating: .freeze, count: 3) + [.crash, .crash]
        rest.shuffle(using: &chance)
        // A kill and a freeze come first: a fast machine is done before the last events are due.
        let drawn = ([.kill, .freeze] + rest).map { ($0, Int.random(in: 0..<4, using: &chance)) }
        let lost = "rules:\n  - {method: POST, path: /api/products, probability: 0.01, fault: {cut: after}}\n"
        try await PostgreSQLServer.running { database in
            let direct = database.url(schema: "chaos", "&lease=2")
            let pooled = try await PostgreSQLPooler.start(before: database).url(schema: "chaos", "&lease=2")
            try await ReliabilitySandbox.open("v2b", .plain(Self.count), faults: "seed: \(seed)\n" + lost) { sandbox in
                let crew = try Crew(
                    (0..<4).map { try sandbox.machine("machine-\($0)", state: $0 % 2 == 0 ? direct : pooled) }
                )
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for place in 0..<4 { group.addTask { try await crew.work(at: place) } }
                    group.addTask {
                        for (number, (event, place)) in drawn.enumerated() {
                            // When so much of the catalog is there, whatever the time.
                            let due = Self.count * (number + 1) / (drawn.count + 2)
                            while try sandbox.server.seen()[0] < due, !crew.isDone {
                                try await Task.sleep(for: .milliseconds(20))
                            }
                            switch event {
                            case .kill: try await crew.kill(place)
                            case .freeze: try await crew.freeze(place)
                            case .crash:
                                try await database.crash()
                                try await database.start()
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                try sandbox.server.setFaults()
                let comment: Comment = "chaos seed \(seed)"
                // A pooler refuses connections for a moment after a crash of its database.
                let machine = try sandbox.machine("judge", state: direct)
                try await machine.applyUntilDone(["--lock-timeout", "60s", "--parallelism", "8"])
                try await machine.expectEachOnce(Self.count, comment)
                #expect(crew.surprises == [], comment)
                let met = crew.met
                print("chaos seed \(seed), \(Self.count) products: \(met.kills) killed, \(met.freezes) frozen")
                #expect(met.kills > 0 && met.freezes > 0, comment)
            }
        }
    }
}

/// Machines that carry out one catalog: the first applies until that says that all is done, the others work until then.
private final class Crew: Sendable {
    private struct State {
        var processes: [Int: RunningProcess] = [:]
        var isDone = false
        var met = (kills: 0, freezes: 0)
        var surprises: [String] = []
    }

    private let machines: [ReliabilitySandbox]
    private let state = Mutex(State())

    /// How a machine may end: its part is done, or there was none; the database was gone; some of its creates were left to be
    /// settled; its place was taken; it was interrupted; it was killed.
    private static let expected: Set<Int32> = [0, 1, 3, 7, 130, 128 + 9]

    init(_ machines: [ReliabilitySandbox]) { self.machines = machines }

    var isDone: Bool { state.withLock { $0.isDone } }

    /// What was said by those that ended otherwise.
    var surprises: [String] { state.withLock { $0.surprises } }

    /// How many running machines were killed and frozen.
    var met: (kills: Int, freezes: Int) { state.withLock { $0.met } }

    /// Starts a machine's command again and again until all is done.
    func work(at place: Int) async throws {
        let arguments =
            place == 0
            ? ["apply", "--yes", "--lock-timeout", "60s", "--parallelism", "4"]
            : ["work", "--wait", "60s", "--parallelism", "4"]
        while !isDone {
            let output = try await machines[place].program(arguments).run { process in
                self.state.withLock { $0.processes[place] = process }
                // It may have been done since the loop looked.
                if self.isDone { process.send(.interrupt) }
            }.output
            let rest = state.withLock { state in
                state.processes[place] = nil
                if place == 0, output.status == 0 { state.isDone = true }
                if !Self.expected.contains(output.status) {
                    state.surprises.append("\(arguments[0]): \(output.status): \(output.errorText)")
                    // It would happen again, and again.
                    state.isDone = true
                }
                return state.isDone ? Array(state.processes.values) : []
            }
            for process in rest { process.send(.interrupt) }
        }
    }

    /// Kills the first machine from this one on that runs.
    func kill(_ place: Int) async throws {
        guard let process = try await running(from: place, { $0.met.kills += 1 }) else { return }
        process.send(.kill)
    }

    /// Stops such a machine for longer than its lease, and lets it wake.
    func freeze(_ place: Int) async throws {
        guard let process = try await running(from: place, { $0.met.freezes += 1 }) else { return }
        process.send(.stop)
        try await Task.sleep(for: .milliseconds(3500))
        process.send(.resume)
    }

    /// Waits for a machine that runs; nil if all is done before one does.
    private func running(
        from place: Int,
        _ count: @Sendable (inout State) -> Void
    ) async throws -> RunningProcess? {
        while !isDone {
            let process = state.withLock { state in
                let order = (0..<machines.count).map { (place + $0) % machines.count }
                let process = order.compactMap { state.processes[$0] }.first
                if process != nil { count(&state) }
                return process
            }
            if let process { return process }
            try await Task.sleep(for: .milliseconds(20))
        }
        return nil
    }
}
