import GRDB
@testable import OpenMarketTestSupport
import Testing

/// The real program, killed while a market takes its time over a create.
@Suite(.timeLimit(.minutes(60)))
struct LateCreateTests {
    /// The market may be slow, and carry out a create when its client is dead and the next run has looked already; then
    /// it does not matter how long ago the request began to leave.
    @Test(arguments: [false, true])
    func `a create that takes effect after the kill is waited for, and not made twice`(
        beganLongAgo: Bool
    ) async throws {
        let late = "rules:\n  - {method: POST, nth: 2, fault: {latency: 1500ms}}\n"
        try await concurrently(TestScope.sweptProfiles) { api in
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
