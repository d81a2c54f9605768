import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Exports without a person at the terminal.
@Suite(.timeLimit(.minutes(5)))
struct NightlyExportTests {
    @Test func `what is removed of older exports, and what is not, is said`() async throws {
        try await CommandSandbox.applied { shop in
            let output = try await shop.sh(
                """
                mkdir out; openmarket export -q -o out/day-2020-01-01.csv
                for day in 02 03; do
                  cp out/day-2020-01-01.csv out/day-2020-01-$day.csv
                  cp out/day-2020-01-01.csv.certificate.json out/day-2020-01-$day.csv.certificate.json
                done
                echo mine >> out/day-2020-01-02.csv
                openmarket export -o 'out/day-{date}.csv' --keep 1
                """
            )
            #expect(output.status == 0)
            let warning = "warning: out/day-2020-01-02.csv does not match its certificate, and was not removed\n"
            #expect(output.errorText.hasPrefix(warning), "\(output.errorText)")
            #expect(output.errorText.hasSuffix(", and removed 2 older exports\n"), "\(output.errorText)")
        }
    }

    @Test func `the day is that of TZ, or of UTC where it says so`() async throws {
        try await CommandSandbox.open("v2b", .plain(1)) { shop in
            // Two zones that never have the same day.
            let far = ["east": "XXX-14", "west": "XXX+12"]
            for (name, zone) in far {
                let output = try await shop.sh(
                    """
                    openmarket export -q -o '\(name)-{date}.csv' && openmarket export -q -o 'utc-\(name)-{date:utc}.csv'
                    test -f "\(name)-$(date +%F).csv" && test -f "utc-\(name)-$(date -u +%F).csv"
                    """,
                    environment: ["TZ": zone]
                )
                #expect(output.status == 0, "\(output.errorText)")
            }
        }
    }

    @Test(arguments: ["v1b", "v2b"])
    func `a row that cannot be read ends with 10 and is said, also with -q`(api: String) async throws {
        try await CommandSandbox.applied(api, .plain(5)) { shop in
            try await TamperingProxy.run(before: shop.server) { proxy, server in
                proxy.set(.spoilsRows)
                let environment = ["OPENMARKET_URL": server.url]
                let output = try await shop.openmarket("export", "-q", "-o", "a.csv", environment: environment)
                #expect(output.status == 10)
                #expect(
                    output.errorText
                        == "error: not complete: 2 rows of the market's list could not be read and are missing\n"
                )
                #expect(try shop.text("a.csv").split(separator: "\r\n").count == 4)
                let certificate = try JSONValue.parse(shop.read("a.csv.certificate.json"))
                #expect(certificate["lost_rows"]?.integer == 2)
                #expect(certificate["unreadable_rows"]?.integer == 3)
                let loud = try await shop.openmarket("export", "-o", "b.csv", environment: environment)
                let warnings = loud.errorText.split(separator: "\n").filter { $0.hasPrefix("warning: ") }
                #expect(warnings.count == 3)
                #expect(warnings.contains { $0.hasSuffix("product 3 cannot be read in whole: its name is missing") })
            }
        }
    }

    @Test func `a market that is down is waited for as long as configured`() async throws {
        try await CommandSandbox.open("v2b", .plain(1)) { shop in
            let closed = try RefusingPort()
            let output = try await shop.sh(
                "openmarket export -o a.csv --wait 1ms",
                environment: ["OPENMARKET_URL": closed.url]
            )
            #expect(output.status == 9)
            #expect(!shop.exists("a.csv"))
            #expect(try await shop.openmarket("export", "--wait", "soon").status == 64)
            withExtendedLifetime(closed) {}
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
        try await CommandSandbox.applied { shop in
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
            let week = "cp exports/catalog-*.csv.gz exports/catalog-$(date -d '7 days ago' +%F).csv.gz\n"
            #expect(try await shop.sh(week + cron + lines[1]).text == "No changes.\n")
            try shop.server.setFaults("rules:\n  - method: GET\n    fault: {status: 404, when: before}\n")
            let failed = try await shop.sh(cron + lines[0])
            #expect(failed.status == 4)
            #expect(failed.errorText.hasPrefix("ping -fsS -m 20 -o /dev/null --data-raw the market "))
            #expect(failed.errorText.contains(" https://ping.example/id/fail\nerror: "))
        }
    }

    @Test func `the example's units create the folder, export, and mail a failure`() async throws {
        func commands(_ unit: String) throws -> String {
            let lines = try Recipes.text("examples/nightly/\(unit).service").split(separator: "\n")
            return lines.filter { $0.hasPrefix("ExecStart") }.map { $0.split(separator: "=", maxSplits: 1)[1] }
                .joined(separator: " && ").replacing("/usr/bin/openmarket ", with: "openmarket ")
                .replacing("$$", with: "$").replacing("/usr/sbin/sendmail -t", with: "cat")
        }
        try await CommandSandbox.applied { shop in
            let night = try await shop.sh(try commands("openmarket-export"))
            #expect(night.status == 0 && night.errorText.isEmpty, "\(night.errorText)")
            #expect(try await shop.sh("openmarket export --verify exports/catalog-*.csv.gz").status == 0)
            let report = """
                mkdir bin
                printf '#!/bin/sh\\necho "journal $*"\\n' > bin/journalctl
                chmod +x bin/journalctl
                export PATH="$PWD/bin:$PATH" MAIL_TO=seller@shop.example
                \(try commands("openmarket-export-failed"))
                """
            #expect(
                try await shop.sh(report).text == """
                    To: seller@shop.example
                    Subject: the nightly export failed

                    journal -q -u openmarket-export -n 30 -o cat

                    """
            )
        }
    }

    @Test func `a command runs for how the export ended, without the market's secrets`() async throws {
        try await CommandSandbox.applied { shop in
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
