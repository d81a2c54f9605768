import GRDB
import OpenMarketTestSupport
import Testing

/// The real program, killed at every writing request of a run of thirty operations, before and after the market acts.
///
/// Every request is met on the way there before the market acts, and on the way back after it; `OPENMARKET_SWEEPS=full`
/// meets all four. Nothing is random and nothing is timed: a fault holds the request for as long as the program lives.
@Suite(.timeLimit(.minutes(60)))
struct KillSweepTests {
    static let moments: [Kill.Moment] = FaultSweep.isFull ? [.before, .before, .after, .after] : [.before, .after]

    @Test
    func `a run that is killed at any request is finished by the next, exactly`() async throws {
        try await concurrently(ReliabilitySandbox.profiles) { api in
            try await FaultSweep.open(api) { try await sweep(&$0, parallelism: 1, stride: 1) }
        }
    }

    @Test
    func `so is one that is killed with four requests under way`() async throws {
        try await concurrently(["v1b", "v2b"]) { api in
            try await FaultSweep.open(api) { try await sweep(&$0, parallelism: 4, stride: FaultSweep.isFull ? 1 : 6) }
        }
    }

    private func sweep(_ sweep: inout FaultSweep, parallelism: Int, stride: Int) async throws {
        let sandbox = sweep.sandbox
        let width = ["--parallelism", String(parallelism)]
        for request in Swift.stride(from: 0, to: sweep.coming.count, by: stride) {
            for moment in Self.moments {
                let kill = Kill(request: request, moment: moment)
                let held = sweep.coming[request]
                let name: Comment = "\(sandbox.api) step \(sweep.step), \(parallelism) at once: \(kill): \(held)"
                try sweep.arm(kill.fault, on: request)
                let ended = try await sandbox.killed(kill, width)
                #expect(ended.status == 128 + 9, name)
                try sweep.endFaults(name)
                // Somebody lists the very same while nobody knows whether ours was made.
                try sweep.listTwin(of: request)
                try await sandbox.applyUntilDone(width)
                try await sweep.arrive(name)
            }
        }
    }

    /// The market may be slow, and carry out a create when its client is dead and the next run has looked already; then
    /// it does not matter how long ago the request began to leave.
    @Test(arguments: [false, true])
    func `a create that takes effect after the kill is waited for, and not made twice`(
        beganLongAgo: Bool
    ) async throws {
        let late = "rules:\n  - {method: POST, nth: 2, fault: {latency: 1500ms}}\n"
        try await concurrently(ReliabilitySandbox.profiles) { api in
            try await ReliabilitySandbox.open(api, .plain(4), faults: late) { sandbox in
                var view = MarketView(sandbox.server, api)
                let ended = try await sandbox.killed(Kill(request: 1, moment: .before))
                #expect(ended.status == 128 + 9)
                if beganLongAgo {
                    try await DatabaseQueue(path: sandbox.folder + "/.openmarket/state.db").write { db in
                        try db.execute(sql: "UPDATE operations SET sent_at = sent_at - 3600000")
                    }
                }
                try await sandbox.applyUntilDone(["--settle-delay", "8s"])
                // Two of the first run, and the two that it did not come to.
                #expect(try sandbox.server.writes().count { $0.isCreate && $0.status != nil } == 4, "\(api)")
                try await sandbox.expectExactly(.plain(4), Neighbours(of: sandbox), &view, "\(api)")
            }
        }
    }
}
