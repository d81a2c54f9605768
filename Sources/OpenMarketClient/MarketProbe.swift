import NIOCore
public import OpenMarket

/// What a look at a market found.
public struct MarketReport: Hashable, Sendable {
    /// What is known of the credentials.
    public enum CredentialCheck: Hashable, Sendable {
        /// The market took them.
        case accepted
        /// The market rejected them, in these words.
        case rejected(String)
        /// They were not tried, for this reason.
        case notTried(String)
    }

    /// The profiles that the URL may have: one, or both of v1, which cannot be distinguished by reading.
    public var profiles: [MarketProfile]
    /// Whether the health check said yes (v2); `nil` where there is none.
    public var isHealthy: Bool?
    /// How long the first page of the list took.
    public var pageTime: Duration
    /// How many rows the first page has.
    public var pageRows: Int
    /// How many products the market says it has (v2).
    public var total: Int?
    /// What is known of the credentials.
    public var credentials: CredentialCheck
}

extension MarketClient {
    /// Looks at the market: which profile it has, whether it is healthy, how fast it is, and whether the credentials
    /// work, where that can be tried without changing anything.
    ///
    /// - Parameter ownProduct: a product known to be ours, to try the credentials on: v2 is asked for its delete key, which
    ///   has no known effect by itself; v1 takes a change of nothing.
    /// - Returns: what was found.
    /// - Throws: ``MarketError`` when the market cannot be reached, or has none of the four profiles.
    public func probe(ownProduct: ProductID? = nil) async throws -> MarketReport {
        let start = ContinuousClock.now
        let (profiles, page) = try await detect()
        let pageTime = ContinuousClock.now - start
        var isHealthy: Bool?
        if let path = profiles.first.flatMap({ Dialect($0).healthPath }) {
            isHealthy = try await read(path, limit: configuration.replyByteLimit) { $0.status < 300 }
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
    public func requireProfile() async throws {
        var found = try await profiles(of: dialect, size: 1)?.0
        if found == nil {
            // No such list: perhaps another profile's is there.
            let other: MarketProfile = if case .fixed = dialect.paging { .v2b } else { .v1b }
            found = try? await profiles(of: Dialect(other), size: 1)?.0
        }
        guard let found, !found.contains(dialect.profile) else { return }
        throw MarketError.otherProfile(found, than: dialect.profile)
    }

    /// Which profiles answer the list like this market does.
    ///
    /// Those like the one that is set come first, because a server may have several.
    private func detect() async throws -> ([MarketProfile], LivePage) {
        for dialect in [dialect] + [MarketProfile.v2b, .v1b].map({ Dialect($0) }) {
            if let found = try await profiles(of: dialect, size: nil) { return found }
        }
        throw MarketError(.unreadable, "no supported API profile (v1a, v1b, v2a, v2b) found at this URL")
    }

    /// The profiles that answer like this when they are asked for a first page in one's way.
    ///
    /// `nil` when the market has no such page.
    private func profiles(of dialect: Dialect, size: Int?) async throws -> ([MarketProfile], LivePage)? {
        let path = dialect.pagePath(1, size: size)
        return try await read(path, limit: configuration.pageByteLimit) { reply in
            guard reply.status != 404 else { return nil }
            let page = try reply.body.withUnsafeReadableBytes { try PageReader(dialect, page: 1).read($0) }
            guard page.isPage else { return nil }
            switch dialect.paging {
            case .fixed: return ([.v1a, .v1b], page)
            case .sized:
                // A page past the end is empty, and says nothing.
                guard reply.body.readableBytes > 0 else { return ([.v2a, .v2b], page) }
                // The two differ in the case of the page's own keys (docs/profiles.md, "Dirty data").
                let keys = Set(try JSONValue.parse(reply.bytes()).members?.map(\.name) ?? [])
                if keys.contains("pageNo") || keys.contains("totalCount") { return ([.v2b], page) }
                if keys.contains("page_no") || keys.contains("total_count") { return ([.v2a], page) }
                return ([.v2a, .v2b], page)
            }
        }
    }

    private func tryCredentials(
        _ ownProduct: ProductID?,
        _ profiles: [MarketProfile]
    ) async -> MarketReport.CredentialCheck {
        guard profiles.contains(dialect.profile) else {
            return .notTried("the market's profile is not \(dialect.profile), for which the credentials are configured")
        }
        guard configuration.credentials.secret != nil else { return .notTried("no secret is set") }
        guard let ownProduct else {
            return .notTried("that needs a product of ours, and none is known")
        }
        let write: WriteRequest =
            switch dialect.deletion {
            case .keyed: WriteRequest(.deleteKey(ownProduct))
            case .direct: WriteRequest(.proveOwnership(ownProduct))
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
    public static func otherProfile(_ found: [MarketProfile], than profile: MarketProfile) -> MarketError {
        MarketError(
            .profile,
            "the market's profile is \(found.map(\.rawValue).joined(separator: " or ")), not \(profile)"
        )
    }
}
