import GRDB
import OpenMarketTestSupport
import Testing

/// The real program, killed at every writing request of a run of thirty operations, before and after the market acts.
///
/// Every request is met on the way there before the market acts, and on the way back after it; `OPENMARKET_SWEEPS=full`
/// meets all four. Nothing is random and nothing is timed: a fault holds the request for as long as the program lives.
@Suite(.timeLimit(.minutes(60)))
struct KillSweepTests {
    static let moments: [Kill.Moment] = Sweep.isFull ? [.before, .before, .after, .after] : [.before, .after]

    @Test
    func `a run that is killed at any request is finished by the next, exactly`() async throws {
        try await concurrently(Stall.profiles) { api in
            try await Sweep.open(api) { try await sweep(&$0, parallelism: 1, stride: 1) }
        }
    }

    @Test
    func `so is one that is killed with four requests under way`() async throws {
        try await concurrently(["v1b", "v2b"]) { api in
            try await Sweep.open(api) { try await sweep(&$0, parallelism: 4, stride: Sweep.isFull ? 1 : 6) }
        }
    }

    private func sweep(_ sweep: inout Sweep, parallelism: Int, stride: Int) async throws {
        let stall = sweep.stall
        let width = ["--parallelism", String(parallelism)]
        for request in Swift.stride(from: 0, to: sweep.coming.count, by: stride) {
            for moment in Self.moments {
                let kill = Kill(request: request, moment: moment)
                let held = sweep.coming[request]
                let name: Comment = "\(stall.api) step \(sweep.step), \(parallelism) at once: \(kill): \(held)"
                try sweep.arm(kill.fault, on: request)
                let ended = try await stall.killed(kill, width)
                #expect(ended.status == 128 + 9, name)
                try stall.server.setFaults()
                // Somebody lists the very same while nobody knows whether ours was made.
                try sweep.listTwin(of: request)
                try await stall.applyUntilDone(width)
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
        try await concurrently(Stall.profiles) { api in
            try await Stall.open(api, .plain(4), faults: late) { stall in
                var view = MarketView(stall.server, api)
                let ended = try await stall.killed(Kill(request: 1, moment: .before))
                #expect(ended.status == 128 + 9)
                if beganLongAgo {
                    try await DatabaseQueue(path: stall.folder + "/.openmarket/state.db").write { db in
                        try db.execute(sql: "UPDATE operations SET sent_at = sent_at - 3600000")
                    }
                }
                try await stall.applyUntilDone(["--settle-delay", "8s"])
                // Two of the first run, and the two that it did not come to.
                #expect(try stall.server.writes().count { $0.isCreate && $0.status != nil } == 4, "\(api)")
                try await stall.expectExactly(.plain(4), Neighbours(of: stall), &view, "\(api)")
            }
        }
    }
}
