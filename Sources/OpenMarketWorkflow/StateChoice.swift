import FoundationEssentials
package import OpenMarket
import OpenMarketFiles

/// The default state of a command: the one next to the manifests.
///
/// A new state is created next to the first manifest. An existing one next to another manifest is used, so that the
/// order of the manifests does not choose the state.
package struct StateChoice: Sendable {
    package let path: String
    /// Whether it is next to another manifest than the first.
    package let isElsewhere: Bool

    /// `manifestFiles` are in the order of the command line.
    ///
    /// `open` opens an existing state. Throws ``CommandFailure`` if several states have the market.
    package init(
        beside manifestFiles: [String],
        for market: MarketSettings,
        opening open: (StateLocation) throws -> any StateBackend
    ) async throws {
        let places = Self.places(manifestFiles)
        let existing = places.filter { FileManager.default.fileExists(atPath: $0) }
        var known: [String] = []
        if existing.count > 1 {
            for place in existing {
                let markets = try await open(StateLocation(place)).markets()
                if markets.contains(where: { $0.products > 0 && MarketTarget.fits($0.scope, market) }) {
                    known.append(place)
                }
            }
            guard known.count < 2 else {
                throw CommandFailure(
                    .failure,
                    "several states have this market: \(known.joined(separator: ", "))",
                    help: "choose the right one with --state, and move the other one away"
                )
            }
        }
        path = known.first ?? existing.first ?? places[0]
        isElsewhere = path != places[0]
    }

    static func standardPath(beside manifestFiles: [String]) -> String { places(manifestFiles)[0] }

    /// The possible paths of a state: next to each manifest.
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

extension StateBackend {
    /// The only market of the state that fits the settings; `nil` if the settings have to name it.
    ///
    /// Unstated settings fit every market. Throws ``CommandFailure`` if several markets fit.
    package func market(fitting settings: MarketSettings) async throws -> MarketScope? {
        let known = try await markets().map(\.scope).filter { MarketTarget.fits($0, settings) }
        if known.count == 1 { return known[0] }
        guard known.isEmpty || settings.url != nil else {
            throw CommandFailure(
                .invalidInput,
                "the state has \(counted(known.count, "market")): "
                    + known.map { "\($0.url) (\($0.market))" }.joined(separator: ", "),
                help: "choose one with --url and --api, or with -f the manifest"
            )
        }
        return nil
    }
}
