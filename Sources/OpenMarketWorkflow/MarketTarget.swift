import Crypto
package import OpenMarket
import OpenMarketDescription
package import OpenMarketManifest

/// Why a market cannot be worked on, before it is contacted.
package enum MarketTargetError: Error, Hashable, Sendable {
    /// There is no manifest, and nothing else names a market.
    case nothingNamed
    /// Neither manifest nor arguments name a URL.
    case urlMissing
    /// Neither manifest nor arguments name a profile.
    case profileMissing
    /// Products are managed as a vendor, and which one is not said.
    case identifierMissing
    /// The environment variable that is to hold the secret is not set.
    case secretUnset(variable: String)
    /// These credentials are not set, which reading or writing needs.
    case credentialsMissing([String], isForReading: Bool)
    /// Credentials and products would go over http to another machine.
    case unencrypted(url: String)
}

extension MarketTargetError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .nothingNamed: "there is no \(ManifestSelection.standard) here, and no market is named"
        case .urlMissing: "no market is named"
        case .profileMissing: "the market's API is not named"
        case .identifierMissing: "the vendor's identifier is not set, and products are managed as a vendor"
        case .secretUnset(let variable): "the environment variable \(variable) is not set"
        case .credentialsMissing(let names, let isForReading):
            "no credentials to \(isForReading ? "read" : "write") with: \(names.joined(separator: " and ")) not set"
        case .unencrypted(let url):
            "\(url) is not encrypted: everybody on the way could read credentials and products"
        }
    }
}

/// Which market is worked on, and who we are there.
package struct MarketTarget: Sendable {
    package let url: String
    package let profile: MarketProfile
    package let identifier: ResolvedSecret?
    package let secret: ResolvedSecret?
    /// The hosts beside the market's own that its pictures may be fetched from.
    package let pictureHosts: [String]
    /// Whether new products carry the manifest's keys: the manifest agrees, and the market takes them.
    let sendsKeys: Bool

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
        pictureHosts = settings.readablePictureHosts
        sendsKeys = settings.sendsKeys && profile.capabilities.carriesKeys
    }

    /// The market that a manifest, arguments or the environment name, where nothing else of the manifest matters.
    ///
    /// - Throws: ``MarketTargetError`` when none of them does.
    package init(_ manifest: MarketOnlyManifest) throws(MarketTargetError) {
        guard manifest.settings.url != nil || !manifest.files.isEmpty else { throw .nothingNamed }
        try self.init(manifest.settings)
    }

    /// The market that is asked which of the built-in ones it is, unless its API is named.
    ///
    /// - Throws: ``MarketTargetError`` when nothing names a market.
    package init(asking manifest: MarketOnlyManifest) throws(MarketTargetError) {
        var manifest = manifest
        // Where it answers otherwise, the client tries the other ways to ask for a list.
        manifest.settings.profile = manifest.settings.profile ?? .v2b
        try self.init(manifest)
    }

    init(
        url: String,
        profile: MarketProfile,
        identifier: ResolvedSecret?,
        secret: ResolvedSecret?,
        pictureHosts: [String],
        sendsKeys: Bool
    ) {
        self.url = url
        self.profile = profile
        self.identifier = identifier
        self.secret = secret
        self.pictureHosts = pictureHosts
        self.sendsKeys = sendsKeys
    }

    /// What keeps this market's state apart from others'.
    package var scope: MarketScope {
        let keepsApart = profile.capabilities.identifierIsScope
        return MarketScope(
            url: url,
            profile: profile,
            identifier: keepsApart ? identifier.map { Self.digest(of: $0.value) } : nil
        )
    }

    /// Whether a market that the state knows can be the one that is meant, as far as anything is said of it.
    static func fits(_ scope: MarketScope, _ settings: MarketSettings) -> Bool {
        guard settings.url == nil || settings.url == scope.url else { return false }
        if let profile = settings.profile,
            profile.name != scope.name || !MarketParameters.areSame(profile.parameters, scope.parameters)
        {
            return false
        }
        guard let identifier = settings.identifier else { return true }
        // Of a market whose description is not at hand the state shows whether an identifier keeps it apart.
        let keepsApart =
            (settings.profile ?? MarketProfile(name: scope.name))?.capabilities.identifierIsScope
            ?? (scope.identifier != nil)
        return !keepsApart || digest(of: identifier.value) == scope.identifier
    }

    static func digest(of secret: Secret) -> ContentDigest {
        ContentDigest(bytes: SHA256.hash(data: Array(secret.revealed.utf8)))
    }

    /// Checks that it is said as which vendor products are managed.
    ///
    /// - Throws: ``MarketTargetError/identifierMissing``.
    func requireVendor() throws(MarketTargetError) {
        guard !profile.capabilities.identifierIsScope || identifier != nil else { throw .identifierMissing }
    }

    /// Checks that there is something to write with.
    ///
    /// - Throws: ``MarketTargetError`` when credentials are missing, so that nothing is begun.
    func requireCredentials(for plan: Plan) throws(MarketTargetError) {
        let writes = plan.operations.filter { $0.action != .adopt && $0.action != .forget }
        guard !writes.isEmpty else { return }
        try requireCredentialsToWrite(withoutSecret: writes.allSatisfy { $0.secret != nil })
    }

    /// Checks that there is something to write with.
    ///
    /// - Parameter hasOwnSecrets: whether every product that is written has a secret of its own.
    /// - Throws: ``MarketTargetError`` when credentials are missing.
    package func requireCredentialsToWrite(withoutSecret hasOwnSecrets: Bool = false) throws(MarketTargetError) {
        var missing: [String] = []
        let needed = profile.capabilities.credentialsForWriting
        if needed.contains(.identifier), identifier?.isSet != true { missing.append("identifier") }
        if needed.contains(.secret), secret?.isSet != true, !hasOwnSecrets {
            missing.append("secret")
        }
        try require(none: missing, isForReading: false)
    }

    /// Checks what has to hold before the market is asked for anything.
    ///
    /// - Parameter acceptsPlainHTTP: whether everybody on the way may read what a described market is sent and answers.
    /// - Throws: ``MarketTargetError``.
    package func requireReadable(acceptsPlainHTTP: Bool) throws(MarketTargetError) {
        guard profile.isSafe(at: url, acceptsPlainHTTP: acceptsPlainHTTP) else { throw .unencrypted(url: url) }
        let needed = profile.capabilities.credentialsForReading
        var missing: [String] = []
        if needed.contains(.identifier), identifier?.isSet != true { missing.append("identifier") }
        if needed.contains(.secret), secret?.isSet != true { missing.append("secret") }
        try require(none: missing, isForReading: true)
    }

    private func require(none missing: [String], isForReading: Bool) throws(MarketTargetError) {
        guard !missing.isEmpty else { return }
        if missing == ["secret"], case .environment(let name)? = secret?.reference {
            throw .secretUnset(variable: name)
        }
        throw .credentialsMissing(missing, isForReading: isForReading)
    }
}
