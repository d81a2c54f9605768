import NIOCore
package import OpenMarket
import OpenMarketDescription

extension MarketClient {
    /// Examines the market: its profile, its health and its speed, and whether the credentials work.
    ///
    /// The credentials are tried on `ownProduct`, a product of the vendor, and only by a request without effect. For v2
    /// that is the request for a delete key, which is without effect by itself; for v1 an empty change.
    ///
    /// Throws ``MarketError`` if the market cannot be reached, or its profile is not one of the four.
    package func probe(ownProduct: MarketID? = nil) async throws -> MarketReport {
        let start = ContinuousClock.now
        guard let (profiles, page) = try await detect(size: nil) else {
            guard !guessedProfiles.isEmpty else { throw wire.unrecognised }
            throw MarketError(.unreadable, "no supported API profile (v1a, v1b, v2a, v2b) found at this URL")
        }
        let pageTime = ContinuousClock.now - start
        var isHealthy: Bool?
        let found = profiles.first.map { $0 == configuration.profile ? wire : MarketWire($0, base: base) } ?? wire
        if found.endpoint(.health) != nil {
            let path = try found.target(.health)
            isHealthy = try await read(path, for: .health, limit: configuration.replyByteLimit) { $0.status < 300 }
        }
        return MarketReport(
            profiles: profiles,
            isHealthy: isHealthy,
            pageTime: pageTime,
            pageRows: page.rowCount,
            total: page.total,
            credentials: await tryCredentials(ownProduct, profiles)
        )
    }

    /// Checks that the market has the configured profile, as far as its list shows.
    ///
    /// A market with another profile would accept a product and silently drop the fields that have other names there
    /// (docs/reference/open-market-versions.md, "Differences").
    ///
    /// Throws ``MarketError`` with the code `profile` if the market has another profile.
    package func requireProfile() async throws {
        guard let found = try await detect(size: 1)?.0, !found.contains(configuration.profile) else { return }
        throw MarketError.otherProfile(found, than: configuration.profile)
    }

    /// One built-in profile for each way to request a list; empty for a market that a file describes.
    var guessedProfiles: [MarketProfile] { configuration.profile.isBuiltIn ? [.v2b, .v1b] : [] }

    /// The profiles whose list has the form of this market's; `nil` if none has.
    ///
    /// Those with the configured profile's form come first, because a server may have several.
    private func detect(size: Int?) async throws -> ([MarketProfile], LivePage)? {
        if let found = try await profiles(of: wire, size: size) { return found }
        // This list does not exist; another profile's list may.
        let own = try wire.target(of: wire.firstPage(size: size))
        for other in guessedProfiles.map({ MarketWire($0, base: base) })
        where try other.target(of: other.firstPage(size: size)) != own {
            if let found = try? await profiles(of: other, size: size) { return found }
        }
        return nil
    }

    /// The profiles that match the reply to a request for the first page; `nil` if the market lacks that page.
    private func profiles(of asked: MarketWire, size: Int?) async throws -> ([MarketProfile], LivePage)? {
        let path = try asked.target(of: asked.firstPage(size: size))
        let alike =
            try guessedProfiles.isEmpty
            ? []
            : MarketProfile.builtIns.filter { profile in
                let other = MarketWire(profile, base: base)
                return try other.target(of: other.firstPage(size: size)) == path
            }
        return try await read(path, for: .list, limit: configuration.pageByteLimit) { reply in
            guard reply.status != 404 else { return nil }
            let facts = asked.pageReply(reply, number: 1, at: asked.firstPage(size: size))
            let page = try PageReader(asked, page: 1).read(facts, reply.body.readableBytesUInt8Span)
            guard page.isPage else { return nil }
            // A page past the end is empty, and not a proof.
            let body = reply.body.readableBytes > 0 ? try JSONValue.parse(reply.bytes()) : nil
            guard !guessedProfiles.isEmpty else {
                guard let body, asked.isRecognised(body) else { return nil }
                return ([configuration.profile], page)
            }
            let recognised = alike.filter { profile in body.map { MarketWire(profile).isRecognised($0) } ?? false }
            return (recognised.isEmpty ? alike : recognised, page)
        }
    }

    private func tryCredentials(
        _ ownProduct: MarketID?,
        _ profiles: [MarketProfile]
    ) async -> MarketReport.CredentialCheck {
        guard profiles.contains(configuration.profile) else {
            return .notTried("the credentials are configured for \(wire.name), and the market has another profile")
        }
        // The market would have refused the page without credentials.
        if wire.sendsCredentials(.list) { return .accepted }
        guard configuration.credentials.secret != nil else { return .notTried("no secret is set") }
        guard let ownProduct else {
            return .notTried("the check needs a product of the vendor, and the state holds none")
        }
        let write: WriteRequest
        switch wire.market.identity.proof {
        case .deleteKey?: write = WriteRequest(.deleteKey(ownProduct))
        case .changeOfNothing?: write = WriteRequest(.proveOwnership(ownProduct))
        case nil: return .notTried("the description has no harmless request to test them with")
        }
        switch await perform(write) {
        case .succeeded: return .accepted
        case .refused(let refusal): return .rejected(refusal.message)
        case .notSent(let trouble), .uncertain(let trouble): return .notTried(trouble.message)
        }
    }
}

extension MarketError {
    package static func otherProfile(_ found: [MarketProfile], than profile: MarketProfile) -> MarketError {
        MarketError(
            .profile,
            "the market's profile is \(found.map(\.name).joined(separator: " or ")), not \(profile)"
        )
    }
}
