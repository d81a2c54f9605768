import FoundationEssentials
import OpenMarketTestSupport
import Testing

/// One writer at a time, whatever becomes of it.
@Suite(.timeLimit(.minutes(5)))
struct LockTests {
    static let held = "rules:\n  - {method: POST, nth: 2, fault: {latency: 3600s}}\n"

    @Test
    func `7 names the holder; a run that waits goes on when the holder is dead`() async throws {
        try await Stall.open("v2b", .plain(4), faults: Self.held) { stall in
            var view = MarketView(stall.server, "v2b")
            _ = try await stall.program(["apply", "--yes"]).run { first in
                try await stall.waitUntil { try stall.server.writes().count == 2 }
                for arguments in [
                    ["apply", "--yes"], ["apply", "--yes", "--lock-timeout", "100ms"], ["state", "unlock"],
                ] {
                    let refused = try await stall.program(arguments).run()
                    #expect(refused.status == 7, "\(arguments)")
                    #expect(refused.errorText.contains("openmarket apply, process \(first.id) on "))
                    #expect(refused.errorText.contains(", since 2"))
                }
                try stall.server.setFaults()
                // The waiting run cannot begin before the holder dies, for only its death ends the wait.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await stall.applyUntilDone(["--lock-timeout", "120s"])
                    }
                    #expect(try stall.server.writes() == [])
                    first.send(.kill)
                    try await group.waitForAll()
                }
            }
            try await stall.expectExactly(.plain(4), Neighbours(of: stall), &view, "after waiting")
        }
    }

    @Test
    func `a dead holder leaves nothing to clean up`() async throws {
        try await Stall.open("v2b", .plain(4), faults: Self.held) { stall in
            var view = MarketView(stall.server, "v2b")
            let ended = try await stall.killed(Kill(request: 1, moment: .before))
            #expect(ended.status == 128 + 9)
            // Its name still stands there.
            #expect(try !stall.read(".openmarket/state.db.lock").isEmpty)
            try stall.server.setFaults()
            try await stall.applyUntilDone()
            #expect(try stall.read(".openmarket/state.db.lock").isEmpty)
            try await stall.expectExactly(.plain(4), Neighbours(of: stall), &view, "after a dead holder")
        }
    }

    @Test
    func `a holder on another machine is believed until it is unlocked`() async throws {
        try await Stall.open("v2b", .plain(2)) { stall in
            var view = MarketView(stall.server, "v2b")
            try await stall.applyUntilDone()
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            let line = #"{"command":"apply","host":"far-away","process":17,"since":\#(now)}"# + "\n"
            try stall.write(".openmarket/state.db.lock", Array(line.utf8))
            let refused = try await stall.openmarket("apply", "--yes")
            #expect(refused.status == 7)
            #expect(refused.errorText.contains("openmarket apply, process 17 on far-away, since "))
            #expect(refused.errorText.contains("openmarket state unlock"))
            #expect(try await stall.openmarket("plan").status == 0)
            let unlocked = try await stall.openmarket("state", "unlock")
            #expect(unlocked.status == 0)
            try await stall.applyUntilDone()
            try await stall.expectExactly(.plain(2), Neighbours(of: stall), &view, "after unlock")
        }
    }
}
