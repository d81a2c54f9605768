/// The result of checking a market.
package struct MarketReport: Hashable, Sendable {
    package enum CredentialCheck: Hashable, Sendable {
        case accepted
        case rejected(String)
        case notTried(String)
    }

    /// The profiles that the URL may have: one, or both of v1, which cannot be distinguished by reading.
    package var profiles: [MarketProfile]
    /// The result of the health check (v2); `nil` if there is none.
    package var isHealthy: Bool?
    var pageTime: Duration
    package var pageRows: Int
    /// The number of products that the market reports (v2).
    package var total: Int?
    package var credentials: CredentialCheck

    package init(
        profiles: [MarketProfile],
        isHealthy: Bool? = nil,
        pageTime: Duration,
        pageRows: Int,
        total: Int? = nil,
        credentials: CredentialCheck
    ) {
        self.profiles = profiles
        self.isHealthy = isHealthy
        self.pageTime = pageTime
        self.pageRows = pageRows
        self.total = total
        self.credentials = credentials
    }

    package var pageMilliseconds: Int { Int((pageTime / .milliseconds(1)).rounded()) }
}

extension MarketReport {
    package func document(of url: String) -> JSONValue {
        let credentials: (status: String, message: String?) =
            switch credentials {
            case .accepted: ("accepted", nil)
            case .rejected(let why): ("rejected", why)
            case .notTried(let why): ("not_tried", why)
            }
        return .object(
            of: ("format_version", .formatVersion),
            ("url", .string(url)),
            ("profiles", .array(profiles.map { .string($0.name) })),
            ("healthy", isHealthy.map(JSONValue.bool)),
            ("page_ms", .integer(pageMilliseconds)),
            ("page_rows", .integer(pageRows)),
            ("total", total.map { .integer($0) }),
            (
                "credentials",
                .object(
                    of: ("status", .string(credentials.status)),
                    ("message", credentials.message.map(JSONValue.string))
                )
            )
        )
    }
}
