import ArgumentParser
import FoundationEssentials
import Logging
import OpenMarket
import OpenMarketDescription
import OpenMarketServer
import ServiceLifecycle

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A walkthrough in one command, on a market of its own.",
        discussion: "Serves, plans, applies, changes, plans, applies and exports, in a temporary folder."
    )

    @Option(.api, "The market's API. (default: v2b)", as: .profile)
    var api: ServedProfile?
    @Flag(.keep, "Keep the folder and say where it is.")
    var keep = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let context = output.context(logging: "openmarket.server", at: .critical, reader: .streaming)
        let console = context.console
        let profile = api ?? .v2b
        let folder = FileManager.default.temporaryDirectory.path + "/openmarket-demo-" + UUID().uuidString
        try Self.lay(out: folder)
        defer { if !keep { try? FileManager.default.removeItem(atPath: folder) } }

        let vendor = Vendor(name: "demo", identifier: UUID().uuidString.lowercased(), secret: Secret("demo-secret"))
        let (port, announce) = AsyncStream.makeStream(of: Int.self)
        let server = try await OpenMarketServer(
            configuration: ServerConfiguration(
                profiles: [profile],
                databasePath: folder + "/market.db",
                imagesDirectory: folder + "/market-images",
                port: 0,
                vendors: [vendor]
            ),
            logger: context.logger,
            onReady: { announce.yield($0) }
        )

        var quiet = Logger(label: "openmarket.demo")
        quiet.logLevel = .critical
        let services = ServiceGroup(services: [server], logger: quiet)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            group.addTask {
                guard let port = await port.first(where: { _ in true }) else { return }
                let url = "http://127.0.0.1:\(port)"
                try console.write("A market of the \(profile) kind listens on \(url).\n")
                try await DemoWalkthrough(
                    folder: folder,
                    url: url,
                    profile: profile,
                    vendor: vendor,
                    output: output,
                    context
                ).run()
            }
            // Whichever ends first ends the demo: the walkthrough when it is through, the server only when it fails.
            let first = await group.nextResult()
            await services.triggerGracefulShutdown()
            try first?.get()
            try await group.next()
        }
        if keep { console.note("\nEverything is in \(folder)") }
    }

    /// Writes the manifest and its pictures.
    private static func lay(out folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder + "/images", withIntermediateDirectories: true)
        try FileManager.default.write(DemoShop.before, to: folder + "/openmarket.yaml")
        for picture in DemoShop.pictures {
            try Data(picture.drawing.png()).write(to: URL(fileURLWithPath: folder + "/" + picture.path))
        }
    }
}

extension FileManager {
    fileprivate func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}
