import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// One shop, several machines: the real program with a state in PostgreSQL, as docs/guides/shared-state.md has it.
@Suite(.enabled(if: PostgreSQLServer.isAvailable, "no PostgreSQL server is installed"), .timeLimit(.minutes(5)))
struct PostgreSQLTeamTests {
    private static let held = "rules:\n  - {method: POST, nth: 2, fault: {latency: 3600s}}\n"

    /// The URL of a state that no other test has.
    private func url() async throws -> String {
        let schema = "team_" + UUID().uuidString.prefix(8).lowercased()
        // What is short here takes ten times as long elsewhere: a lease of 30 seconds.
        return try await PostgreSQLServer.shared.url(schema: schema, "&lease=3")
    }

    @Test func `a state moves to the database, and three machines go on with it`() async throws {
        let url = try await url()
        try await ReliabilitySandbox.open("v2b", .plain(3)) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            try await sandbox.applyUntilDone()
            let copied = try await sandbox.openmarket("state", "copy", ".openmarket/state.db", url)
            #expect(copied.status == 0, "\(copied.errorText)")
            #expect(copied.errorText.contains("3 products"), "\(copied.errorText)")
            let file = try await sandbox.openmarket("apply", "--yes")
            #expect(file.status != 0)
            #expect(file.errorText.contains("was copied to"))

            let machines = try ["anna", "ben", "runner"].map { try sandbox.machine($0, state: url) }
            for machine in machines {
                #expect(try await machine.openmarket("plan", "--detailed-exitcode").status == 0)
                try machine.want(.plain(7))
            }
            // Anna's run goes on for as long as the market holds its second request.
            try sandbox.server.setFaults(Self.held)
            _ = try await machines[0].program(["apply", "--yes"]).run { anna in
                try await sandbox.waitUntil { try sandbox.server.writes().count == 2 }
                let refused = try await machines[2].openmarket("apply", "--yes")
                #expect(refused.status == 7)
                #expect(refused.errorText.contains("openmarket apply, process \(anna.id) on "), "\(refused.errorText)")
                #expect(refused.errorText.contains("1 of 4 operations of run "), "\(refused.errorText)")
                #expect(try await machines[1].openmarket("state", "unlock").status == 7)
                #expect(try await machines[1].openmarket("history").text.contains("4"))
                let status = try await machines[1].openmarket("status").text
                #expect(status.contains("  1 of 4 done  1 under way or unknown  "), "\(status)")
                #expect(status.contains("  apply, process \(anna.id) on "), "\(status)")
                anna.send(.kill)
            }
            try sandbox.server.setFaults()
            // What she had sent is settled by whoever waits until her lease has run out.
            try await machines[2].applyUntilDone(["--lock-timeout", "60s"])
            try await machines[1].expectExactly(.plain(7), Neighbours(of: sandbox), &view, "after Anna was killed")

            let back = try await sandbox.openmarket("state", "copy", url, "back.db")
            #expect(back.status == 0, "\(back.errorText)")
            #expect(try await machines[0].openmarket("apply", "--yes").status != 0)
            var home = sandbox
            home.environment["OPENMARKET_STATE"] = "back.db"
            try home.want(.plain(7))
            try await home.expectExactly(.plain(7), Neighbours(of: sandbox), &view, "after the state came back")
        }
    }

    @Test(arguments: 0..<3, [Kill.Moment.before, .after])
    func `a run that is killed at any request is finished by another machine, exactly`(
        request: Int,
        moment: Kill.Moment
    ) async throws {
        let (url, kill) = (try await url(), Kill(request: request, moment: moment))
        let held = "rules:\n  - {method: POST, nth: \(request + 1), fault: \(kill.fault)}\n"
        try await ReliabilitySandbox.open("v2b", .plain(3), faults: held) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            let (first, second) = (try sandbox.machine("first", state: url), try sandbox.machine("second", state: url))
            #expect(try await first.killed(kill).status == 128 + 9)
            try sandbox.server.setFaults()
            try await second.applyUntilDone(["--lock-timeout", "60s"])
            try await second.expectExactly(.plain(3), Neighbours(of: sandbox), &view, "\(kill)")
        }
    }

    @Test func `a run that is frozen beyond its lease sends nothing after waking, and ends with 7`() async throws {
        let url = try await url()
        try await ReliabilitySandbox.open("v2b", .plain(5), faults: Self.held) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            let (frozen, other) = (try sandbox.machine("frozen", state: url), try sandbox.machine("other", state: url))
            let ended = try await frozen.program(["apply", "--yes"]).run { process in
                try await sandbox.waitUntil { try sandbox.server.writes().count == 2 }
                process.send(.stop)
                try sandbox.server.setFaults()
                try await other.applyUntilDone(["--lock-timeout", "60s"])
                process.send(.resume)
            }
            #expect(ended.output.status == 7, "\(ended.output.errorText)")
            #expect(ended.output.errorText.contains("has ended"), "\(ended.output.errorText)")
            try await other.expectExactly(.plain(5), Neighbours(of: sandbox), &view, "after waking")
        }
    }

    @Test func `a run that is ended by force stops with 7, and the next one waits for what it sent`() async throws {
        let url = try await url()
        try await ReliabilitySandbox.open("v2b", .plain(5), faults: Self.held) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            let (first, second) = (try sandbox.machine("first", state: url), try sandbox.machine("second", state: url))
            let ended = try await first.program(["apply", "--yes"]).run { _ in
                try await sandbox.waitUntil { try sandbox.server.writes().count == 2 }
                let unlocked = try await second.openmarket("state", "unlock", "--force")
                #expect(unlocked.status == 0, "\(unlocked.errorText)")
            }
            #expect(ended.output.status == 7, "\(ended.output.errorText)")
            try sandbox.server.setFaults()
            try await second.applyUntilDone(["--lock-timeout", "60s"])
            try await second.expectExactly(.plain(5), Neighbours(of: sandbox), &view, "after it was ended")
        }
    }

    @Test func `a server that is gone ends the run with 1, and it is finished when that is back`() async throws {
        try await PostgreSQLServer.running { database in
            let url = database.url(schema: "team", "&lease=3")
            try await ReliabilitySandbox.open("v2b", .plain(5), faults: Self.held) { sandbox in
                var view = MarketView(sandbox.server, "v2b")
                let machine = try sandbox.machine("machine", state: url)
                let ended = try await machine.program(["apply", "--yes"]).run { _ in
                    try await sandbox.waitUntil { try sandbox.server.writes().count == 2 }
                    try await database.crash()
                }
                #expect(ended.output.status == 1, "\(ended.output.errorText)")
                try await database.start()
                try sandbox.server.setFaults()
                try await machine.applyUntilDone(["--lock-timeout", "60s"])
                try await machine.expectExactly(.plain(5), Neighbours(of: sandbox), &view, "after the server was back")
            }
        }
    }

    @Test func `an address with a password warns, and prints it nowhere`() async throws {
        let url = try await url().replacing("openmarket@", with: "openmarket:hunter2@")
        try await ReliabilitySandbox.open("v2b", .plain(1)) { sandbox in
            let machine = try sandbox.machine("machine", state: url)
            let output = try await machine.openmarket("apply", "--yes", "--json")
            #expect(output.status == 0, "\(output.errorText)")
            #expect(output.errorText.contains("password"))
            let plan = try await machine.openmarket("plan", "--out", "saved.plan")
            #expect(plan.status == 0, "\(plan.errorText)")
            let saved = String(decoding: try machine.read("saved.plan"), as: UTF8.self)
            #expect(![output.text, output.errorText, plan.text, plan.errorText, saved].joined().contains("hunter2"))
        }
    }
}
