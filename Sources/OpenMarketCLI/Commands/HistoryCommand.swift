import ArgumentParser
import OpenMarket
import OpenMarketReview
import OpenMarketWorkflow

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows past runs and what each did, in whole or to one product.",
        discussion: """
            The newest run comes first, in each what went wrong. Reads the journal in the state file, and asks the market \
            nothing.
            """
    )

    /// How many runs are shown by default.
    private static let standardLimit = 10
    /// How many operations of each run are shown where no single run is asked for.
    private static let shownOperations = 20

    @Argument(help: "Only what was done to the product of this key.")
    var key: String?
    @Option(name: .setting(.run), help: ArgumentHelp("Only this run, with all its operations.", valueName: "run"))
    var run: String?
    @Option(
        name: .setting(.limit),
        help: ArgumentHelp("How many runs, the newest first. (default: \(standardLimit))", valueName: "n")
    )
    var limit: PositiveOption?
    @OptionGroup var selection: StateSelection

    func run() async throws {
        try await selection.reading { state, context in
            let wanted: String? = run
            let shown = context.isJSON || wanted != nil ? nil : Self.shownOperations
            let (runs, console) = (try await runs(state, troublesFirst: shown), context.console)
            if context.isJSON {
                try console.write(document: RunHistory.document(runs))
            } else {
                let renderer = HistoryTextRenderer(style: console.outputStyle, limit: shown) {
                    "openmarket history \(Setting.run.flag) \($0)"
                }
                try console.write(renderer.render(runs))
            }
        }
    }

    private func runs(_ state: any StateReader, troublesFirst shown: Int?) async throws -> [RunHistory] {
        let limit = limit?.value ?? Self.standardLimit
        let wanted: String? = run
        let runs = try await state.history(
            of: key,
            in: wanted.map(RunID.init(rawValue:)),
            limit: limit,
            troublesFirst: shown
        )
        guard runs.isEmpty, wanted != nil || key != nil else { return runs }
        let what = key.map { "no run did anything to a product '\($0)'" }
        throw CommandFailure(
            .failure,
            what ?? "the journal knows no run '\(wanted ?? "")'",
            help: "openmarket history"
        )
    }
}
