import ArgumentParser
import OpenMarket
import OpenMarketWorkflow

/// The options that accept a market description for writing.
struct AcceptanceArguments: ParsableArguments {
    @Option(
        help: "Write by this description of the market without asking; `market check` prints its digest.",
        as: .digest(printedBy: "`market check` prints")
    )
    var acceptMarket: ContentDigest?

    /// Shows the requests to send and asks, unless a digest is given.
    ///
    /// Asking throws ``CommandFailure`` with exit 64 if there is no terminal.
    func acceptance(_ context: CommandContext) -> DescriptionAcceptance {
        DescriptionAcceptance(said: acceptMarket) { trust in
            let console = context.console
            let digest = "sha256:\(trust.profile.digest)"
            if !context.isJSON { console.printError(trust.text(console.errorStyle)) }
            guard !context.isJSON, console.isInteractive else {
                throw CommandFailure(
                    .usage,
                    "the description of \(trust.profile.name.terminalSafe), \(digest), was not accepted yet, and there is no "
                        + "terminal to ask on; nothing was sent",
                    help:
                        "look at what it sends (openmarket market check), and accept it with --accept-market \(digest)"
                )
            }
            return console.confirms("Write to \(trust.url.terminalSafe) by this description?")
        }
    }
}
