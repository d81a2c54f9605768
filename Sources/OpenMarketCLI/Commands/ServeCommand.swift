import ArgumentParser
import Logging
import OpenMarket
import OpenMarketServer

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs an Open Market server on an embedded database.",
        discussion: """
            Prints one line when it is ready: listening on http://127.0.0.1:8080 (v2b, v1b). Vendors come from \
            --vendors, or one from OPENMARKET_IDENTIFIER and OPENMARKET_SECRET; with neither, one is made and shown once.
            """
    )

    @Option(
        name: .setting(.api),
        help: ArgumentHelp("At most one v1 and one v2, over one database. (default: v2b,v1b)", valueName: "profiles")
    )
    var api: String?
    @Option(
        name: .setting(.database),
        help: ArgumentHelp("The SQLite file. (default: openmarket-shop.db)", valueName: "file")
    )
    var database: String?
    @Option(
        name: .setting(.images),
        help: ArgumentHelp("The pictures' folder. (default: the database's name with -images)", valueName: "folder")
    )
    var images: String?
    @Option(name: .setting(.host), help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?
    @Option(name: .setting(.port), help: "The port; 0 takes a free one. (default: 8080)")
    var port: UInt16?
    @Option(
        name: .setting(.vendors),
        help: ArgumentHelp("A YAML file of vendors: name, identifier, secret.", valueName: "file")
    )
    var vendors: String?
    @Flag(name: .setting(.strict), help: "Enforce the documented limits; the real markets did not.")
    var strict = false
    @Option(name: .setting(.faults), help: ArgumentHelp("A YAML file of failures to inject.", valueName: "file"))
    var faults: String?
    @Option(
        name: .setting(.readAfterWriteDelay),
        help: ArgumentHelp("How long v1 answers 404 for what was just written. (default: 0)", valueName: "time")
    )
    var readAfterWriteDelay: DurationOption?
    @Option(
        name: .setting(.bodyLimit),
        help: ArgumentHelp("The largest request body in bytes. (default: 10000000)", valueName: "bytes")
    )
    var bodyLimit: UInt32?
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = Settings.current
        let console = try output.console(settings: settings)
        let configuration = try configuration(settings)
        let logger = try output.logger("openmarket.server", settings: settings, standard: .info)
        let profiles = configuration.profiles.map(\.rawValue).joined(separator: ", ")
        let server = try await OpenMarketServer(configuration: configuration, logger: logger) { port in
            // Scripts wait for this line, so it is the only one on stdout.
            let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
            try? console.write("listening on http://\(host):\(port) (\(profiles))\n")
        }
        if let vendor = server.madeVendor {
            console.complain(
                """
                made a vendor, shown only now:
                  OPENMARKET_IDENTIFIER=\(vendor.identifier)
                  OPENMARKET_SECRET=\(vendor.secret.revealed)
                """
            )
        }
        try await server.runUntilSignalled()
    }

    private func configuration(_ settings: Settings) throws -> ServerConfiguration {
        let names = try settings.text(api, .api) ?? "v2b,v1b"
        let profiles = try names.split(separator: ",").map { name in
            guard let profile = MarketProfile(name: name.filter { $0 != " " }) else {
                throw CommandFailure(
                    .usage,
                    "\(Setting.api.flag): '\(name)' is no profile; there are v1a, v1b, v2a and v2b"
                )
            }
            return profile
        }
        let database = try settings.text(database, .database) ?? "openmarket-shop.db"
        let stem = database.hasSuffix(".db") ? String(database.dropLast(3)) : database
        return ServerConfiguration(
            profiles: profiles,
            databasePath: database,
            imagesDirectory: try settings.text(images, .images) ?? stem + "-images",
            host: try settings.text(host, .host) ?? "127.0.0.1",
            port: try settings.value(port, .port).map { Int($0) } ?? 8080,
            vendors: try vendorList(settings),
            isStrict: try settings.isOn(strict, .strict),
            readAfterWriteDelay: try settings.value(readAfterWriteDelay, .readAfterWriteDelay)?.duration ?? .zero,
            bodyLimit: try settings.value(bodyLimit, .bodyLimit).map { Int($0) } ?? 10_000_000,
            faults: try settings.text(faults, .faults).map { try FaultPlan(yaml: FileBytes.read($0), file: $0) }
        )
    }

    private func vendorList(_ settings: Settings) throws -> [Vendor] {
        if let file = try settings.text(vendors, .vendors) {
            return try Vendor.list(yaml: FileBytes.read(file), file: file)
        }
        guard let identifier = settings.environment["OPENMARKET_IDENTIFIER"], !identifier.isEmpty,
            let secret = settings.environment["OPENMARKET_SECRET"], !secret.isEmpty
        else { return [] }
        return [Vendor(name: "openmarket", identifier: identifier, secret: Secret(secret))]
    }
}
