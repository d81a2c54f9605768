import NIOCore
package import OpenMarket
import OpenMarketDescription

extension MarketClient {
    /// Looks at the market: which profile it has, whether it is healthy, how fast it is, and whether the credentials
    /// work, where that can be tried without changing anything.
    ///
    /// - Parameter ownProduct: a product known to be ours, to try the credentials on: v2 is asked for its delete key, which
    ///   has no known effect by itself; v1 takes a change of nothing.
    /// - Returns: what was found.
    /// - Throws: ``MarketError`` when the market cannot be reached, or has none of the four profiles.
    package func probe(ownProduct: MarketID? = nil) async throws -> MarketReport {
        let start = ContinuousClock.now
        let (profiles, page) = try await detect()
        let pageTime = ContinuousClock.now - start
        var isHealthy: Bool?
        let found = profiles.first.map { $0 == configuration.profile ? wire : MarketWire($0, base: base) } ?? wire
        if let path = try found.healthTarget() {
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

    /// Makes sure that the market has the profile that is set, as far as its list shows.
    ///
    /// Another one would take a product and silently drop the fields that it calls otherwise (docs/profiles.md, "What you
    /// notice").
    ///
    /// - Throws: ``MarketError``, `profile` when the market has another profile.
    package func requireProfile() async throws {
        var found = try await profiles(of: wire, size: 1)?.0
        if found == nil, wire.builtIn != nil {
            // No such list: perhaps another profile's is there.
            let own = try wire.target(of: wire.firstPage(size: 1))
            for other in Self.guessed.map({ MarketWire($0, base: base) })
            where try other.target(of: other.firstPage(size: 1)) != own && found == nil {
                found = try? await profiles(of: other, size: 1)?.0
            }
        }
        guard let found, !found.contains(configuration.profile) else { return }
        throw MarketError.otherProfile(found, than: configuration.profile)
    }

    /// One of the built-in profiles for each way to ask for a list.
    private static var guessed: [MarketProfile] { [.v2b, .v1b] }

    /// Which profiles answer the list like this market does.
    ///
    /// Those like the one that is set come first, because a server may have several. A market that a file describes is not
    /// guessed: it is that one, or none.
    private func detect() async throws -> ([MarketProfile], LivePage) {
        let others = wire.builtIn == nil ? [] : Self.guessed.map { MarketWire($0, base: base) }
        for wire in [wire] + others {
            if let found = try await profiles(of: wire, size: nil) { return found }
        }
        guard wire.builtIn != nil else {
            throw wire.unrecognised
        }
        throw MarketError(.unreadable, "no supported API profile (v1a, v1b, v2a, v2b) found at this URL")
    }

    /// The profiles that answer like this when they are asked for a first page in one's way.
    ///
    /// `nil` when the market has no such page.
    private func profiles(of asked: MarketWire, size: Int?) async throws -> ([MarketProfile], LivePage)? {
        let path = try asked.target(of: asked.firstPage(size: size))
        let alike =
            try asked.builtIn == nil
            ? []
            : MarketProfile.builtIns.filter { profile in
                let other = MarketWire(profile, base: base)
                return try other.target(of: other.firstPage(size: size)) == path
            }
        return try await read(path, for: .list, limit: configuration.pageByteLimit) { reply in
            guard reply.status != 404 else { return nil }
            let facts = asked.pageReply(reply)
            let page = try PageReader(asked, page: 1).read(facts, reply.body.readableBytesUInt8Span)
            guard page.isPage else { return nil }
            // A page past the end is empty, and says nothing.
            let body = reply.body.readableBytes > 0 ? try JSONValue.parse(reply.bytes()) : nil
            guard asked.builtIn != nil else {
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
            return .notTried("the market's profile is not \(wire.name), for which the credentials are configured")
        }
        // The page was not answered without them.
        if wire.sendsCredentials(.list) { return .accepted }
        guard configuration.credentials.secret != nil else { return .notTried("no secret is set") }
        guard let ownProduct else {
            return .notTried("that needs a product of ours, and none is known")
        }
        let write: WriteRequest
        switch wire.market.identity.proof {
        case .deleteKey?: write = WriteRequest(.deleteKey(ownProduct))
        case .updateNothing?: write = WriteRequest(.proveOwnership(ownProduct))
        case nil: return .notTried("no request that changes nothing shows whether they work")
        }
        switch await perform(write) {
        case .succeeded: return .accepted
        case .refused(let refusal): return .rejected(refusal.message)
        case .notSent(let trouble), .uncertain(let trouble): return .notTried(trouble.message)
        }
    }
}

extension MarketError {
    /// The market has another profile than the one that is set.
    package static func otherProfile(_ found: [MarketProfile], than profile: MarketProfile) -> MarketError {
        MarketError(
            .profile,
            "the market's profile is \(found.map(\.name).joined(separator: " or ")), not \(profile)"
        )
    }
}
