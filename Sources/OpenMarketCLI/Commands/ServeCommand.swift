import ArgumentParser
import FoundationEssentials
import Logging
import OpenMarket
import OpenMarketFiles
import OpenMarketServer
import OpenMarketWorkflow
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs an Open Market server on an embedded database.",
        discussion: """
            Prints one line when it is ready: listening on http://127.0.0.1:8080 (v2b, v1b). Vendors come from \
            --vendors, or are those of the database and one from OPENMARKET_IDENTIFIER and OPENMARKET_SECRET. Without \
            any, one is created and shown once. A browser at / shows the shop.

            Examples:
              openmarket serve
              openmarket serve --port 0 --api v1b --database shop.db
              openmarket serve --vendors vendors.yaml --strict
            """
    )

    @Option(help: "At most one v1 and one v2, over one database. (default: v2b,v1b)", as: .profiles)
    var api: [ServedProfile]?
    @Option(help: "The SQLite file. (default: openmarket-shop.db)", as: .text("file"))
    var database: String?
    @Option(help: "The pictures' folder. (default: the database's name with -images)", as: .text("folder"))
    var images: String?
    @Option(help: "The address to listen on. (default: 127.0.0.1)", as: .text("host"))
    var host: String?
    @Option(help: "The port; 0 takes a free one. (default: 8080)", as: .port)
    var port: UInt16?
    @Option(help: "A YAML file of vendors: name, identifier, secret.", as: .text("file"))
    var vendors: String?
    @Flag(help: "Enforce the documented limits; the real markets did not.")
    var strict = false
    @Option(help: "A YAML file of failures to inject.", as: .text("file"))
    var faults: String?
    @Option(help: "How long v1 answers 404 for a product after a write. (default: 0)", as: .duration)
    var readAfterWriteDelay: Duration?
    @Option(
        help: "The largest request body in bytes. (default: 10000000)",
        as: .number(from: 1, to: .max, called: "bytes")
    )
    var bodyLimit: UInt32?
    @Option(
        help: "Let pages of this origin (https://app.example) call the API from a browser; * for all; repeatable.",
        as: .origin
    )
    var allowOrigin: [String] = []
    @Option(help: "How addresses in replies begin. (default: the requested host)", as: .text("url"))
    var publicURL: String?
    @Flag(help: "Trust X-Forwarded-Proto and X-Forwarded-Host: only behind a proxy that sets them.")
    var trustProxy = false
    @Option(
        help: "Fill an empty database with so many products in each catalog, or with the example korean-shop.",
        as: .seed
    )
    var seed: ShopSeed?
    @Option(help: "The random seed: the same value gives the same products. (default: 1)", as: .number())
    var seedValue: UInt64?
    @Flag(help: "Keep database and pictures in a temporary folder that is removed at the end.")
    var temporary = false
    @Flag(
        help:
            "Enable POST /_shop/reset, which deletes all products and restores the start; needs --temporary."
    )
    var control = false
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        let context = output.context(logging: "openmarket.server", at: .info)
        let folder = try temporaryFolder()
        let clearAway = { @Sendable in
            if let folder { try? FileManager.default.removeItem(atPath: folder) }
        }
        defer { clearAway() }
        // Installed before there is anything to remove. The server ends its remaining requests a moment earlier.
        try await withStoppingSignals(patience: OpenMarketServer.stopPatience + .seconds(5), atLast: clearAway) {
            try await serve(context, temporaryFolder: folder, until: $0)
        }
    }

    private func serve(
        _ context: CommandContext,
        temporaryFolder folder: String?,
        until signals: UnixSignalsSequence
    ) async throws {
        let console = context.console
        let configuration = try configuration(context.environment, temporaryFolder: folder)
        let profiles = configuration.profiles.map(\.rawValue).joined(separator: ", ")
        let seeding = ProgressReporter("Seeding", unit: "products", console: console)
        defer { seeding.finish() }
        let server = try await OpenMarketServer(configuration: configuration, logger: context.logger) { port in
            seeding.finish()
            // Scripts wait for this line, so it is the only one on stdout.
            let url = NetworkAddress.url(host: configuration.host, port: port)
            try? console.write("listening on \(url) (\(profiles))\n")
            for url in (try? NetworkAddress.urls(host: configuration.host, port: port)) ?? [] {
                console.note("on this network: \(url)")
            }
        } onOpening: { opening in
            if folder == nil { Self.introduce(configuration, found: opening.foundProducts, console) }
            guard let vendor = opening.madeVendor else { return }
            console.printError(
                """
                created a vendor, shown only now:
                  OPENMARKET_IDENTIFIER=\(vendor.identifier)
                  OPENMARKET_SECRET=\(vendor.secret.revealed)
                """
            )
        } onSeeding: {
            seeding.advance(total: $0)
        }
        try await server.run(until: signals)
    }

    /// Prints which shop is served, and warns if the seed is unused because the shop has products.
    private static func introduce(_ configuration: ServerConfiguration, found: Int?, _ console: Console) {
        let database = configuration.databasePath
        // A misspelt name creates a new shop, so this is printed even with `--quiet`.
        guard let found else { return console.printError("\(database): a new shop") }
        let products = counted(found, "product")
        console.note("\(database): \(products)")
        if configuration.seed != nil, found > 0 {
            console.printError("warning: seed ignored: \(database) has \(products)")
        }
    }

    /// The folder of a temporary shop; `nil` for a permanent one.
    private func temporaryFolder() throws -> String? {
        guard temporary else { return nil }
        guard database == nil, images == nil else {
            throw CommandFailure(
                .usage,
                "--temporary does not go with --database or --images"
            )
        }
        return FileManager.default.temporaryDirectory.path + "/openmarket-serve-" + UUID().uuidString
    }

    private func configuration(_ environment: [String: String], temporaryFolder: String?) throws -> ServerConfiguration
    {
        var configuration = ServerConfiguration(
            databasePath: temporaryFolder.map { $0 + "/shop.db" } ?? database ?? "openmarket-shop.db",
            imagesDirectory: images
        )
        configuration.isStrict = strict
        configuration.trustsProxy = trustProxy
        if let api { configuration.profiles = api }
        for (flag, path) in [("--database", database), ("--images", images)] where path == "" {
            throw CommandFailure(.usage, "\(flag) is given without a name")
        }
        for file in configuration.databaseFiles {
            try FileRegister.current.declare(file, named: "--database", as: .checkedByReader)
        }
        if let host { configuration.host = host }
        if let port { configuration.port = Int(port) }
        if let vendors {
            configuration.vendors = try Vendor.list(yaml: InputFile.bytes(of: vendors), file: vendors)
        } else {
            configuration.additionalVendor = Vendor(environment: environment)
        }
        if let readAfterWriteDelay { configuration.readAfterWriteDelay = readAfterWriteDelay }
        if let bodyLimit { configuration.bodyLimit = Int(bodyLimit) }
        configuration.allowedOrigins = allowOrigin
        configuration.publicURL = try normalizedURL(
            publicURL,
            of: "--public-url",
            insteadOfCredentials: "replies show it to everybody; let the proxy in front ask for them"
        )
        configuration.seed = seed
        if let seedValue {
            guard case .drawn(let products, _) = seed else {
                throw CommandFailure(.usage, "--seed-value is for --seed with a number of products")
            }
            configuration.seed = .drawn(products: products, value: seedValue)
        }
        guard !control || temporaryFolder != nil else {
            throw CommandFailure(
                .usage,
                "--control lets anybody delete all products: it needs --temporary"
            )
        }
        configuration.allowsReset = control
        configuration.faults = try faults.map { try FaultPlan(yaml: InputFile.bytes(of: $0), file: $0) }
        try FileRegister.current.check()
        return configuration
    }
}
