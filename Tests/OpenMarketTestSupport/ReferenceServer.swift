import FoundationEssentials
@testable import OpenMarket

/// `openmarket serve` as a process of its own, on a port of its own.
struct ReferenceServer: Sendable {
    /// Its base URL.
    let url: String
    let process: RunningProcess

    /// The one vendor there is, and the password that the tests give to v1 items.
    static let identifier = "00000000-0000-4000-8000-00000000cafe"
    static let secret = "s3cret-of-the-tests"

    /// A writing request as the market logged it.
    struct Request: Hashable, Sendable, CustomStringConvertible {
        var method: String
        var path: String
        /// What it answered; `nil` where it did nothing.
        var status: Int?

        /// Whether it asks for a product's delete key, which changes nothing.
        var isQuestion: Bool {
            method == "POST" && (path.hasSuffix("/secret") || path.hasSuffix("/archived"))
        }

        var description: String { "\(method) \(path) \(status.map(String.init) ?? "none")" }
    }

    /// Serves the profiles of `api`, as `serve --api` takes them, while the body runs, and stops.
    ///
    /// Database, pictures and the faults file lie in the folder, so that a later server over the same folder goes on with them.
    /// With an earlier server's port it is the same market again; 0 is a free one. Control endpoints exist without a fault,
    /// too.
    @discardableResult
    static func run<Result: Sendable>(
        _ api: String,
        folder: String,
        port: Int = 0,
        faults: String = "rules: []\n",
        arguments: [String] = [],
        _ body: (ReferenceServer) async throws -> Result
    ) async throws -> Result {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(faults.utf8).write(to: URL(fileURLWithPath: folder + "/faults.yaml"))
        let program = Program(
            Openmarket.path,
            [
                "serve", "--api", api, "--port", String(port), "--database", "market.db", "--images", "pictures",
                "--faults", "faults.yaml",
            ] + arguments,
            environment: ["OPENMARKET_IDENTIFIER": identifier, "OPENMARKET_SECRET": secret],
            folder: folder
        )
        return try await program.run { process in
            let line = try await process.line(containing: "listening on ")
            let url = line.split(separator: " ").first { $0.hasPrefix("http://") }.map(String.init) ?? ""
            let value = try await body(ReferenceServer(url: url, process: process))
            // A fault may hold a request for an hour, and what the market answered is on disk: no need to wait for more.
            process.send(.kill)
            return value
        }.value
    }

    /// The port it listens on.
    var port: Int { Int(url.split(separator: ":").last ?? "") ?? 0 }

    /// Every writing request since the start or the last ``setFaults(_:)``, in order of arrival.
    func writes() throws -> [Request] {
        let reply = try HTTPExchange.send("GET", url + "/_log")
        return (try JSONValue.parse(reply.body)["requests"]?.elements ?? []).map { entry in
            Request(
                method: entry["method"]?.text ?? "",
                path: entry["path"]?.text ?? "",
                status: entry["status"]?.integer.map { Int($0) }
            )
        }
    }

    /// Waits until so many writing requests have arrived, answered or not.
    func arrived(_ count: Int) async throws {
        while try writes().count < count {
            // It is not reported when a request arrives, so the market is asked again; the test's time limit ends it.
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// How often each rule of the faults met a request.
    func fired() throws -> [Int] { try counters("fired") }

    /// How many requests each rule of the faults matched, met or not.
    func seen() throws -> [Int] { try counters("seen") }

    private func counters(_ name: String) throws -> [Int] {
        let rules = try JSONValue.parse(get("/_faults"))["rules"]?.elements ?? []
        return rules.map { Int($0[name]?.integer ?? 0) }
    }

    /// Takes other faults from now on, and empties the log.
    func setFaults(_ yaml: String = "rules: []\n") throws {
        let reply = try HTTPExchange.send("PUT", url + "/_faults", body: Array(yaml.utf8))
        guard reply.status == 200 else { throw UnexpectedReply(reply) }
    }

    /// What is at an address of this market; throws ``UnexpectedReply`` unless it answers 200.
    func get(_ address: String) throws -> [UInt8] {
        let reply = try HTTPExchange.send("GET", address.hasPrefix("/") ? url + address : address)
        guard reply.status == 200 else { throw UnexpectedReply(reply) }
        return reply.body
    }

    /// The server answered otherwise than a test needs.
    struct UnexpectedReply: Error, CustomStringConvertible {
        let description: String

        init(_ reply: HTTPExchange) {
            description = "status \(reply.status): \(String(decoding: reply.body.prefix(1000), as: UTF8.self))"
        }
    }
}
