import OpenMarket
import OpenMarketReview
import OpenMarketWorkflow

extension StateArguments {
    /// The state: the given one, else the one beside the manifests.
    ///
    /// - Throws: `StateChoiceError` where several states know the market, and what opening one throws.
    func place(
        manifestFiles: [String],
        market: MarketSettings,
        keptRuns: Int = StatePlace.standardKeptRuns,
        console: Console
    ) async throws -> StatePlace {
        if let state { return try StatePlace(StateLocation(state), keptRuns: keptRuns) }
        let choice = try await StateChoice(beside: manifestFiles, for: market) { try StatePlace($0).backend }
        if choice.isElsewhere { console.note("Using the state \(choice.path.terminalSafe)") }
        return try StatePlace(StateLocation(choice.path), keptRuns: keptRuns)
    }
}
