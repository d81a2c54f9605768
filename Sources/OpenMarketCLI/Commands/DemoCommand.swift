import ArgumentParser
import FoundationEssentials
import Logging
import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketServer
import SystemPackage

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A walkthrough in one command, on a market of its own.",
        discussion: "Serves, plans, applies, changes, plans, applies and exports, in a temporary folder."
    )

    @Option(help: "The market's API. (default: v2b)", as: .profile)
    var api: ServedProfile?
    @Flag(help: "Keep the folder and print its path.")
    var keep = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let context = output.context(logging: "openmarket.server", at: .critical, reader: .streaming)
        let folder = FileManager.default.temporaryDirectory.path + "/openmarket-demo-" + UUID().uuidString
        let clearAway = { @Sendable [keep] in
            if !keep { try? FileManager.default.removeItem(atPath: folder) }
        }
        defer { clearAway() }
        // Installed before there is anything to remove.
        try await withCancellation(atLast: clearAway) { [self] in
            do {
                try await show(in: folder, context)
            } catch  where Task.isCancelled {
                // The errors of the demo's commands are useless, because its shop is gone.
                throw CancellationError()
            }
        }
        if keep { context.console.note("\nEverything is in \(folder)") }
    }

    /// Serves the shop and runs the walkthrough in a new folder.
    private func show(in folder: String, _ context: CommandContext) async throws {
        let console = context.console
        let profile = api ?? .v2b
        try Self.lay(out: folder)

        let vendor = Vendor(name: "demo", identifier: UUID().uuidString.lowercased(), secret: Secret("demo-secret"))
        let (port, announce) = AsyncStream.makeStream(of: Int.self)
        var configuration = ServerConfiguration(profiles: [profile], databasePath: folder + "/market.db")
        configuration.port = 0
        configuration.vendors = [vendor]
        let server = try await OpenMarketServer(
            configuration: configuration,
            logger: context.logger,
            onReady: { announce.yield($0) }
        )

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
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
            // The first task to end ends the demo: the walkthrough when complete, the server only on failure.
            let first = await group.nextResult()
            group.cancelAll()
            try first?.get()
            try await group.next()
        }
    }

    private static func lay(out folder: String) throws {
        func write(_ bytes: [UInt8], _ path: String) throws {
            try AtomicFile.write(bytes, to: folder + "/" + path, permissions: AtomicFile.readableByAll)
        }
        try FileSystem.createFolder(folder + "/images", permissions: .ownerReadWriteExecute)
        try write(Array(DemoShop.before.utf8), ManifestSelection.standard)
        for picture in DemoShop.pictures { try write(picture.drawing.png(), picture.path) }
    }
}
