import FoundationEssentials
package import OpenMarket
import OpenMarketFiles

package enum StateChoiceError: Error, Hashable, Sendable {
    /// These states all have the market.
    case severalStates([String])
    /// The state has these markets, and each fits.
    case severalMarkets([MarketScope])
}

extension StateChoiceError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .severalStates(let paths): "several states have this market: \(paths.joined(separator: ", "))"
        case .severalMarkets(let scopes):
            "the state has \(counted(scopes.count, "market")): "
                + scopes.map { "\($0.url) (\($0.market))" }.joined(separator: ", ")
        }
    }
}

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
    /// `open` opens an existing state. Throws ``StateChoiceError/severalStates(_:)``.
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
            guard known.count < 2 else { throw StateChoiceError.severalStates(known) }
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
    /// Unstated settings fit every market. Throws ``StateChoiceError/severalMarkets(_:)``.
    package func market(fitting settings: MarketSettings) async throws -> MarketScope? {
        let known = try await markets().map(\.scope).filter { MarketTarget.fits($0, settings) }
        if known.count == 1 { return known[0] }
        guard known.isEmpty || settings.url != nil else { throw StateChoiceError.severalMarkets(known) }
        return nil
    }
}
