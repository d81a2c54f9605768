@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Ctrl-C, a closed terminal, a reader that leaves.
@Suite(.timeLimit(.minutes(5)))
struct InterruptionTests {
    /// Every create takes its time, so that a signal always meets one under way.
    static let slowly = "rules:\n  - {method: POST, fault: {latency: 700ms}}\n"

    @Test(arguments: ["v1b", "v2b"], [RunningProcess.Signal.interrupt, .terminate])
    func `the first signal lets what is under way finish`(api: String, signal: RunningProcess.Signal) async throws {
        try await ReliabilitySandbox.open(api, .plain(12), faults: Self.slowly) { sandbox in
            var view = MarketView(sandbox.server, api)
            let ended = try await sandbox.program(["apply", "--yes", "--parallelism", "2", "--result", "result.json"])
                .run { process in
                    try await sandbox.waitUntil { try sandbox.server.writes().count >= 3 }
                    process.send(signal)
                    try await process.line(containing: "press Ctrl-C again to abort", on: .stderr)
                }
            #expect(ended.output.status == 130)
            #expect(ended.output.errorText.contains("interrupted; run apply again to resume"))
            let writes = try sandbox.server.writes()
            // Whatever reached the market is known by its outcome; whatever did not is left to the next run.
            let operations = try JSONValue.parse(sandbox.read("result.json"))["operations"]?.elements ?? []
            #expect(operations.count { $0["status"]?.text == "done" } == writes.count)
            #expect(operations.count { $0["status"]?.text == "skipped" } == 12 - writes.count)
            #expect(writes.allSatisfy { $0.status != nil })
            try sandbox.server.setFaults()
            let plan = try await sandbox.openmarket("plan")
            #expect(!plan.errorText.contains("unresolved"))
            try await sandbox.applyUntilDone()
            #expect(try sandbox.server.writes().count == 12 - writes.count)
            try await sandbox.expectExactly(.plain(12), Neighbours(of: sandbox), &view, "\(api) after a drain")
        }
    }

    @Test(arguments: TestScope.sweptProfiles, [Kill.Moment.before, .after])
    func `the second stops at once, and the next run finds out what became of it`(
        api: String,
        moment: Kill.Moment
    ) async throws {
        let kill = Kill(request: 4, moment: moment)
        let held = "rules:\n  - {method: POST, nth: 5, fault: \(kill.fault)}\n"
        try await ReliabilitySandbox.open(api, .plain(12), faults: held) { sandbox in
            var view = MarketView(sandbox.server, api)
            var neighbours = Neighbours(of: sandbox)
            let ended = try await sandbox.program(["apply", "--yes"]).run { process in
                try await sandbox.waitUntil { kill.isReached(try sandbox.server.writes()) }
                process.send(.interrupt)
                try await process.line(containing: "press Ctrl-C again to abort", on: .stderr)
                process.send(.interrupt)
            }
            #expect(ended.output.status == 130)
            try sandbox.server.setFaults()
            #expect(try await sandbox.openmarket("plan").errorText.contains("1 operation of run "))
            #expect(try sandbox.server.writes() == [])
            try neighbours.list(Assortment.Product(number: 5), view: view)
            try await sandbox.applyUntilDone()
            try await sandbox.expectExactly(.plain(12), neighbours, &view, "\(api) \(moment)")
        }
    }

    @Test(arguments: [RunningProcess.Signal.interrupt, .terminate])
    func `an apply that is stopped before it writes anything says so, and leaves its place`(
        signal: RunningProcess.Signal
    ) async throws {
        let held = "rules:\n  - {method: GET, path: /api/products, fault: {latency: 3600s}}\n"
        try await ReliabilitySandbox.open("v2b", .plain(1), faults: held) { sandbox in
            let ended = try await sandbox.program(["apply", "--yes"]).run { process in
                try await sandbox.waitUntil { try sandbox.server.fired() == [1] }
                process.send(signal)
            }
            #expect(ended.output.status == 130)
            #expect(ended.output.errorText.hasSuffix("error: interrupted\n"))
            try sandbox.server.setFaults()
            #expect(try await sandbox.openmarket("state", "unlock").errorText == "The state was not locked.\n")
            #expect(try await sandbox.openmarket("apply", "--yes").status == 0)
        }
    }

    @Test
    func `a terminal that closes stops nothing`() async throws {
        try await ReliabilitySandbox.open("v2b", .plain(6), faults: Self.slowly) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            let ended = try await sandbox.program(["apply", "--yes"]).run { process in
                try await sandbox.waitUntil { try sandbox.server.writes().count >= 1 }
                process.send(.hangUp)
                process.send(.hangUp)
            }
            #expect(ended.output.status == 0, "\(ended.output.errorText)")
            try await sandbox.expectExactly(.plain(6), Neighbours(of: sandbox), &view, "after a hang-up")
        }
    }

    /// The reader of the output leaves after a line, or was never there; then a file that is opened later must not get
    /// its number and what was meant for it.
    @Test(arguments: ["2>/dev/null | head -n 1", "2>&1 | head -n 1", ">&-", ">&- 2>&-", ">&- 2>&- <&-"])
    func `an output without a reader does no harm`(redirection: String) async throws {
        try await ReliabilitySandbox.open("v2b", .plain(12)) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            for (step, flags) in ["--json", ""].enumerated() {
                var wanted = Assortment.plain(12)
                if step == 1 { for index in wanted.products.indices { wanted.products[index].price += 5 } }
                try sandbox.want(wanted)
                _ = try await sandbox.sh(
                    "{ openmarket apply --yes \(flags) --parallelism 3; echo $? > status; } \(redirection)"
                )
                #expect(String(decoding: try sandbox.read("status"), as: UTF8.self) == "0\n")
                try await sandbox.expectExactly(wanted, Neighbours(of: sandbox), &view, "\(flags) \(redirection)")
            }
        }
    }
}
