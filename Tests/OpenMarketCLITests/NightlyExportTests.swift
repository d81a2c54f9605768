import FoundationEssentials
import OpenMarket
import OpenMarketTestSupport
import Testing

/// Exports that nobody watches.
@Suite(.timeLimit(.minutes(5)))
struct NightlyExportTests {
    @Test func `the newest exports stay, and only exports go`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("apply", "--yes")
            let others = [
                "catalog-2020-01-03.csv", "catalog-2020-01-0x.csv.gz", "catalog-2020-01-011.csv.gz",
                "catalog-.csv.gz", "other-2020-01-01.csv.gz", "catalog-2020-01-05.csv.gz.bak",
            ]
            let exports = (1...4).flatMap { day in
                ["catalog-2020-01-0\(day).csv.gz", "catalog-2020-01-0\(day).csv.gz.certificate.json"]
            }
            _ = try await shop.sh(
                "mkdir out out/catalog-2020-01-00.csv.gz; cd out; touch \((others + exports).joined(separator: " "))"
            )
            let template = "out/catalog-{date}.csv.gz"
            let output = try await shop.openmarket("export", "-o", template, "--keep", "3")
            #expect(output.status == 0, "\(output.errorText)")
            let names = try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/out")
            let today = try #require(
                names.first { !$0.contains("2020") && $0.hasPrefix("catalog-2") && $0.hasSuffix(".gz") }
            )
            #expect(output.errorText == "Exported 3 products to out/\(today), and removed 2 older exports\n")
            let kept = exports.suffix(4) + [today, today + ".certificate.json", "catalog-2020-01-00.csv.gz"]
            #expect(names.sorted() == (others + kept).sorted())

            // A failure removes nothing.
            try shop.server.setFaults("rules:\n  - method: GET\n    fault: {truncate: 100}\n")
            let failed = try await shop.openmarket("export", "-o", template, "--keep", "1", "--timeout", "2s")
            #expect(failed.status != 0)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/out").sorted() == names.sorted()
            )
            // A clock that was wrong has left a file of a later day: what was just written stays.
            try shop.server.setFaults()
            #expect(
                try await shop.sh("touch out/catalog-2999-01-01.csv.gz; openmarket export -o '\(template)' --keep 1")
                    .status
                    == 0
            )
            #expect(shop.exists("out/" + today) && !shop.exists("out/catalog-2999-01-01.csv.gz"))
            for wrong in [
                "--keep 3 -o a.csv", "-o 'a-{date}-{date}.csv'", "-o '{date}/a.csv'", "--keep 0 -o 'a-{date}'",
            ] {
                #expect(try await shop.sh("openmarket export \(wrong)").status == 64, "\(wrong)")
            }
        }
    }

    @Test func `a row that cannot be read in whole is an event of its own`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("apply", "--yes")
            // The newest product is gone when its detail is asked for.
            try shop.server.setFaults(
                "rules:\n  - {method: GET, path: /api/products/*, nth: 1, fault: {status: 404}}\n"
            )
            let output = try await shop.openmarket("export", "-o", "catalog.jsonl", "--details", "--json")
            #expect(output.status == 10, "\(output.errorText)")
            let lines = output.text.split(separator: "\n").map(String.init)
            #expect(lines.count == 3)
            #expect(
                lines.dropFirst().first
                    == #"{"type":"problem","place":"product 3","message":"it vanished before its detail was read"}"#
            )
            let summary = try JSONValue.parse(Array((lines.last ?? "").utf8))
            #expect(summary["type"]?.text == "summary" && summary["unreadable_rows"]?.integer == 1)
        }
    }

    @Test func `the lines of the example's crontab export, ping and compare`() async throws {
        let path = ExamplesTests.root + "/examples/nightly/crontab"
        let text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.first?.isNumber ?? false }.map { line in
            String(line.split(separator: " ", maxSplits: 5)[5]).replacing("\\%", with: "%").replacing(
                "/srv/shop",
                with: "."
            )
        }
        try #require(lines.count == 2)
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("apply", "--yes")
            let setUp = """
                mkdir exports bin
                printf '#!/bin/sh\\necho "ping $*"\\n' > bin/curl
                chmod +x bin/curl
                echo 'export PING_URL=https://ping.example/id' > market.env
                """
            _ = try await shop.sh(setUp)
            let cron = "PATH=\"$PWD/bin:$PATH\"\n"
            let night = try await shop.sh(cron + lines[0])
            #expect(night.status == 0)
            #expect(night.errorText == "ping -fsS -m 20 -o /dev/null https://ping.example/id\n")
            let week = "cp exports/catalog-*.csv.gz exports/catalog-$(date -u -d '7 days ago' +%F).csv.gz\n"
            #expect(try await shop.sh(week + cron + lines[1]).text == "No changes.\n")
            try shop.server.setFaults("rules:\n  - method: GET\n    fault: {status: 404, when: before}\n")
            let failed = try await shop.sh(cron + lines[0])
            #expect(failed.status == 1)
            #expect(failed.errorText.hasPrefix("ping -fsS -m 20 -o /dev/null --data-raw the market "))
            #expect(failed.errorText.contains(" https://ping.example/id/fail\nerror: "))
        }
    }

    @Test func `a command runs for how the export ended, without the market's secrets`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("apply", "--yes")
            func export(_ arguments: String...) async throws -> Program.Output {
                let commands = [
                    "--on-success", #"echo "yes $OPENMARKET_EXIT $OPENMARKET_ERROR<$OPENMARKET_SECRET>""#,
                    "--on-failure", #"echo "no $OPENMARKET_EXIT $OPENMARKET_ERROR<$OPENMARKET_SECRET>""#,
                ]
                return try await shop.program(["export", "-q"] + commands + arguments).run()
            }
            let complete = try await export("-o", "a.csv")
            #expect(complete.status == 0)
            #expect(complete.errorText == "yes 0 <>\n")
            #expect(complete.text == "")
            let piped = try await export()
            #expect(piped.text.hasPrefix("id,"))
            #expect(piped.errorText == "yes 0 <>\n")
            let failed = try await export("-o", "missing/a.csv")
            #expect(failed.status == 1)
            #expect(failed.errorText.hasPrefix("no 1 cannot write missing/a.csv: No such file or directory<>\nerror: "))
            let broken = try await shop.openmarket("export", "-q", "-o", "b.csv", "--on-success", "exit 7")
            #expect(broken.status == 0)
            #expect(broken.errorText == "warning: the command of --on-success ended with exit code 7\n")
        }
    }
}
