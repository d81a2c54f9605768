import Crypto
package import OpenMarket
import OpenMarketDescription
package import OpenMarketManifest

/// The reason that work on a market is refused before the first request.
package enum MarketTargetError: Error, Hashable, Sendable {
    case nothingNamed
    case urlMissing
    case profileMissing
    /// The vendor that products are managed as is not stated.
    case identifierMissing
    case secretUnset(variable: String)
    /// These credentials are not set, but reading or writing needs them.
    case credentialsMissing([String], isForReading: Bool)
    /// Credentials and products would be sent over http to another machine.
    case unencrypted(url: String)
}

extension MarketTargetError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .nothingNamed: "\(ManifestSelection.standard) is missing here, and no market is named"
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

package struct MarketTarget: Sendable {
    package let url: String
    package let profile: MarketProfile
    package let identifier: ResolvedSecret?
    package let secret: ResolvedSecret?
    /// Hosts, besides the market's own, that its pictures may be fetched from.
    package let pictureHosts: [String]
    /// Whether new products get the manifest's keys: the manifest allows it, and the market accepts them.
    let sendsKeys: Bool
}

extension MarketTarget {
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

    /// The market that a manifest, arguments or the environment name, for uses that need only the market.
    package init(_ manifest: MarketOnlyManifest) throws(MarketTargetError) {
        guard manifest.settings.url != nil || !manifest.files.isEmpty else { throw .nothingNamed }
        try self.init(manifest.settings)
    }

    /// The target for detecting the built-in market, unless its API is stated.
    package init(asking manifest: MarketOnlyManifest) throws(MarketTargetError) {
        var manifest = manifest
        // If the market answers differently, the client tries the other list requests.
        manifest.settings.profile = manifest.settings.profile ?? .standard
        try self.init(manifest)
    }

    package var scope: MarketScope {
        let keepsApart = profile.capabilities.identifierIsScope
        return MarketScope(
            url: url,
            profile: profile,
            identifier: keepsApart ? identifier.map { Self.digest(of: $0.value) } : nil
        )
    }

    /// Whether a market in the state can be the stated one, according to the settings.
    static func fits(_ scope: MarketScope, _ settings: MarketSettings) -> Bool {
        guard settings.url == nil || settings.url == scope.url else { return false }
        if let profile = settings.profile,
            profile.name != scope.name || !MarketParameters.areSame(profile.parameters, scope.parameters)
        {
            return false
        }
        guard let identifier = settings.identifier else { return true }
        // Without the market's description, the state shows whether an identifier separates it from others.
        let keepsApart =
            (settings.profile ?? MarketProfile(name: scope.name))?.capabilities.identifierIsScope
            ?? (scope.identifier != nil)
        return !keepsApart || digest(of: identifier.value) == scope.identifier
    }

    static func digest(of secret: Secret) -> ContentDigest {
        ContentDigest(bytes: SHA256.hash(data: Array(secret.revealed.utf8)))
    }

    /// Checks that the vendor that products are managed as is stated.
    func requireVendor() throws(MarketTargetError) {
        guard !profile.capabilities.identifierIsScope || identifier != nil else { throw .identifierMissing }
    }

    /// Checks the credentials for writing before any operation begins.
    func requireCredentials(for plan: Plan) throws(MarketTargetError) {
        let writes = plan.operations.filter { !$0.action.sendsNothing }
        guard !writes.isEmpty else { return }
        try requireCredentialsToWrite(withoutSecret: writes.allSatisfy { $0.secret != nil })
    }

    /// Checks the credentials for writing; with `hasOwnSecrets`, every product that is written has its own secret.
    package func requireCredentialsToWrite(withoutSecret hasOwnSecrets: Bool = false) throws(MarketTargetError) {
        var needed = profile.capabilities.credentialsForWriting
        if hasOwnSecrets { needed.remove(.secret) }
        try require(needed, isForReading: false)
    }

    /// Checks the conditions for the first request to the market.
    ///
    /// `acceptsPlainHTTP` accepts that third parties can read a described market's requests and replies on the network.
    package func requireReadable(acceptsPlainHTTP: Bool) throws(MarketTargetError) {
        guard profile.isSafe(at: url, acceptsPlainHTTP: acceptsPlainHTTP) else { throw .unencrypted(url: url) }
        try require(profile.capabilities.credentialsForReading, isForReading: true)
    }

    private func require(_ needed: CredentialSlots, isForReading: Bool) throws(MarketTargetError) {
        var missing: [String] = []
        if needed.contains(.identifier), identifier?.isSet != true { missing.append("identifier") }
        if needed.contains(.secret), secret?.isSet != true { missing.append("secret") }
        guard !missing.isEmpty else { return }
        if missing == ["secret"], case .environment(let name)? = secret?.reference {
            throw .secretUnset(variable: name)
        }
        throw .credentialsMissing(missing, isForReading: isForReading)
    }
}
