import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// One writer at a time, whatever becomes of it.
@Suite(.timeLimit(.minutes(5)))
struct RunLockTests {
    static let held = "rules:\n  - {method: POST, nth: 2, fault: {latency: 3600s}}\n"

    @Test
    func `7 names the holder; a run that waits goes on when the holder is dead`() async throws {
        try await ReliabilitySandbox.open("v2b", .plain(4), faults: Self.held) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            _ = try await sandbox.program(["apply", "--yes"]).run { first in
                try await sandbox.waitUntil { try sandbox.server.writes().count == 2 }
                for arguments in [
                    ["apply", "--yes"], ["apply", "--yes", "--lock-timeout", "100ms"], ["state", "unlock"],
                ] {
                    let refused = try await sandbox.program(arguments).run()
                    #expect(refused.status == 7, "\(arguments)")
                    #expect(refused.errorText.contains("openmarket apply, process \(first.id) on "))
                    #expect(refused.errorText.contains(", since 2"))
                }
                try sandbox.server.setFaults()
                // The waiting run cannot begin before the holder dies, because only its death ends the wait.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await sandbox.applyUntilDone(["--lock-timeout", "120s"])
                    }
                    #expect(try sandbox.server.writes() == [])
                    first.send(.kill)
                    try await group.waitForAll()
                }
            }
            try await sandbox.expectExactly(.plain(4), Neighbours(of: sandbox), &view, "after waiting")
        }
    }

    @Test
    func `a dead holder leaves nothing to clean up`() async throws {
        try await ReliabilitySandbox.open("v2b", .plain(4), faults: Self.held) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            let ended = try await sandbox.killed(Kill(request: 1, moment: .before))
            #expect(ended.status == 128 + 9)
            // Its name is still there.
            #expect(try !sandbox.read(".openmarket/state.db.lock").isEmpty)
            try sandbox.server.setFaults()
            try await sandbox.applyUntilDone()
            #expect(try sandbox.read(".openmarket/state.db.lock").isEmpty)
            try await sandbox.expectExactly(.plain(4), Neighbours(of: sandbox), &view, "after a dead holder")
        }
    }

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
