import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketWorkflow

/// Exports that are killed or stopped, and what the next run makes of it.
@Suite(.timeLimit(.minutes(5)))
struct ResumedExportTests {
    /// A market with 333 products on v2, which are four pages, and 63 on v1, which are as many; ours are the newest three.
    private static func open(_ api: String, _ body: (ReliabilitySandbox) async throws -> Void) async throws {
        try await ReliabilitySandbox.open(api, .plain(3)) { sandbox in
            try appear(api.hasPrefix("v1") ? 60 : 330, sandbox)
            try await sandbox.applyUntilDone()
            try await body(sandbox)
        }
    }

    private static func appear(_ count: Int, _ sandbox: ReliabilitySandbox, fault: String = "appear") throws {
        try sandbox.server.setFaults("rules:\n  - {path: /, times: 1, fault: {\(fault): \(count)}}\n")
        _ = try HTTPExchange.send("GET", sandbox.server.url + "/")
        try sandbox.server.setFaults()
    }

    private static func rule(_ sandbox: ReliabilitySandbox, path: String? = nil, nth: Int) -> String {
        let path = path ?? (sandbox.api.hasPrefix("v1") ? "/items/*" : "/api/products")
        return "rules:\n  - {method: GET, path: '\(path)', nth: \(nth), fault: {latency: 3600s}}\n"
    }

    /// How many replies of a kind the file beside an export has, whole.
    private static func kept(_ kind: CheckpointFile.Kind, of arguments: [String], _ sandbox: ReliabilitySandbox) -> Int
    {
        guard let name = arguments.first(where: { $0.contains(".") }), let bytes = try? sandbox.read(".\(name).resume")
        else {
            return 0
        }
        return records(of: kind, in: bytes)
    }

    /// How many records of a kind the bytes of a checkpoint have, whole.
    static func records(of kind: CheckpointFile.Kind, in bytes: [UInt8]) -> Int {
        // Three words before each, the lowest byte first: that of the kind is the uppermost of the first word, and the length
        // is in its five lowest ones.
        var (count, place) = (0, 0)
        while place + 24 <= bytes.count {
            let length = bytes[place..<place + 5].reversed().reduce(0) { $0 << 8 | Int($1) }
            let isOfKind = bytes[place + 7] == kind.rawValue
            place += 24 + length
            if isOfKind, place <= bytes.count { count += 1 }
        }
        return count
    }

    /// Runs an export until a request is held and the replies before it are kept, and stops it there.
    ///
    /// The market has answered when a reply may still be on its way into the file.
    @discardableResult
    private static func stop(
        _ arguments: [String],
        _ sandbox: ReliabilitySandbox,
        path: String? = nil,
        at request: Int,
        keeping count: Int? = nil,
        by signal: RunningProcess.Signal = .kill,
        meanwhile: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> Program.Output {
        try sandbox.server.setFaults(rule(sandbox, path: path, nth: request))
        let output = try await sandbox.program(["export"] + arguments).run { process in
            try await sandbox.untilEnd(of: process) {
                try await sandbox.waitUntil { try sandbox.server.fired() == [1] }
                let kind = path == nil ? CheckpointFile.Kind.page : .product
                try await sandbox.waitUntil { kept(kind, of: arguments, sandbox) >= count ?? request - 1 }
                try await meanwhile()
                process.send(signal)
            }
        }.output
        // Nothing is held any longer, and requests are counted from here on.
        try sandbox.server.setFaults(rule(sandbox, path: path, nth: 1_000_000))
        return output
    }

    /// What is in the folder beside the files that are to be there.
    private static func leftOvers(_ sandbox: ReliabilitySandbox) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: sandbox.folder)
            .filter { $0.hasSuffix(".resume") || $0.hasSuffix(".partial") }
    }

    @Test func `every format goes on, and reads no detail twice`() async throws {
        try await Self.open("v2b") { sandbox in
            for name in ["a.tsv", "a.jsonl", "a.csv.gz", "a.sqlite", "a.yaml"] {
                #expect(try await sandbox.openmarket("export", "-o", "calm-" + name).status == 0)
                try await Self.stop(["-o", name], sandbox, at: 4)
                let output = try await sandbox.openmarket("export", "-o", name)
                #expect(output.errorText.contains(": 3 pages are there already\n"), "\(name): \(output.errorText)")
                #expect(try sandbox.read(name) == sandbox.read("calm-" + name), "\(name)")
            }
            // The details of the second page are read when it stops.
            let arguments = ["-o", "b.jsonl", "--details"]
            #expect(try await sandbox.openmarket("export", "-o", "calm-b.jsonl", "--details").status == 0)
            try await Self.stop(arguments, sandbox, path: "/api/products/*", at: 151)
            #expect(try await sandbox.program(["export"] + arguments).run().status == 0)
            #expect(try sandbox.server.seen() == [333 - 150])
            #expect(try sandbox.read("b.jsonl") == sandbox.read("calm-b.jsonl"))
            #expect(try Self.leftOvers(sandbox) == [])
        }
    }

    @Test(arguments: ["v1b", "v2b"])
    func `what moved meanwhile has it start again, and an edit does not`(api: String) async throws {
        try await Self.open(api) { sandbox in
            for change in ["appear", "vanish"] {
                try await Self.stop(["-o", "catalog.csv"], sandbox, at: 4)
                // Of the pages that were read on v1, none ends where a newer product would be.
                try Self.appear(api == "v1b" && change == "vanish" ? 40 : 1, sandbox, fault: change)
                let output = try await sandbox.openmarket("export", "-o", "catalog.csv")
                #expect(output.status == 0, "\(change): \(output.errorText)")
                if api == "v2b" || change == "vanish" {
                    #expect(output.errorText.hasPrefix("The catalog moved since "), "\(output.errorText)")
                    #expect(output.errorText.contains(": starting again\n"))
                }
                _ = try await sandbox.openmarket("export", "-o", "calm.csv")
                #expect(try sandbox.read("catalog.csv") == sandbox.read("calm.csv"), "\(change)")
                #expect(try Self.leftOvers(sandbox) == [])
                try Self.appear(api == "v1b" ? 40 : 1, sandbox)
            }
            _ = try await sandbox.openmarket("export", "-o", "calm.csv")
            try await Self.stop(["-o", "catalog.csv"], sandbox, at: 4)
            var edited = Assortment.plain(3)
            edited.products[0].price += 5
            try sandbox.want(edited)
            try await sandbox.applyUntilDone()
            let output = try await sandbox.openmarket("export", "-o", "catalog.csv")
            #expect(output.errorText.hasPrefix("Resuming the export that began at "), "\(output.errorText)")
            // Of v2 the edited row was read before the kill, as an export that paused for so long would have.
            let isSame = try sandbox.read("catalog.csv") == sandbox.read("calm.csv")
            #expect(isSame == (api == "v2b"))
            let began = try JSONValue.parse(sandbox.read("catalog.csv.certificate.json"))["started_at"]?.text
            #expect(began.map { output.errorText.contains($0) } == true)
        }
    }

    @Test func `what is torn, damaged, another market's or not wanted`() async throws {
        try await Self.open("v2b") { sandbox in
            _ = try await sandbox.openmarket("export", "-o", "calm.csv")
            let calm = try sandbox.read("calm.csv")
            func resume(
                _ words: String,
                _ arguments: [String] = [],
                url: String? = nil,
                change: (inout [UInt8]) -> Void = { _ in }
            ) async throws {
                try await Self.stop(["-o", "catalog.csv"], sandbox, at: 4)
                var bytes = try sandbox.read(".catalog.csv.resume")
                change(&bytes)
                try sandbox.write(".catalog.csv.resume", bytes)
                let output = try await sandbox.program(
                    ["export", "-o", "catalog.csv"] + arguments,
                    environment: url.map { ["OPENMARKET_URL": $0] } ?? [:]
                ).run()
                #expect(output.status == 0)
                #expect(output.errorText.contains(words), "\(output.errorText)")
                #expect(output.errorText.contains("Resuming the export") == words.contains("there already"))
                // Details and the market's other name show in the rows.
                if arguments != ["--details"], url == nil { #expect(try sandbox.read("catalog.csv") == calm) }
                #expect(try Self.leftOvers(sandbox) == [])
            }
            try await resume(": 3 pages are there already\n")
            try await resume(": 3 pages are there already\n", ["--parallelism", "8"])
            try await resume(": 2 pages are there already\n") { $0.removeLast(10) }
            try await resume(": 3 pages are there already\n") { $0 += [0xA2, 0] }
            try await resume("is damaged: starting again\n") { $0[$0.count / 2] ^= 1 }
            try await resume("is damaged: starting again\n") { $0[8] ^= 1 }
            try await resume("Exported 333 products") { $0 = [] }
            try await resume("Exported 333 products", ["--no-resume"])
            try await resume("is of another market, choice of details or version: starting again\n", ["--details"])
            let other = sandbox.server.url.replacing("127.0.0.1", with: "localhost")
            try await resume("is of another market, choice of details or version: starting again\n", url: other)
        }
    }

    @Test func `two at once, and one that is stopped by hand`() async throws {
        try await Self.open("v2b") { sandbox in
            _ = try await sandbox.openmarket("export", "-o", "calm.csv")
            try await Self.stop(["-o", "catalog.csv"], sandbox, at: 3) {
                let other = try await sandbox.openmarket("export", "-o", "catalog.csv")
                #expect(other.status == 0)
                #expect(other.errorText.hasPrefix("Another export of the same file is running: "))
                #expect(try sandbox.read("catalog.csv") == sandbox.read("calm.csv"))
            }
            try await Self.stop(["-o", "catalog.csv"], sandbox, at: 4, by: .interrupt)
            let stopped = try await Self.stop(["-o", "catalog.csv"], sandbox, at: 4, keeping: 4, by: .interrupt)
            #expect(stopped.status == 130)
            #expect(
                stopped.errorText.hasSuffix(
                    "Kept 4 pages: run the same export again within a day to resume there\nerror: interrupted\n"
                )
            )
            let output = try await sandbox.openmarket("export", "-o", "catalog.csv")
            #expect(output.errorText.contains(": 4 pages are there already\n"), "\(output.errorText)")
            #expect(try sandbox.read("catalog.csv") == sandbox.read("calm.csv"))
            #expect(try Self.leftOvers(sandbox) == [])
        }
    }
}
