import ArgumentParser
import OpenMarket
import OpenMarketWorkflow

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows past runs and their operations, on all products or one.",
        discussion: """
            The newest run comes first, and in each run its failures. Reads the journal in the state, and does not \
            contact the market.

            Exit 0: shown. 1: no run touched the key, or the run is unknown.
            """
    )

    private static let standardLimit = 10
    private static let shownOperations = 20

    @Argument(help: "Only operations on the product of this key.")
    var key: String?
    @Option(help: "Only this run, with all its operations.", as: .text("run"))
    var run: String?
    @Option(help: "How many runs, the newest first. (default: \(standardLimit))", as: .number(from: 1))
    var limit: Int?
    @OptionGroup var selection: StateSelection

    func run() async throws {
        try await selection.reading { state, context in
            let wanted: String? = run
            let shown = context.isJSON || wanted != nil ? nil : Self.shownOperations
            let runs = try await state.history(
                of: key,
                in: wanted.map(RunID.init(rawValue:)),
                limit: limit ?? Self.standardLimit,
                troublesFirst: shown
            )
            try context.write(RunHistory.document(runs)) { style in
                HistoryTextRenderer(style: style, limit: shown).render(runs)
            }
        }
    }
}
