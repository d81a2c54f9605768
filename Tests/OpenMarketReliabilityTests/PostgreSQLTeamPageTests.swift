import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// The commands of docs/guides/shared-state.md, line by line from the page, on a real server and three machines.
@Suite(.enabled(if: PostgreSQLServer.isAvailable, "no PostgreSQL server is installed"), .timeLimit(.minutes(5)))
struct PostgreSQLTeamPageTests {
    /// A command of the page, the machine before its prompt, and the lines that it prints below.
    private struct Step {
        var machine: String
        var command: String
        var output: [Substring]

        /// The steps under a heading, in the order of the page.
        static func all(under heading: String) throws -> [Step] {
            let block = try Recipes.blocks("console", of: "docs/guides/shared-state.md", after: heading)[0]
            var steps: [Step] = []
            for line in block.split(separator: "\n") {
                if let prompt = line.firstMatch(of: /^(\w*)\$ (.+)$/) {
                    steps.append(Step(machine: String(prompt.1), command: String(prompt.2), output: []))
                } else {
                    steps[steps.count - 1].output.append(line)
                }
            }
            return steps
        }

        /// Checks that its lines are there, in their order; what is between them the page leaves out.
        func expect(_ said: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) {
            var lines = said.split(separator: "\n")[...]
            for wanted in output where wanted != "…" {
                guard let place = lines.firstIndex(of: wanted) else {
                    Issue.record("\(command) does not say: \(wanted)\n\(said)", sourceLocation: sourceLocation)
                    return
                }
                lines = lines[(place + 1)...]
            }
        }
    }

    /// Carries out a command of the page with our database, and returns what it says with the page's.
    private func carryOut(_ step: Step, on machine: ReliabilitySandbox, _ url: String) async throws -> String {
        let line = step.command.replacing("postgresql://db.example/shop", with: "'\(url)'")
        return pageWords(try await machine.sh("{ \(line); } 2>&1").text, machine, url)
    }

    /// A text with the addresses, times, numbers and names of the page in the place of ours.
    private func pageWords(_ text: String, _ machine: ReliabilitySandbox, _ url: String) -> String {
        text.replacing(url, with: "postgresql://db.example/shop")
            .replacing(machine.server.url, with: "https://market.example")
            .replacing(/process \d+ on [^\s,.]+/, with: "process 4711 on anna")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, with: "2026-11-23T09:30:00Z")
            .replacing(/\d{8}T\d{6}Z-\w+/, with: "20261123T093000Z-4f2a91")
            .replacing(/\(session \d+\)/, with: "(session 7)")
    }

    /// The letters of a text, without those of the columns that depend on how far a run is.
    private func words(of status: String) -> [Substring] {
        status.replacing(/\ \ [\d:]+ left/, with: "").replacing(/\ \ [\d.]+\/s/, with: "").split { !$0.isLetter }
    }

    private func url() async throws -> String {
        try await PostgreSQLServer.shared.url(schema: "page_" + UUID().uuidString.prefix(8).lowercased())
    }

    @Test func `a shop takes its state along`() async throws {
        let url = try await url()
        let steps = try Step.all(under: "## Set it up")
        try await ReliabilitySandbox.open("v2b", .plain(5)) { sandbox in
            for count in 5...7 {
                try sandbox.want(.plain(count))
                try await sandbox.applyUntilDone()
            }
            steps[0].expect(try await carryOut(steps[0], on: sandbox, url))
            let moved = try sandbox.machine("moved", state: url)
            for step in steps.dropFirst() { step.expect(try await carryOut(step, on: moved, url)) }
        }
    }

    @Test func `one applies, one has nothing to do, one is refused and waits`() async throws {
        let url = try await url()
        let steps = try Step.all(under: "## Three machines")
        try #require(steps.map(\.machine) == ["anna", "ben", "runner", "runner"])
        // Long enough for the runner to be refused meanwhile.
        let held = "rules:\n  - {method: POST, nth: 4, fault: {latency: 15s}}\n"
        try await ReliabilitySandbox.open("v2b", .plain(7), faults: held) { sandbox in
            let machines = try Dictionary(
                uniqueKeysWithValues: ["anna", "ben", "runner"].map { ($0, try sandbox.machine($0, state: url)) }
            )
            func said(_ step: Step) async throws -> String {
                try await carryOut(step, on: try #require(machines[step.machine]), url)
            }
            async let anna = said(steps[0])
            try await sandbox.waitUntil { try sandbox.server.writes().count == 4 }
            steps[2].expect(try await said(steps[2]))
            async let waited = said(steps[3])
            steps[0].expect(try await anna)
            steps[1].expect(try await said(steps[1]))
            #expect(try await waited.contains("No changes."))
        }
    }

    @Test func `a worker helps, and anyone sees how far the run is`() async throws {
        let url = try await url()
        let steps = try Step.all(under: "## Workers")
        try #require(steps.map(\.machine) == ["ben", "runner"])
        let held = "rules:\n  - {method: POST, nth: 2, fault: {latency: 15s}}\n"
        try await ReliabilitySandbox.open("v2b", .plain(600), faults: held) { sandbox in
            let anna = try sandbox.machine("anna", state: url)
            let (ben, runner) = (try sandbox.machine("ben", state: url), try sandbox.machine("runner", state: url))
            async let applied = anna.openmarket("apply", "--yes")
            try await sandbox.waitUntil { try sandbox.server.writes().count == 2 }
            async let worked = carryOut(steps[0], on: ben, url)
            var status = ""
            repeat {
                status = try await carryOut(steps[1], on: runner, url)
            } while !status.contains("  work, process") && status.contains(" of 600 done")
            // How many are done, how fast, and since when is another matter than on the page; here all machines are one.
            let wanted = steps[1].output.joined(separator: "\n").replacing("on ben", with: "on anna")
            #expect(words(of: status) == words(of: wanted))
            for line in steps[0].output {
                // Anna takes 256 of the 600, and Ben the others.
                #expect(try await worked.contains(line.replacing("1536", with: "344")))
            }
            let all = try await applied
            #expect((all.text + all.errorText).contains("Apply complete: 600 added"))
        }
    }
}
