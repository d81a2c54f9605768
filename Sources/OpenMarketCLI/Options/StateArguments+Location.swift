import OpenMarket
import OpenMarketReview
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
            let place = try StatePlace(location, besides: manifestFiles, keptRuns: keptRuns)
            for warning in place.backend.warnings { console.complain("warning: \(warning)") }
            return place
        }
        let choice = try await StateChoice(beside: manifestFiles, for: market) {
            try StatePlace($0, besides: []).backend
        }
        if choice.isElsewhere { console.note("Using the state \(choice.path.terminalSafe)") }
        return try StatePlace(StateLocation(choice.path), besides: manifestFiles, keptRuns: keptRuns)
    }
}
