import ArgumentParser
import OpenMarket
import OpenMarketManifest
import OpenMarketWorkflow

struct WorkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "work",
        abstract: "Helps another machine to carry out the run that its apply began.",
        discussion: """
            Needs the state that the machines share, and the same manifest with the same pictures. It takes parts of \
            the run until none are left. Ctrl-C gives its part back, and the other machines go on.

            Exit 0: its part is done, or the run was over. 1: no run is under way, or it cannot be shared. 3: some \
            operations failed. 4: the manifest or a picture differs from the run's. 5: the market's description \
            differs from the run's. 7: it lost its place. 8: credentials rejected. 9: the market cannot be reached. \
            130: interrupted, on this machine or by the run's apply.

            Examples:
              openmarket work --state postgresql://db.example/shop
              openmarket work -f shop.yaml --wait 10m --parallelism 4
            """
    )

    @OptionGroup(title: "Manifest") var manifests: ManifestArguments
    @OptionGroup(title: "Market") var market: MarketArguments
    @OptionGroup(title: "State") var state: StateArguments
    @OptionGroup(title: "Carrying out") var pace: PaceArguments
    @Option(help: "How long to wait for a run to begin. (default: 0)", as: .duration)
    var wait: Duration?
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(reader: .optional, work) }

    private func work(_ context: CommandContext) async throws {
        let manifest = try await manifests.loadValid(at: market, toleratesUnset: .none, context)
        let reporter = context.reporter()
        let work = try await MarketWork(
            carryingOut: manifest,
            market,
            state,
            at: pace,
            reporter: reporter,
            context
        )
        let timeout = wait ?? .zero
        let result = try await withRunSignals(reportingTo: context.console) { drain in
            try await work.joining(manifest, waiting: timeout) { session, run in
                context.console.note(run.joiningText)
                return try await session.work(in: run, with: manifest, drain: drain)
            }
        }
        guard let result else { return context.console.note("The run was over before this machine could take part.") }
        try reporter.end(result, of: "Work")
        try result.requireSuccess(at: work.target, asPart: true)
    }
}
