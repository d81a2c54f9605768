@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// `openmarket status`: what a run is doing, as another terminal shows it.
@Suite(.timeLimit(.minutes(2)))
struct StatusCommandTests {
    /// The market holds the second product for so long that it has to be let go.
    private static let held = "rules:\n  - {method: POST, nth: 2, fault: {latency: 3600s}}\n"

    /// Does something while a run of three waits for its second.
    private static func duringRun(
        _ shop: CommandSandbox,
        _ body: (RunningProcess) async throws -> Void
    ) async throws -> Program.Output {
        try shop.server.setFaults(held)
        return try await shop.program(["apply", "--yes"]).run { apply in
            try await shop.server.arrived(2)
            try await body(apply)
        }.output
    }

    @Test func `a run is seen while it goes on, and how it ended afterwards`() async throws {
        try await CommandSandbox.open { shop in
            let none = try await shop.openmarket("status")
            #expect(none.status == 0)
            #expect(none.text == "No run yet.\n")
            #expect(!shop.exists(".openmarket"))

            _ = try await Self.duringRun(shop) { apply in
                let status = try await shop.openmarket("status")
                #expect(status.status == 0, "\(status.errorText)")
                let lines = status.text.split(separator: "\n")
                #expect(lines.count == 3, "\(status.text)")
                #expect(lines[0].hasSuffix("  \(shop.server.url) (v2b)"))
                #expect(lines[1].hasPrefix("  1 of 3 done  1 under way or unknown  "), "\(status.text)")
                #expect(lines[1].hasSuffix(" left"), "\(status.text)")
                #expect(lines[2].hasPrefix("  apply, process \(apply.id) on "), "\(status.text)")
                let json = try JSONValue.parse(try await shop.openmarket("status", "--json").stdout)
                #expect(json["under_way"] == .bool(true))
                #expect(json["totals"]?["done"]?.integer == 1)
                #expect(json["sessions"]?.elements?.compactMap { $0["process"]?.integer } == [Int64(apply.id)])
                apply.send(.kill)
            }
            let killed = try await shop.openmarket("status")
            #expect(killed.text.hasPrefix("No run is under way. The last one:\n"))
            #expect(killed.text.hasSuffix("  did not end, 1 unresolved\n"))
            let json = try JSONValue.parse(try await shop.openmarket("status", "--json").stdout)
            #expect(json["under_way"] == .bool(false) && json["finished_at"] == nil)
            #expect(json["unresolved"]?.integer == 1)
        }
    }

    @Test(.enabled(if: Python.isAvailable))
    func `on a terminal a watched run is shown in its place`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await Self.duringRun(shop) { apply in
                let shown = try await shop.program(["status", "--watch"]).onTerminal().run { watch in
                    // The second look goes back over the three lines of the first.
                    try await watch.line(containing: "\u{1B}[3A\u{1B}[J")
                    apply.send(.kill)
                }.output
                #expect(shown.status == 0)
                #expect(shown.text.contains("No run is under way. The last one:"))
            }
        }
    }

    @Test func `Ctrl-C ends the watching, and not the run`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await Self.duringRun(shop) { apply in
                for (format, shown) in [([], " of 3 done  "), (["--json"], #""type":"status""#)] {
                    let watched = try await shop.program(["status", "--watch"] + format).run { watch in
                        try await watch.line(containing: shown)
                        watch.send(.interrupt)
                    }.output
                    #expect(watched.status == 130, "\(watched.errorText)")
                    #expect(!watched.text.contains("\u{1B}"))
                    #expect(watched.text.hasPrefix(#"{"type":"version""#) == !format.isEmpty, "\(watched.text)")
                }
                let json = try JSONValue.parse(try await shop.openmarket("status", "--json").stdout)
                #expect(json["under_way"] == .bool(true))
                apply.send(.kill)
            }
        }
    }
}
