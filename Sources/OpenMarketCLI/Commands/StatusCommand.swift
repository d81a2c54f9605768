import ArgumentParser
import OpenMarket
import OpenMarketWorkflow

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the run that is under way, or else the last one.",
        discussion: """
            Shows how far it is, how fast it goes, and which machines take part in it. Reads the state, and does not contact \
            the market.

            Exit 0: shown, however the run ended. 1: the state cannot be read. 130: interrupted; the run goes on.

            Examples:
              openmarket status
              openmarket status --watch --state postgresql://db.example/shop
            """
    )

    private static let interval = Duration.seconds(2)

    @Flag(help: "Look again every two seconds until the run ends.")
    var watch = false
    @OptionGroup var selection: StateSelection

    func run() async throws {
        try await selection.reading { state, context in
            let scope = state.scope
            guard !watch else {
                return try await withCancellation {
                    var runs = RunWatch(state)
                    var display = try RunStatusDisplay(of: scope, context)
                    try await runs.follow(every: Self.interval) { try display.show($0) }
                }
            }
            var runs = RunWatch(state)
            let status = try await runs.look()
            try context.write(status.document(of: scope)) {
                RunStatusTextRenderer(style: $0, scope: scope).render(status)
            }
        }
    }
}
