import Crypto
import OpenMarket
import OpenMarketManifest

/// Which market a command talks to, and who we are there.
struct MarketTarget: Sendable {
    let url: String
    let profile: MarketProfile
    let identifier: ResolvedSecret?
    let secret: ResolvedSecret?
    /// The hosts beside the market's own that its pictures may be fetched from.
    let pictureHosts: [String]

    /// The market that the manifest, the flags and the environment name.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when none of them does.
    init(_ settings: MarketSettings) throws {
        guard let url = settings.url else {
            throw CommandFailure(
                .invalidInput,
                "no market is named",
                help: "set `market.url` in the manifest, \(Setting.url.flag) or \(Setting.url.variable)"
            )
        }
        guard let profile = settings.profile else {
            throw CommandFailure(
                .invalidInput,
                "the market's API is not named",
                help:
                    "set `market.api` in the manifest, \(Setting.api.flag) or \(Setting.api.variable); `openmarket ping` finds out which"
            )
        }
        self.url = url
        self.profile = profile
        identifier = settings.identifier
        secret = settings.secret
        pictureHosts = settings.pictureHosts
    }

    /// The market that a manifest, the flags and the environment name, where nothing else of the manifest matters.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when none of them does.
    init(_ manifest: MarketOnlyManifest) throws {
        guard manifest.settings.url != nil || !manifest.files.isEmpty else {
            throw CommandFailure(
                .invalidInput,
                "there is no openmarket.yaml here, and no market is named",
                help: "name a market with \(Setting.url.flag) or \(Setting.url.variable); or begin with a manifest: "
                    + ManifestOptions.Names.waysToManifest
            )
        }
        try self.init(manifest.settings)
    }

    init(
        url: String,
        profile: MarketProfile,
        identifier: ResolvedSecret?,
        secret: ResolvedSecret?,
        pictureHosts: [String]
    ) {
        self.url = url
        self.profile = profile
        self.identifier = identifier
        self.secret = secret
        self.pictureHosts = pictureHosts
    }

    /// What keeps this market's state apart from others'.
    var scope: MarketScope {
        let isVendor = profile.capabilities.authentication == .vendor
        return MarketScope(
            url: url,
            profile: profile,
            identifier: isVendor ? identifier.map { Self.digest(of: $0.value) } : nil
        )
    }

    /// Whether a market that the state knows can be the one that is meant, as far as anything is said of it.
    static func fits(_ scope: MarketScope, _ settings: MarketSettings) -> Bool {
        (settings.url == nil || settings.url == scope.url)
            && (settings.profile == nil || settings.profile == scope.profile)
            && (settings.identifier == nil || scope.profile.capabilities.authentication != .vendor
                || settings.identifier.map { digest(of: $0.value) } == scope.identifier)
    }

    static func digest(of secret: Secret) -> ContentDigest {
        ContentDigest(bytes: SHA256.hash(data: Array(secret.revealed.utf8)))
    }

    /// Checks that there is something to write with.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when credentials are missing, so that nothing is begun.
    func requireCredentials(for plan: Plan) throws {
        let writes = plan.operations.filter { $0.action != .adopt && $0.action != .forget }
        guard !writes.isEmpty else { return }
        var missing: [String] = []
        if profile.capabilities.authentication == .vendor, identifier == nil { missing.append("identifier") }
        if secret?.isSet != true, writes.contains(where: { $0.secret == nil }) { missing.append("secret") }
        guard !missing.isEmpty else { return }
        if missing == ["secret"], case .environment(let name)? = secret?.reference {
            throw CommandFailure(.invalidInput, "the environment variable \(name) is not set")
        }
        throw CommandFailure(
            .invalidInput,
            "no credentials to write with: \(missing.joined(separator: " and ")) not set",
            help: "set `market.secret: !env OPENMARKET_SECRET` in the manifest, and the variable"
        )
    }
}
