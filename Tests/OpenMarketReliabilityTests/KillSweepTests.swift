@testable import OpenMarketTestSupport
import Testing

/// The real program, killed at every writing request of a run of thirty operations, before and after the market acts.
///
/// Every request is met on the way there before the market acts, and on the way back after it; ``TestScope/isAll``
/// meets all four. Nothing is random and nothing is timed: a fault holds the request for as long as the program lives.
@Suite(.timeLimit(.minutes(60)))
struct KillSweepTests {
    static let moments: [Kill.Moment] = TestScope.isAll ? [.before, .before, .after, .after] : [.before, .after]

    @Test
    func `a run that is killed at any request is finished by the next, exactly`() async throws {
        try await concurrently(TestScope.sweptProfiles) { api in
            try await FaultSweep.open(api) { try await sweep(&$0, parallelism: 1, stride: 1) }
        }
    }

    @Test
    func `so is one that is killed with four requests under way`() async throws {
        try await concurrently(["v1b", "v2b"]) { api in
            try await FaultSweep.open(api) { try await sweep(&$0, parallelism: 4, stride: TestScope.isAll ? 1 : 6) }
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
                // The very same is listed while it is not known whether ours was made.
                try sweep.listTwin(of: request)
                try await sandbox.applyUntilDone(width)
                try await sweep.arrive(name)
            }
        }
    }
}
