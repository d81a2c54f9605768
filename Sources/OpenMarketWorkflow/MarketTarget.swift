import Crypto
package import OpenMarket

/// Why a market cannot be worked on, before it is contacted.
package enum MarketTargetError: Error, Hashable, Sendable {
    /// Neither manifest nor arguments name a URL.
    case urlMissing
    /// Neither manifest nor arguments name a profile.
    case profileMissing
    /// Products are managed as a vendor, and which one is not said.
    case identifierMissing
    /// The environment variable that is to hold the secret is not set.
    case secretUnset(variable: String)
    /// These credentials are not set.
    case credentialsMissing([String])
}

/// Which market is worked on, and who we are there.
package struct MarketTarget: Sendable {
    package let url: String
    package let profile: MarketProfile
    package let identifier: ResolvedSecret?
    package let secret: ResolvedSecret?
    /// The hosts beside the market's own that its pictures may be fetched from.
    package let pictureHosts: [String]

    /// The market that settings name.
    ///
    /// - Throws: ``MarketTargetError`` when they do not.
    package init(_ settings: MarketSettings) throws(MarketTargetError) {
        guard let url = settings.url else { throw .urlMissing }
        guard let profile = settings.profile else { throw .profileMissing }
        self.url = url
        self.profile = profile
        identifier = settings.identifier
        secret = settings.secret
        pictureHosts = settings.pictureHosts
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
    package var scope: MarketScope {
        let isVendor = profile.capabilities.authentication == .vendor
        return MarketScope(
            url: url,
            profile: profile,
            identifier: isVendor ? identifier.map { Self.digest(of: $0.value) } : nil
        )
    }

    /// Whether a market that the state knows can be the one that is meant, as far as anything is said of it.
    package static func fits(_ scope: MarketScope, _ settings: MarketSettings) -> Bool {
        (settings.url == nil || settings.url == scope.url)
            && (settings.profile == nil || settings.profile == scope.profile)
            && (settings.identifier == nil || scope.profile.capabilities.authentication != .vendor
                || settings.identifier.map { digest(of: $0.value) } == scope.identifier)
    }

    package static func digest(of secret: Secret) -> ContentDigest {
        ContentDigest(bytes: SHA256.hash(data: Array(secret.revealed.utf8)))
    }

    /// Checks that it is said as which vendor products are managed.
    ///
    /// - Throws: ``MarketTargetError/identifierMissing``.
    package func requireVendor() throws(MarketTargetError) {
        guard profile.capabilities.authentication != .vendor || identifier != nil else { throw .identifierMissing }
    }

    /// Checks that there is something to write with.
    ///
    /// - Throws: ``MarketTargetError`` when credentials are missing, so that nothing is begun.
    package func requireCredentials(for plan: Plan) throws(MarketTargetError) {
        let writes = plan.operations.filter { $0.action != .adopt && $0.action != .forget }
        guard !writes.isEmpty else { return }
        var missing: [String] = []
        if profile.capabilities.authentication == .vendor, identifier == nil { missing.append("identifier") }
        if secret?.isSet != true, writes.contains(where: { $0.secret == nil }) { missing.append("secret") }
        guard !missing.isEmpty else { return }
        if missing == ["secret"], case .environment(let name)? = secret?.reference {
            throw .secretUnset(variable: name)
        }
        throw .credentialsMissing(missing)
    }
}
