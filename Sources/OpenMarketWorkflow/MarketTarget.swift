import Crypto
package import OpenMarket
import OpenMarketDescription
package import OpenMarketManifest

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
    package init(_ settings: MarketSettings) throws(CommandFailure) {
        guard let url = settings.url else {
            let help = "set `market.url` in the manifest, --url or OPENMARKET_URL"
            throw CommandFailure(.invalidInput, "no market is named", help: help)
        }
        guard let profile = settings.profile else {
            let help = "set `market.api` in the manifest, --api or OPENMARKET_API; `openmarket ping` finds out which"
            throw CommandFailure(.invalidInput, "the market's API is not named", help: help)
        }
        self.url = url
        self.profile = profile
        identifier = settings.identifier
        secret = settings.secret
        pictureHosts = settings.readablePictureHosts
        sendsKeys = settings.sendsKeys && profile.capabilities.carriesKeys
    }

    /// The market that a manifest, arguments or the environment name, for uses that need only the market.
    package init(_ manifest: MarketOnlyManifest) throws(CommandFailure) {
        guard manifest.settings.url != nil || !manifest.files.isEmpty else {
            throw CommandFailure(
                .invalidInput,
                "\(ManifestSelection.standard) is missing here, and no market is named",
                help: "name a market with --url or OPENMARKET_URL; or begin with a manifest: "
                    + ManifestOptions.waysToManifest
            )
        }
        try self.init(manifest.settings)
    }

    /// The target for detecting the built-in market, unless its API is stated.
    package init(asking manifest: MarketOnlyManifest) throws(CommandFailure) {
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
    func requireVendor() throws(CommandFailure) {
        guard profile.capabilities.identifierIsScope, identifier == nil else { return }
        let message = "the vendor's identifier is not set, and products are managed as a vendor"
        throw CommandFailure(.invalidInput, message, help: Self.identifierHelp)
    }

    private static let identifierHelp = "set OPENMARKET_IDENTIFIER, or `market.identifier` in the manifest"

    /// Checks the credentials for writing before any operation begins.
    func requireCredentials(for plan: Plan) throws(CommandFailure) {
        let writes = plan.operations.filter { !$0.action.sendsNothing }
        guard !writes.isEmpty else { return }
        try requireCredentialsToWrite(withoutSecret: writes.allSatisfy { $0.secret != nil })
    }

    /// Checks the credentials for writing; with `hasOwnSecrets`, every product that is written has its own secret.
    package func requireCredentialsToWrite(withoutSecret hasOwnSecrets: Bool = false) throws(CommandFailure) {
        var needed = profile.capabilities.credentialsForWriting
        if hasOwnSecrets { needed.remove(.secret) }
        try require(needed, isForReading: false)
    }

    /// Checks the conditions for the first request to the market.
    ///
    /// `acceptsPlainHTTP` accepts that third parties can read a described market's requests and replies on the network.
    package func requireReadable(acceptsPlainHTTP: Bool) throws(CommandFailure) {
        guard profile.isSafe(at: url, acceptsPlainHTTP: acceptsPlainHTTP) else {
            throw CommandFailure(
                .refused,
                "\(url) is not encrypted: everybody on the way could read credentials and products",
                help: "write https://, or accept that with --insecure-http"
            )
        }
        try require(profile.capabilities.credentialsForReading, isForReading: true)
    }

    private func require(_ needed: CredentialSlots, isForReading: Bool) throws(CommandFailure) {
        var missing: [String] = []
        if needed.contains(.identifier), identifier?.isSet != true { missing.append("identifier") }
        if needed.contains(.secret), secret?.isSet != true { missing.append("secret") }
        guard !missing.isEmpty else { return }
        if missing == ["secret"], case .environment(let name)? = secret?.reference {
            throw CommandFailure(.invalidInput, "the environment variable \(name) is not set")
        }
        let settings = missing.map { "`market.\($0): !env OPENMARKET_\($0.uppercased())`" }.listed("and")
        throw CommandFailure(
            .invalidInput,
            "no credentials to \(isForReading ? "read" : "write") with: \(missing.joined(separator: " and ")) not set",
            help: missing == ["identifier"]
                ? Self.identifierHelp
                : "set \(settings) in the manifest, and the variable\(missing.count == 1 ? "" : "s")"
        )
    }
}
