import ArgumentParser
import OpenMarket
import OpenMarketClient
import OpenMarketDescription
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow

struct MarketProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Reads a live market, and compares its replies with its description. Writes nothing.",
        discussion: """
            Says in how many rows each field was seen, as what, and with which values; what the replies have that the \\
            description does not name; and which proof of completeness holds. Sends nothing but GET.

            Exit 0: all products were read. 10: they were not proved to be complete, or rows cannot be read in whole. \\
            8: credentials rejected. 9: the market cannot be reached.
            """
    )

    @Argument(help: "The market's base URL; overrides the manifest.")
    var address: String?
    @Option(
        name: .setting(.file, short: "f"),
        help: ArgumentHelp("The manifest whose market is meant. (default: openmarket.yaml)", valueName: "path"),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var files: [String] = []
    @OptionGroup(title: "Market") var market: MarketArguments
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.runCancellable(probe) }

    private func probe(_ context: CommandContext) async throws {
        let options = try ManifestOptions(context.environment, url: address ?? market.url, api: market.api)
        let manifest = try MarketOnlyManifest(files: files, options, console: context.console)
        let target = try MarketTarget(manifest)
        let configuration = try market.clientConfiguration(target, console: context.console)
        let inspection = try await MarketInspection(over: configuration)
        if context.isJSON {
            let url = ("url", JSONValue.string(target.url))
            try context.console.write(document: inspection.document(of: url, showsProducts: false))
        } else {
            try context.console.write(MarketInspectionText(style: context.console.outputStyle).render(inspection))
        }
        try inspection.requireSound()
    }
}

extension MarketInspection {
    /// What is shown of a product: all but what only a state knows.
    private static let columns = CatalogColumn.allCases.filter { $0 != .key }

    /// Reads a market as a client is configured to.
    init(over configuration: ClientConfiguration) async throws {
        let described = MarketDescription(of: configuration.profile)
        let replies = ReplyCensus(described, parameters: configuration.profile.parameters)
        var configuration = configuration
        configuration.onReply = { replies.add($0) }
        self = try await withMarketClient(configuration) { client in
            try await MarketInspection(reading: client, replies: replies, columns: Self.columns)
        }
    }

    /// Ends the command otherwise than with 0 where anything is not as it should be; that has been said.
    func requireSound() throws {
        if let failure {
            guard let status = CommandFailure(failure)?.status else { throw failure }
            throw CommandFailure(status)
        }
        if !isSound { throw CommandFailure(.catalogMoved) }
    }
}
