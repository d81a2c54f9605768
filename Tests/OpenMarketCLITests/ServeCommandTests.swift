import Dispatch
import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// What `serve` says and leaves: the shop that it uses, a seed, signals, its options.
@Suite(.timeLimit(.minutes(2)))
struct ServeCommandTests: ~Copyable {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func serve(_ line: String, environment: [String: String] = [:]) -> Program {
        let vendor = ["OPENMARKET_IDENTIFIER": ReferenceServer.identifier, "OPENMARKET_SECRET": ReferenceServer.secret]
        let all = vendor.merging(environment) { $1 }
        return Program.openmarket("serve --port 0 " + line, in: folder.path, environment: all)
    }

    /// What a server says on stderr before it listens; requests are not logged.
    private func introduction(_ line: String) async throws -> String {
        let ended = try await serve(line).run { process in
            try await process.line(containing: "listening on")
            process.send(.terminate)
        }
        #expect(ended.output.status == 0)
        return ended.output.errorText
    }

    @Test func `a server says which shop it uses, a new one and an ignored seed even if it is quiet`() async throws {
        #expect(try await introduction("-q --database a.db --seed 3") == "a.db: a new shop\n")
        #expect(
            try await introduction("--database a.db --seed 5")
                == "a.db: 6 products\nwarning: seed ignored: a.db has 6 products\n"
        )
        #expect(
            try await introduction("-q --database a.db --seed 5")
                == "warning: seed ignored: a.db has 6 products\n"
        )
        #expect(try await introduction("--database a.db") == "a.db: 6 products\n")
        #expect(try await introduction("-q --database a.db") == "")
    }

    @Test func `a seed that a signal interrupts leaves an empty shop, which the next one fills`() async throws {
        let ended = try await serve("--database part.db --seed 100000").run { process in
            try await process.line(containing: "part.db: a new shop", on: .stderr)
            process.send(.terminate)
        }
        #expect(ended.output.status == 130)
        // On a busy machine, how far it is may be said in between.
        let words = ended.output.errorText
        #expect(words.hasPrefix("part.db: a new shop\n") && words.hasSuffix("error: interrupted\n"), "\(words)")
        #expect(ended.output.text == "")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/part-images")
        #expect(files.filter { $0.contains("/") } == [])
        #expect(try await introduction("--database part.db --seed 2") == "part.db: 0 products\n")
        #expect(try await introduction("--database part.db") == "part.db: 4 products\n")
    }

    @Test(arguments: [RunningProcess.Signal.interrupt, .terminate, .hangUp], [false, true])
    func `a temporary shop is gone after any signal`(signal: RunningProcess.Signal, whileSeeding: Bool) async throws {
        // A vendor is made and shown before the seed.
        let program = serve(
            "--temporary --seed " + (whileSeeding ? "100000" : "20"),
            environment: ["TMPDIR": folder.path, "OPENMARKET_IDENTIFIER": ""]
        )
        let ended = try await program.run { process in
            if whileSeeding {
                try await process.line(containing: "OPENMARKET_SECRET=", on: .stderr)
            } else {
                try await process.line(containing: "listening on")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
            process.send(signal)
        }
        #expect(ended.output.status == (whileSeeding ? 130 : 0))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func `a second signal ends a server that waits for a request, and its temporary shop`() async throws {
        let faults = folder.path + "/faults.yaml"
        try Data("rules: [{path: /items/1, fault: {latency: 3600s}}]".utf8).write(to: URL(fileURLWithPath: faults))
        let shops = folder.path + "/shops"
        try FileManager.default.createDirectory(atPath: shops, withIntermediateDirectories: false)
        let program = serve("--temporary --faults \(faults)", environment: ["TMPDIR": shops])
        let ended = try await program.run { process in
            let line = try await process.line(containing: "listening on")
            let url = "http://127.0.0.1:" + String(try #require(line.firstMatch(of: #/:([0-9]+) /#)?.1))
            DispatchQueue(label: "request").async { _ = try? HTTPExchange.send("GET", url + "/items/1") }
            // Until the request has come, and after the first signal until no connection is taken.
            let none = Array(#""seen":0"#.utf8)
            while try HTTPExchange.send("GET", url + "/_faults").body.firstRange(of: none) != nil {}
            process.send(.terminate)
            while (try? HTTPExchange.send("GET", url + "/_faults")) != nil {}
            process.send(.terminate)
        }
        #expect(ended.output.status == 130)
        #expect(try FileManager.default.contentsOfDirectory(atPath: shops) == [])
    }

    @Test func `a server goes on after a hang-up that nohup has ignored`() async throws {
        let program = serve("--database kept.db")
        let line = "trap '' HUP; exec '\(program.path)' \(program.arguments.joined(separator: " "))"
        let shell = Program("/bin/sh", ["-c", line], environment: program.environment, folder: program.folder)
        let ended = try await shell.run { process in
            let line = try await process.line(containing: "listening on")
            let port = try #require(line.firstMatch(of: #/:([0-9]+) /#)?.1)
            process.send(.hangUp)
            let reply = try HTTPExchange.send("GET", "http://127.0.0.1:\(port)/healthChecker")
            process.send(.terminate)
            return reply.status
        }
        #expect(ended.value == 200)
        #expect(ended.output.status == 0)
    }

    @Test(arguments: [
        (
            ["--allow-origin", "http://*.example.org"],
            "The value 'http://*.example.org' is invalid for '--allow-origin <origin>'",
            ": write each origin in full"
        ),
        (
            ["--allow-origin", "https://a.example/x"],
            "The value 'https://a.example/x' is invalid for '--allow-origin <origin>'",
            "write each origin in full, as browsers do: https://app.example"
        ),
        (
            ["--public-url", "https://user:pass@shop.example"], "--public-url must not hold a user or a password",
            "help: replies show it to everybody"
        ),
    ])
    func `an address that cannot work is refused with what to write`(
        _ arguments: [String],
        _ message: String,
        _ help: String
    ) async throws {
        let ran = try await Program(Openmarket.path, ["serve", "--port", "0"] + arguments, folder: folder.path).run()
        #expect(ran.status == 64)
        #expect(ran.errorText.contains(message) && ran.errorText.contains(help), "\(ran.errorText)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
}
