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
    /// Asking throws ``CommandFailure`` with exit 64 without a terminal.
    func acceptance(_ context: CommandContext) -> DescriptionAcceptance {
        DescriptionAcceptance(said: acceptMarket) { trust in
            let console = context.console
            let digest = "sha256:\(trust.profile.digest)"
            if !context.isJSON { console.printError(trust.text(console.errorStyle)) }
            guard !context.isJSON, console.isInteractive else {
                throw CommandFailure(
                    .usage,
                    "the description of \(trust.profile.name.terminalSafe), \(digest), is not accepted yet, which needs a "
                        + "terminal; no change was sent",
                    help:
                        "review its requests (openmarket market check), and accept it with --accept-market \(digest)"
                )
            }
            return console.confirms("Write to \(trust.url.terminalSafe) by this description?")
        }
    }
}
