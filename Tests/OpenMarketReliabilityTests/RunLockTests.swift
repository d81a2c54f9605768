import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// A lock whose holder cannot be asked.
@Suite(.timeLimit(.minutes(5)))
struct RunLockTests {
    @Test
    func `a holder on another machine is believed until it is unlocked`() async throws {
        try await ReliabilitySandbox.open("v2b", .plain(2)) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            try await sandbox.applyUntilDone()
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            let line = #"{"command":"apply","host":"far-away","process":17,"since":\#(now)}"# + "\n"
            try sandbox.write(".openmarket/state.db.lock", Array(line.utf8))
            let refused = try await sandbox.openmarket("apply", "--yes")
            #expect(refused.status == 7)
            #expect(refused.errorText.contains("openmarket apply, process 17 on far-away, since "))
            #expect(refused.errorText.contains("openmarket state unlock"))
            #expect(try await sandbox.openmarket("plan").status == 0)
            let unlocked = try await sandbox.openmarket("state", "unlock")
            #expect(unlocked.status == 0)
            try await sandbox.applyUntilDone()
            try await sandbox.expectExactly(.plain(2), Neighbours(of: sandbox), &view, "after unlock")
        }
    }
}
