import FoundationEssentials
@testable import OpenMarketTestSupport

extension Program {
    /// The tool with a line of arguments, none of which has blanks.
    static func openmarket(
        _ line: String,
        in folder: String,
        environment: [String: String] = [:],
        input: String = "/dev/null"
    ) -> Program {
        let words = line.split(separator: " ").map(String.init)
        return Program(Openmarket.path, words, environment: environment, folder: folder, input: input)
    }
}

/// A seller's folder with a manifest and pictures, and a market of its own beside it.
struct CommandSandbox: Sendable {
    let folder: String
    let api: String
    let server: ReferenceServer

    /// Opens a shop, and closes it whatever the body does; the pictures that the manifest names exist.
    ///   - faults: what goes wrong at the market.
    static func open(
        _ api: String = "v2b",
        _ manifest: ShopManifest = .three,
        faults: String = "rules: []\n",
        _ body: (CommandSandbox) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        // A link in the path of the temporary folder would spell the same folder in two ways.
        let root = URL(fileURLWithPath: directory.path).resolvingSymlinksInPath().path
        try await ReferenceServer.run(api, folder: root + "/market", faults: faults) { server in
            let shop = CommandSandbox(folder: root + "/shop", api: api, server: server)
            for number in 1...6 {
                try shop.write("images/\(number).png", SmallPicture.png(number))
                try shop.write("images/\(number).jpg", SmallPicture.jpeg(number))
            }
            try shop.write("openmarket.yaml", manifest.yaml)
            try await body(shop)
        }
        withExtendedLifetime(directory) {}
    }

    /// Opens a shop whose products are on the market, and forgets the requests that brought them there.
    static func applied(
        _ api: String = "v2b",
        _ manifest: ShopManifest = .three,
        _ body: (CommandSandbox) async throws -> Void
    ) async throws {
        try await open(api, manifest) { shop in
            let applied = try await shop.openmarket("apply", "--yes")
            guard applied.status == 0 else { throw Refused(description: applied.errorText) }
            try shop.server.setFaults()
            try await body(shop)
        }
    }

    /// The rows of an export.
    func rows(_ arguments: String...) async throws -> [[String: String]] {
        try StrictCSV(try await program(["export"] + arguments).run().stdout).rows
    }

    /// The names on the market, each as often as it is there.
    func names() async throws -> [String] { try await rows().compactMap { $0["name"] }.sorted() }

    /// Runs the tool in the folder; an empty value of a variable counts as unset.
    func openmarket(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program.Output {
        try await program(arguments, environment: environment).run()
    }

    /// The tool, about to be run in the folder.
    func program(_ arguments: [String], environment: [String: String] = [:]) -> Program {
        Program(Openmarket.path, arguments, environment: self.environment.merging(environment) { $1 }, folder: folder)
    }

    /// Runs the tool on a terminal that Python creates, and returns what the terminal shows as the text.
    func onTerminal(
        _ arguments: [String],
        typing: String = "",
        environment: [String: String] = [:]
    ) async throws -> Program.Output {
        try write("typed", typing)
        return try await Program(
            Openmarket.path,
            arguments,
            environment: self.environment.merging(environment) { $1 },
            folder: folder,
            input: folder + "/typed"
        ).onTerminal().run()
    }

    /// Runs a line of shell, in which `openmarket` is the tool.
    func sh(_ line: String, environment: [String: String] = [:]) async throws -> Program.Output {
        let function = "openmarket() { '\(Openmarket.path)' \"$@\"; }\n"
        return try await Program(
            "/bin/sh",
            ["-c", function + line],
            environment: self.environment.merging(environment) { $1 },
            folder: folder
        ).run()
    }

    /// What says to the tool where the market is and who we are; one request after the other, so that ids are known.
    var environment: [String: String] {
        [
            "OPENMARKET_URL": server.url,
            "OPENMARKET_API": api,
            "OPENMARKET_IDENTIFIER": ReferenceServer.identifier,
            "OPENMARKET_SECRET": ReferenceServer.secret,
            "OPENMARKET_PARALLELISM": "1",
        ]
    }

    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
        let file = URL(fileURLWithPath: folder + "/" + name)
        try FileManager.default.createDirectory(
            atPath: file.deletingLastPathComponent().path,
            withIntermediateDirectories: true
        )
        try Data(bytes).write(to: file)
    }

    func write(_ name: String, _ text: String) throws {
        try write(name, text.utf8)
    }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
    }

    func text(_ name: String) throws -> String {
        String(decoding: try read(name), as: UTF8.self)
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/" + name)
    }

    /// Lets so many products of a passer-by appear on the market.
    func fillMarket(rows: Int) throws {
        try server.setFaults("rules:\n  - path: /\n    times: 1\n    fault: {appear: \(rows)}\n")
        _ = try HTTPExchange.send("GET", server.url + "/")
        try server.setFaults()
    }

    /// Changes products without this folder's state, as another seller's computer would; each of `products` has its `id`.
    func changeElsewhere(_ products: String) async throws {
        let market = "market:\n  identifier: !env OPENMARKET_IDENTIFIER\n  secret: !env OPENMARKET_SECRET\n"
        try write("elsewhere/openmarket.yaml", market + "products:\n" + products)
        let output = try await openmarket("apply", "elsewhere", "--yes", "--adopt", "--state", "elsewhere/state.db")
        guard output.status == 0 else { throw Refused(description: output.errorText) }
        for file in ["elsewhere/state.db", "elsewhere/state.db-wal", "elsewhere/state.db-shm"] where exists(file) {
            try FileManager.default.removeItem(atPath: folder + "/" + file)
        }
    }

    struct Refused: Error, CustomStringConvertible {
        var description: String
    }

    /// Writes another manifest.
    func change(to manifest: ShopManifest) throws {
        try write("openmarket.yaml", manifest.yaml)
    }

    /// A text without what differs from run to run: folder, address, run, times.
    func normalized(_ bytes: [UInt8]) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
            .replacing(folder, with: "FOLDER")
            .replacing(server.url, with: "http://MARKET")
            .replacing(/[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}/, with: "RUN")
            .replacing(/about [0-9hmins ]+ at the rate/, with: "about TIME at the rate")
            .replacing(/process [0-9]+/, with: "process PID")
            .replacing(/(content(?:: +| \| `))sha256:[0-9a-f]{64}/) { "\($0.output.1)sha256:DIGEST" }
            .replacing(/on [^ ]+, since [0-9-]+[T ][0-9:.]+Z?/, with: "on HOST, since THEN")
        return Array(text.utf8)
    }
}
