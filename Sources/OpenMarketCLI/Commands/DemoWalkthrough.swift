import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow
import OpenMarketServer

/// The steps of `openmarket demo`: each printed command runs as if typed in a shell, in the folder of its shop.
struct DemoWalkthrough: Sendable {
    private let folder: String
    private let environment: [String: String]
    private let flags: [String]
    private let console: Console

    /// The commands inherit the environment, without variables about other shops.
    init(
        folder: String,
        url: String,
        profile: ServedProfile,
        vendor: Vendor,
        output: OutputOptions,
        _ context: CommandContext
    ) {
        self.folder = folder
        environment = context.environment.filter { !$0.key.hasPrefix("OPENMARKET_") }
            .merging([
                "OPENMARKET_URL": url, "OPENMARKET_API": profile.rawValue,
                "OPENMARKET_IDENTIFIER": vendor.identifier, "OPENMARKET_SECRET": vendor.secret.revealed,
            ]) { $1 }
        flags = (output.noColor ? ["--no-color"] : []) + (output.quiet ? ["--quiet"] : [])
        console = context.console
    }

    func run() async throws {
        guard FileManager.default.changeCurrentDirectoryPath(folder) else {
            throw CommandFailure(.failure, "the folder \(folder) cannot be entered")
        }
        try await show("Is the manifest valid?", "validate")
        try await show("Plan the changes", "plan")
        try await show("Apply the plan", "apply", "--yes")
        try AtomicFile.write(
            Array(DemoShop.after.utf8),
            to: ManifestSelection.standard,
            permissions: AtomicFile.readableByAll
        )
        try await show("The mug's price and the lamp's picture changed: plan again", "plan")
        try await show("Apply only these changes", "apply", "--yes")
        try await show("The whole catalog as CSV", "export", "-o", "catalog.csv")
        try console.write(String(decoding: InputFile.bytes(of: "catalog.csv"), as: UTF8.self))
        try await show("No changes remain", "plan")
    }

    private func show(_ title: String, _ words: String...) async throws {
        try console.write("\n" + console.outputStyle(.bold, "── \(title)") + "\n")
        try console.write(console.outputStyle(.dim, "$ openmarket \(words.joined(separator: " "))") + "\n")
        try await Invocation(words + flags, environment: environment).run()
    }
}
