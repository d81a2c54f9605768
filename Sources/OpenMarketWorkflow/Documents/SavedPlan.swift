package import OpenMarket
import OpenMarketDescription

/// A plan with its context: planning shows and saves it, and applying a saved plan carries it out.
///
/// It holds no secret, only references to secrets.
package struct SavedPlan: Sendable {
    /// The facts of the state when the plan was made, so that it is not applied to another one.
    struct Known: Hashable, Sendable {
        /// The number of products.
        var products: Int
        /// The product of each key of the plan; keys without a product are missing.
        var ids: [String: MarketID]
        /// The newest run; `nil` if there was none.
        var lastRun: RunID?
    }

    /// The tool that wrote it, with its version.
    var tool: String
    var url: String
    /// The market's profile, whose description is saved in the plan.
    var profile: MarketProfile
    package var manifestFiles: [String]
    var manifestDigest: ContentDigest
    package var plan: Plan
    /// The number of unresolved operations of earlier runs when it was made.
    var unresolved: Int
    /// The reference to the vendor's identifier (v2).
    var identifier: SecretReference?
    var secret: SecretReference?
    var identifierDigest: ContentDigest?
    /// Further hosts, beside the market's own, from which its pictures may be fetched.
    var pictureHosts: [String]
    /// Whether new products are sent with the manifest's keys.
    var sendsKeys: Bool
    package var state: String
    var known: Known
}

extension SavedPlan {
    /// Creates a plan to save.
    ///
    /// The tool is stated with its version, and the scope is the market and the vendor. The profile is that of the
    /// market's description. The last run is the newest one in the state, and the folder is the absolute base of the
    /// manifests' names.
    init(
        _ planned: PlannedChanges,
        tool: String,
        scope: MarketScope,
        profile: MarketProfile,
        manifest: Manifest,
        state: StateLocation,
        lastRun: RunID?,
        in folder: String
    ) {
        let paths = DocumentPaths(folder: folder)
        let keys = planned.plan.operations.map(\.key) + planned.plan.stateUpdates.flatMap(\.keys)
        let entries = planned.snapshot.entries
        self.init(
            tool: tool,
            url: scope.url,
            profile: profile,
            manifestFiles: manifest.files.map { $0 == "-" ? $0 : paths.absolute($0) },
            manifestDigest: manifest.digest,
            plan: planned.plan,
            unresolved: planned.recovery.settled.count,
            identifier: manifest.market.identifier?.reference.mappingPath(paths.absolute),
            secret: manifest.market.secret?.reference.mappingPath(paths.absolute),
            identifierDigest: scope.identifier,
            pictureHosts: manifest.market.readablePictureHosts,
            sendsKeys: manifest.market.sendsKeys && profile.capabilities.carriesKeys,
            state: paths.absolute(state.description),
            known: Known(
                products: entries.count,
                ids: Dictionary(keys.compactMap { key in entries[key].map { (key, $0.id) } }) { first, _ in first },
                lastRun: lastRun
            )
        )
    }

    /// The value that a document is read into.
    static var blank: SavedPlan {
        SavedPlan(
            tool: "",
            url: "",
            profile: .v2b,
            manifestFiles: [],
            manifestDigest: .zero,
            plan: Plan(),
            unresolved: 0,
            identifier: nil,
            secret: nil,
            identifierDigest: nil,
            pictureHosts: [],
            sendsKeys: false,
            state: "",
            known: Known(products: 0, ids: [:], lastRun: nil)
        )
    }
}
