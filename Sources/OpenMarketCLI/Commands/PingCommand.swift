import ArgumentParser
import OpenMarket
import OpenMarketClient
import OpenMarketManifest
import OpenMarketWorkflow

struct PingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping",
        abstract: "Shows which API profile a market has, whether the credentials work, and how long a page takes.",
        discussion: """
            Tries the credentials on a product of the state, without changing it. Reading does not distinguish v1a and \
            v1b.

            Exit 0: the market answers. 4: its API differs from the manifest or --api. 5: the address is not \
            encrypted, and --insecure-http is not given. 8: credentials rejected. 9: the market cannot be reached.
            """
    )

    @OptionGroup(title: "Manifest") var selection: MarketManifestArguments
    @OptionGroup(title: "Market") var market: MarketArguments
    @OptionGroup(title: "State") var state: StateArguments
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(ping) }

    private func ping(_ context: CommandContext) async throws {
        let console = context.console
        let manifest = try MarketOnlyManifest(selection, market, context)
        let named = manifest.settings
        let target = try MarketTarget(asking: manifest)
        let place = try await state.place(manifestFiles: manifest.files, market: named, console: console)
        let (own, accepted) = try await place.backend.reading(target.scope) { state in
            (try await state.productWithoutPassword(), try await state.acceptedDescription())
        }
        var configuration = try market.clientConfiguration(target, console: console)
        configuration.acceptedDescription = accepted
        let report = try await configuration.open { try await $0.probe(ownProduct: own) }
        try context.write(report.document(of: target.url)) {
            report.text(of: target.url, $0)
        }
        if named.profile != nil, !report.profiles.contains(target.profile) {
            throw MarketError.otherProfile(report.profiles, than: target.profile)
        }
        if case .rejected = report.credentials { throw CommandFailure(.credentials) }
    }
}
