import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// Rule 9: what is written, where, and what is never touched.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FileTests {
    /// A file that is made while the market is read stays, whatever was there before.
    @Test func `a manifest that appears while a shop is pulled stays`() async throws {
        try await CommandSandbox.applied { shop in
            try shop.server.setFaults(
                "rules:\n  - {method: GET, path: /api/products, times: 1, fault: {latency: 1s}}\n"
            )
            let output = try await shop.program(["pull", "--write-only", "-o", "new.yaml"]).run { _ in
                while try shop.server.fired() != [1] { await Task.yield() }
                try shop.write("new.yaml", "mine")
            }.output
            #expect(output.status == 5, "\(output.errorText)")
            #expect(try shop.text("new.yaml") == "mine")
            let names = try FileManager.default.contentsOfDirectory(atPath: shop.folder)
            #expect(!names.contains { $0.hasSuffix(".partial") })
        }
    }

    /// The program is killed while it writes: the file of the next run is whole, and nothing is left.
    @Test func `an export that was killed leaves nothing to the next one`() async throws {
        try await CommandSandbox.open { shop in
            try shop.server.setFaults("rules:\n  - {method: GET, path: /api/products, fault: {latency: 3600s}}\n")
            try shop.write("out/a.csv", "id\r\n")
            _ = try await shop.program(["export", "-q", "-o", "out/a.csv"]).run { process in
                while try shop.server.fired() != [1] { try await Task.sleep(for: .milliseconds(10)) }
                process.send(.kill)
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/out")
            #expect(left.count == 2)
            #expect(left.contains { $0.wholeMatch(of: /a\.csv\.[0-9a-f]{32}\.partial/) != nil })
            try shop.server.setFaults()
            #expect(try await shop.openmarket("export", "-q", "-o", "out/a.csv").status == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/out").sorted()
            #expect(names == ["a.csv", "a.csv.certificate.json"])
        }
    }

    @Test func `a result for a closed stdout is an error, and a reader that leaves is not`() async throws {
        try await CommandSandbox.applied { shop in
            for command in ["export", "plan", "validate", "history", "status", "state list", "state export", "ping"] {
                let closed = try await shop.sh("openmarket \(command) >&-; echo $? >&2")
                #expect(
                    closed.errorText.hasSuffix("error: stdout is closed, and the result was to go there\n1\n"),
                    "\(command): \(closed.errorText)"
                )
            }
            for command in ["export -q", "state list", "history", "validate", "plan", "market list"] {
                let left = try await shop.unread(command)
                #expect(left.errorText.hasSuffix("0\n"), "\(command): \(left.errorText)")
            }
        }
    }

    @Test func `an exit code that says something is the same where the result is not read`() async throws {
        try await CommandSandbox.open { shop in
            try shop.write("bad.yaml", "products: [{key: a, prise: 1}]\n")
            for (command, code) in [
                ("plan --detailed-exitcode", 2), ("plan --json --detailed-exitcode", 2), ("validate bad.yaml", 4),
                ("validate --json bad.yaml", 4), ("plan -f bad.yaml", 4), ("plan --min-price 999999", 5),
                ("apply --yes", 0),
            ] {
                let left = try await shop.unread(command)
                #expect(left.errorText.hasSuffix("\(code)\n"), "\(command): \(left.errorText)")
            }
        }
    }

    @Test func `pictures on a host that was not named are neither fetched nor replaced`() async throws {
        try await CommandSandbox.applied { shop in
            // The market calls itself by another host's name.
            try await TamperingProxy.run(before: shop.server) { proxy, server in
                proxy.set(.hidesHost)
                let environment = ["OPENMARKET_URL": "http://localhost:\(server.port)"]
                let arguments = ["plan", "--adopt", "--state", "other.db"]
                let unnamed = try await shop.program(arguments, environment: environment).run()
                #expect(unnamed.status == 0, "\(unnamed.errorText)")
                #expect(
                    unnamed.text.hasSuffix(
                        "Plan: 0 to add, 0 to change, 0 to replace, 0 to delete, 3 to adopt, 0 unchanged.\n"
                    )
                )
                let host = shop.server.url.dropFirst("http://".count)
                let warning =
                    "warning: the pictures of 'mug' (product 1) were not compared: "
                    + "\(host) is neither the market's host nor named in `market.picture_hosts`\n"
                #expect(unnamed.errorText.contains(warning), "\(unnamed.errorText)")

                var manifest = ShopManifest.three
                manifest.market += "\n  picture_hosts: [127.0.0.1]"
                manifest["mug"].images = ["images/5.png"]
                try shop.change(to: manifest)
                let named = try await shop.program(arguments, environment: environment).run()
                #expect(!named.errorText.contains("not compared"), "\(named.errorText)")
                // The picture that differs shows, the others agree.
                #expect(named.text.contains(", 1 to replace, 0 to delete, 3 to adopt"), "\(named.text)")
            }
        }
    }
}

extension CommandSandbox {
    /// Runs a command whose stdout is a pipe without a reader; its exit code is the last line of stderr.
    fileprivate func unread(_ command: String) async throws -> Program.Output {
        try await sh("rm -f pipe; mkfifo pipe; true <pipe & exec 3>pipe; wait; openmarket \(command) >&3; echo $? >&2")
    }
}
