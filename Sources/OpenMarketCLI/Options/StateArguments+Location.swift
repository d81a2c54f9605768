import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketReview
import OpenMarketWorkflow

extension StateArguments {
    /// Where the state is: the given one, else the one beside the manifests.
    ///
    /// A new state is made beside the first manifest. One that lies beside another manifest is used where it is, so that
    /// the order in which manifests are named does not choose the state.
    ///
    /// - Throws: ``CommandFailure`` where several states know the market.
    func place(
        manifestFiles: [String],
        market: MarketSettings,
        keptRuns: Int = StatePlace.standardKeptRuns,
        console: Console
    ) async throws -> StatePlace {
        if let state {
            return try StatePlace(StateLocation(state), keptRuns: keptRuns)
        }
        let places = Self.places(manifestFiles)
        let existing = places.filter { FileManager.default.fileExists(atPath: $0) }
        let path: String
        if existing.count > 1 {
            var known: [String] = []
            for place in existing {
                let markets = try await StatePlace(StateLocation(place)).backend.markets()
                if markets.contains(where: { $0.products > 0 && MarketTarget.fits($0.scope, market) }) {
                    known.append(place)
                }
            }
            guard known.count < 2 else {
                throw CommandFailure(
                    .failure,
                    "several states know this market: \(known.joined(separator: ", "))",
                    help: "say which one is right with \(Setting.state.flag), and move the other one away"
                )
            }
            path = known.first ?? existing[0]
        } else {
            path = existing.first ?? places[0]
        }
        if path != places[0] { console.note("Using the state \(path.terminalSafe)") }
        return try StatePlace(StateLocation(path), keptRuns: keptRuns)
    }

    /// Where a state may lie: beside each manifest, in the order in which they are named.
    private static func places(_ manifestFiles: [String]) -> [String] {
        var places: [String] = []
        var seen: Set<[UInt8]> = []
        for file in manifestFiles where file != "<stdin>" && file != "-" {
            let folder = FileSystem.folder(of: file)
            let identity = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
            if seen.insert(Array(identity.utf8)).inserted {
                places.append(FileSystem.path(of: ".openmarket/state.db", in: folder))
            }
        }
        return places.isEmpty ? ["./.openmarket/state.db"] : places
    }
}
