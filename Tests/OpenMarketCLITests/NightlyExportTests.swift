import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Exports without a person at the terminal.
@Suite(.timeLimit(.minutes(5)))
struct NightlyExportTests {
    @Test func `the newest exports stay, and only exports go`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("apply", "--yes")
            let certificate = ".certificate.json"
            // Names that are not an export's, days that do not exist, and files that no export wrote.
            let others = [
                "catalog-2020-01-03.csv", "catalog-2020-01-0x.csv.gz", "catalog-2020-01-011.csv.gz",
                "catalog-.csv.gz", "other-2020-01-01.csv.gz", "catalog-2020-01-05.csv.gz.bak",
                "catalog-9999-99-99.csv.gz", "catalog-2026-13-77.csv.gz", "catalog-2019-02-29.csv.gz",
                "catalog-2019-01-01.csv.gz", "catalog-2998-01-01.csv.gz", "catalog-2018-01-01.csv.gz",
                "catalog-2018-01-01.csv.gz" + certificate,
            ]
            let exports = (1...4).flatMap { day in
                ["catalog-2020-01-0\(day).csv.gz", "catalog-2020-01-0\(day).csv.gz" + certificate]
            }
            _ = try await shop.sh(
                """
                openmarket export -q -o export.csv.gz; mkdir out out/catalog-2020-01-00.csv.gz; cd out
                touch \(others.joined(separator: " "))
                for name in 2020-01-01 2020-01-02 2020-01-03 2020-01-04 2026-13-77 9999-99-99; do
                  cp ../export.csv.gz catalog-$name.csv.gz
                  cp ../export.csv.gz\(certificate) catalog-$name.csv.gz\(certificate)
                done
                rm catalog-2026-13-77.csv.gz\(certificate) catalog-9999-99-99.csv.gz\(certificate)
                """
            )
            let template = "out/catalog-{date}.csv.gz"
            let output = try await shop.openmarket("export", "-o", template, "--keep", "3")
            #expect(output.status == 0, "\(output.errorText)")
            let names = try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/out")
            let today = try #require(
                names.first {
                    $0.hasPrefix("catalog-2") && $0.hasSuffix(".gz") && !($0.contains("2020") || others.contains($0))
                }
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
            // A clock that was wrong has left an export of a later day: what was just written stays. What was changed
            // since, stays too, and the night goes on.
            try shop.server.setFaults()
            let wrong = try await shop.sh(
                """
                cp out/\(today) out/catalog-2999-01-01.csv.gz
                cp out/\(today)\(certificate) out/catalog-2999-01-01.csv.gz\(certificate)
                echo mine >> out/catalog-2020-01-04.csv.gz
                openmarket export -o '\(template)' --keep 1
                """
            )
            #expect(wrong.status == 0)
            #expect(
                wrong.errorText.hasPrefix(
                    "warning: out/catalog-2020-01-04.csv.gz does not match its certificate, and was not removed\n"
                )
            )
            #expect(shop.exists("out/" + today) && !shop.exists("out/catalog-2999-01-01.csv.gz"))
            #expect(shop.exists("out/catalog-2020-01-04.csv.gz") && !shop.exists("out/catalog-2020-01-03.csv.gz"))
            // An export that is a manifest of this run goes on being one.
            let later = try await shop.sh(
                """
                openmarket export -q -f openmarket.yaml -o day-2020-01-01.yaml
                openmarket export -f day-2020-01-01.yaml -o 'day-{date}.yaml' --keep 1
                """
            )
            #expect(later.status == 0 && shop.exists("day-2020-01-01.yaml"), "\(later.errorText)")
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
                    == #"{"type":"problem","position":"product 3","message":"it vanished before its detail was read"}"#
            )
            let summary = try JSONValue.parse(Array((lines.last ?? "").utf8))
            #expect(summary["type"]?.text == "summary" && summary["unreadable_rows"]?.integer == 1)
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
            for wrong in ["a-{date}-{date:utc}.csv", "a-{date:utc}-{date:utc}.csv", "{date:utc}/a.csv"] {
                #expect(try await shop.openmarket("export", "-o", wrong).status == 64, "\(wrong)")
            }
        }
    }

    @Test(.enabled(if: MisbehavingMarket.isAvailable, "python3 plays the proxy"), arguments: ["v1b", "v2b"])
    func `a row that cannot be read ends with 10 and is said, also with -q`(api: String) async throws {
        try await CommandSandbox.open(api, .plain(5)) { shop in
            #expect(try await shop.openmarket("apply", "--yes").status == 0)
            try await TamperingProxy.run(before: shop.server, folder: shop.folder) { proxy in
                try proxy.set(.spoilsRows)
                let environment = ["OPENMARKET_URL": proxy.url]
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
                #expect(warnings.contains { $0.hasSuffix("product 3 cannot be read in whole: it has no name") })
            }
        }
    }

    @Test func `a market that is down is waited for as long as configured`() async throws {
        try await CommandSandbox.open("v2b", .plain(1)) { shop in
            let closed = try RefusingPort()
            let output = try await shop.openmarket(
                "export",
                "-o",
                "a.csv",
                "--wait",
                "1ms",
                environment: ["OPENMARKET_URL": closed.url]
            )
            #expect(output.status == 9)
            #expect(!shop.exists("a.csv"))
            #expect(try await shop.openmarket("export", "--wait", "soon").status == 64)
            withExtendedLifetime(closed) {}
        }
    }

    @Test func `a lost or older certificate does not block the night, and an edited file does`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("apply", "--yes")
            for name in ["catalog.yaml", "catalog.yaml.gz"] {
                #expect(try await shop.openmarket("export", "-q", "-o", name).status == 0)
                let first = try shop.read(name)
                let lost = try await shop.sh("rm \(name).certificate.json; openmarket export -q -o \(name)")
                #expect(lost.status == 0, "\(lost.errorText)")
                #expect(try shop.read(name) == first)
                // Killed between the two, an export leaves the certificate of the one before.
                let older = try await shop.sh(
                    """
                    sed -i 's/"sha256": "../"sha256": "00/' \(name).certificate.json; openmarket export -q -o \(name)
                    openmarket export --verify \(name)
                    """
                )
                #expect(older.status == 0, "\(older.errorText)")
            }
            let edits = ["echo >> catalog.yaml", "sed -i 's/12000/12500/' catalog.yaml", "sed -i '$d' catalog.yaml"]
            for edit in edits {
                for certificate in ["true", "rm -f catalog.yaml.certificate.json"] {
                    _ = try await shop.sh(
                        "rm catalog.yaml; openmarket export -q -o catalog.yaml; \(edit); \(certificate)"
                    )
                    let before = try shop.read("catalog.yaml")
                    let output = try await shop.openmarket("export", "-o", "catalog.yaml")
                    #expect(output.status == 1, "\(edit)")
                    #expect(try shop.read("catalog.yaml") == before)
                }
            }
        }
    }

    @Test func `an export of another market is compared with a warning`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("apply", "--yes")
            let line = """
                openmarket export -q -o a.csv
                sed 's|"url": "[^"]*"|"url": "http://elsewhere.example"|' a.csv.certificate.json > b.csv.certificate.json
                cp a.csv b.csv; openmarket export --since a.csv; openmarket export --since b.csv
                """
            let output = try await shop.sh(line)
            #expect(output.status == 0)
            let warnings = output.errorText.split(separator: "\n").filter { $0.hasPrefix("warning: ") }
            #expect(
                warnings == [
                    "warning: b.csv was exported from http://elsewhere.example, and is compared with \(shop.server.url)"
                ]
            )
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
            let week = "cp exports/catalog-*.csv.gz exports/catalog-$(date -d '7 days ago' +%F).csv.gz\n"
            #expect(try await shop.sh(week + cron + lines[1]).text == "No changes.\n")
            try shop.server.setFaults("rules:\n  - method: GET\n    fault: {status: 404, when: before}\n")
            let failed = try await shop.sh(cron + lines[0])
            #expect(failed.status == 4)
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

    @Test func `beside a table, a command that runs gets no secret of openmarket.yaml either`() async throws {
        var manifest = ShopManifest.three
        manifest.market = "  secret: !env SHOP_SECRET"
        try await CommandSandbox.open("v2b", manifest) { shop in
            try shop.write("prices.csv", "key,price\nmug,12500\n")
            let exported = try await shop.program(
                ["export", "-q", "-f", "prices.csv", "-o", "a.csv", "--on-success", #"echo "<$SHOP_SECRET>""#],
                environment: ["SHOP_SECRET": ReferenceServer.secret]
            ).run()
            #expect(exported.status == 0)
            #expect(exported.errorText == "<>\n")
        }
    }
}
