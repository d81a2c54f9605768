import OpenMarket
import OpenMarketWorkflow

extension StateArguments {
    /// Whether the state is given as a file; false for a database.
    var namesFile: Bool { state.map { StateLocation($0).scheme == nil } ?? false }

    /// The location of the state: the given one, else the manifest's, else the one next to the manifests.
    ///
    /// Throws ``CommandFailure`` if several states have the market, and the errors of opening one.
    func place(
        manifestFiles: [String],
        market: MarketSettings,
        keptRuns: Int = OpenedState.standardKeptRuns,
        console: Console
    ) async throws -> OpenedState {
        let stated = state.map(StateLocation.init) ?? market.state
        let location: StateLocation
        if let stated {
            location = stated
        } else {
            let choice = try await StateChoice(beside: manifestFiles, for: market) {
                try OpenedState($0, besides: [], warning: nil).backend
            }
            if choice.isElsewhere { console.note("Using the state \(choice.path.terminalSafe)") }
            location = StateLocation(choice.path)
        }
        return try OpenedState(
            location,
            besides: manifestFiles,
            marketFile: market.file,
            keptRuns: keptRuns,
            warning: console
        )
    }
}
