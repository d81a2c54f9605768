import OpenMarket
import OpenMarketWorkflow

extension StateArguments {
    /// Whether a file is named, which a database that is still to be filled is not.
    var namesFile: Bool { state.map { StateLocation($0).scheme == nil } ?? false }

    /// The state: the given one, else the manifest's, else the one beside the manifests.
    ///
    /// - Throws: `StateChoiceError` where several states know the market, and what opening one throws.
    func place(
        manifestFiles: [String],
        market: MarketSettings,
        keptRuns: Int = StatePlace.standardKeptRuns,
        console: Console
    ) async throws -> StatePlace {
        if let location = state.map(StateLocation.init) ?? market.state {
            return try StatePlace(location, besides: manifestFiles, keptRuns: keptRuns, warning: console)
        }
        let choice = try await StateChoice(beside: manifestFiles, for: market) {
            try StatePlace($0, besides: [], warning: nil).backend
        }
        if choice.isElsewhere { console.note("Using the state \(choice.path.terminalSafe)") }
        let location = StateLocation(choice.path)
        return try StatePlace(location, besides: manifestFiles, keptRuns: keptRuns, warning: console)
    }
}
