@testable import OpenMarketTestSupport
import Testing

/// Rule 10: how runs end, and what they need for it.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EndOfRunTests {
    @Test func `no time is too long to be counted`() async throws {
        try await CommandSandbox.open { shop in
            for flag in ["--timeout", "--lock-timeout", "--settle-delay"] {
                for time in ["8760h", "31536000s"] {
                    let output = try await shop.openmarket("apply", "--yes", flag, time)
                    #expect(output.status == 0, "\(flag) \(time): \(output.errorText)")
                }
            }
        }
    }

    /// The list that `--verify` reads is held for an hour.
    @Test(arguments: [RunningProcess.Signal.interrupt, .terminate])
    func `Ctrl-C works while apply verifies`(signal: RunningProcess.Signal) async throws {
        try await CommandSandbox.open { shop in
            func held(_ nth: Int) throws {
                let rule = "{method: GET, path: /api/products, nth: \(nth), fault: {latency: 3600s}}"
                try shop.server.setFaults("rules:\n  - \(rule)\n")
            }
            // How often the list is read without --verify.
            try held(1000)
            #expect(try await shop.openmarket("apply", "--yes").status == 0)
            let lists = try shop.server.seen()[0]
            var manifest = ShopManifest.three
            manifest["mug"].price = "13000"
            try shop.change(to: manifest)
            try held(lists + 1)
            let ended = try await shop.program(["apply", "--yes", "--verify"]).run { process in
                while try shop.server.fired() != [1] { try await Task.sleep(for: .milliseconds(10)) }
                process.send(signal)
            }
            #expect(ended.output.status == 130, "\(ended.output.errorText)")
        }
    }

    /// Twenty requests at once, each with a connection and a picture, under a soft limit of 32.
    @Test func `the soft limit of open files is raised to what the parallelism needs`() async throws {
        try await CommandSandbox.open("v2b", .plain(40)) { shop in
            let output = try await shop.sh("ulimit -Sn 32; openmarket apply --yes --parallelism 40; echo $?")
            #expect(output.text.hasSuffix("\n0\n"), "\(output.errorText)")
            #expect(output.text.contains("40 added"))
        }
    }

    @Test func `history and state need no URL where the state knows one market`() async throws {
        try await CommandSandbox.applied { shop in
            let bare = [
                "OPENMARKET_URL": "", "OPENMARKET_API": "", "OPENMARKET_IDENTIFIER": "", "OPENMARKET_SECRET": "",
            ]
            let commands = [
                ["history"], ["status"], ["state", "list"], ["state", "show", "mug"], ["state", "export"],
            ]
            for command in commands {
                let known = try await shop.program(command).run()
                let found = try await shop.program(command, environment: bare).run()
                #expect(found.status == 0, "\(found.errorText)")
                #expect(found.stdout == known.stdout && !found.stdout.isEmpty)
            }
        }
    }
}
