import ArgumentParser
import FoundationEssentials
import Logging
import OpenMarket
import OpenMarketServer
import ServiceLifecycle

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "The whole story in one command, on a market of its own.",
        discussion: "Serves, plans, applies, changes, plans, applies and exports, in a temporary folder."
    )

    @Option(help: ArgumentHelp("The market's API. (default: v2b)", valueName: "profile"))
    var api: ProfileOption?
    @Flag(help: "Keep the folder and say where it is.")
    var keep = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = Settings(environment: ProcessInfo.processInfo.environment)
        let console = try output.console(settings: settings)
        let profile = try settings.value(api, "api") { ProfileOption(argument: $0) }?.profile ?? .v2b
        let folder = FileManager.default.temporaryDirectory.path + "/openmarket-demo-" + UUID().uuidString
        try Self.lay(out: folder)
        let keeps = try settings.isOn(keep, "keep")
        defer { if !keeps { try? FileManager.default.removeItem(atPath: folder) } }

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
            logger: output.logger("openmarket.server", settings: settings, standard: .critical)
        ) { announce.yield($0) }

        var quiet = Logger(label: "openmarket.demo")
        quiet.logLevel = .critical
        let services = ServiceGroup(services: [server], logger: quiet)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            group.addTask {
                guard let port = await port.first(where: { _ in true }) else { return }
                try await tell(
                    Story(folder: folder, url: "http://127.0.0.1:\(port)", profile: profile, vendor: vendor),
                    console: console
                )
            }
            // Whichever ends first ends the demo: the story when it is told, the server only when it fails.
            let first = await group.nextResult()
            await services.triggerGracefulShutdown()
            try first?.get()
            try await group.next()
        }
        if keeps { console.note("\nEverything is in \(folder)") }
    }

    private struct Story {
        let folder: String
        let url: String
        let profile: MarketProfile
        let vendor: Vendor
    }

    private func tell(_ story: Story, console: Console) async throws {
        // The story has its own market: settings of yours must not lead it to another one.
        for variable in ProcessInfo.processInfo.environment.keys where variable.hasPrefix("OPENMARKET_") {
            unsetenv(variable)
        }
        // The commands read credentials where every command reads them.
        setenv("OPENMARKET_IDENTIFIER", story.vendor.identifier, 1)
        setenv("OPENMARKET_SECRET", story.vendor.secret.revealed, 1)
        setenv("OPENMARKET_URL", story.url, 1)
        setenv("OPENMARKET_API", story.profile.rawValue, 1)
        // So that the manifest is found, and named, as a person would have it.
        guard FileManager.default.changeCurrentDirectoryPath(story.folder) else {
            throw CommandFailure(.failure, "cannot work in \(story.folder)")
        }

        func step(_ title: String, _ arguments: [String]) async throws {
            try console.write("\n" + console.outputStyle(.bold, "── \(title)") + "\n")
            try console.write(console.outputStyle(.dim, "$ openmarket \(arguments.joined(separator: " "))") + "\n")
            var command = try OpenMarketCommand.parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        }

        try console.write("A market of the \(story.profile) kind listens on \(story.url).\n")
        try await step("Is the manifest all right?", ["validate"])
        try await step("What would change?", ["plan"])
        try await step("Make it so", ["apply", "--yes"])
        try FileManager.default.write(DemoShop.after, to: "openmarket.yaml")
        try await step("The mug costs more, the lamp's picture changes: what now?", ["plan"])
        try await step("Only that is sent", ["apply", "--yes"])
        try await step("The whole catalog as CSV", ["export", "-o", "catalog.csv"])
        try console.write(String(decoding: FileBytes.read("catalog.csv"), as: UTF8.self))
        try await step("Nothing is left to do", ["plan"])
    }

    /// Writes the manifest and its pictures.
    private static func lay(out folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder + "/images", withIntermediateDirectories: true)
        try FileManager.default.write(DemoShop.before, to: folder + "/openmarket.yaml")
        for picture in DemoShop.pictures {
            guard let data = Data(base64Encoded: picture.base64, options: .ignoreUnknownCharacters) else {
                throw CommandFailure(.failure, "the demo's picture \(picture.path) is damaged")
            }
            try data.write(to: URL(fileURLWithPath: folder + "/" + picture.path))
        }
    }
}

extension FileManager {
    fileprivate func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}
