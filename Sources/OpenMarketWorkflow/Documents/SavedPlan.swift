package import OpenMarket
import OpenMarketDescription

/// A plan with what is around it: what planning shows and saves, and what applying a saved plan carries out.
///
/// Holds no secret, only how to find each again.
package struct SavedPlan: Sendable {
    /// What the state knew when the plan was made, so that it is not carried out on another one.
    struct Known: Hashable, Sendable {
        /// How many products.
        var products: Int
        /// The product of each key that the plan is about; keys that meant none are missing.
        var ids: [String: MarketID]
        /// The newest run; `nil` when there was none.
        var lastRun: RunID?
    }

    /// The tool that wrote it, with its version.
    var tool: String
    /// The market's base URL.
    var url: String
    /// The market's profile, whose description travels in the plan.
    var profile: MarketProfile
    /// The manifests that it was made from.
    package var manifestFiles: [String]
    /// The SHA-256 of the manifests.
    var manifestDigest: ContentDigest
    /// What to do.
    package var plan: Plan
    /// How many operations of earlier runs were unresolved when it was made.
    var unresolved: Int
    /// How to find the vendor's identifier again (v2).
    var identifier: SecretReference?
    /// How to find the secret again.
    var secret: SecretReference?
    /// The SHA-256 of the vendor's identifier.
    var identifierDigest: ContentDigest?
    /// The hosts beside the market's own that its pictures may be fetched from.
    var pictureHosts: [String]
    /// Whether new products carry the manifest's keys.
    var sendsKeys: Bool
    /// Where the state is.
    package var state: String
    /// What the state knew.
    var known: Known
}

extension SavedPlan {
    /// A plan to save.
    ///
    /// - Parameters:
    ///   - planned: the plan and what it was made from.
    ///   - tool: the tool that writes it, with its version.
    ///   - scope: which market, as which vendor.
    ///   - profile: what the market's description says of it.
    ///   - manifest: what it was made from, and how to find the credentials again.
    ///   - state: where the state is.
    ///   - lastRun: the newest run that the state knows.
    ///   - folder: the absolute path of the folder that the manifests' names are relative to.
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
