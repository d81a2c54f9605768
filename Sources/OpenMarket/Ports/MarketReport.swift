/// What a look at a market found.
package struct MarketReport: Hashable, Sendable {
    /// What is known of the credentials.
    package enum CredentialCheck: Hashable, Sendable {
        /// The market took them.
        case accepted
        /// The market rejected them, in these words.
        case rejected(String)
        /// They were not tried, for this reason.
        case notTried(String)
    }

    /// The profiles that the URL may have: one, or both of v1, which cannot be distinguished by reading.
    package var profiles: [MarketProfile]
    /// Whether the health check said yes (v2); `nil` where there is none.
    package var isHealthy: Bool?
    /// How long the first page of the list took.
    var pageTime: Duration
    /// How many rows the first page has.
    package var pageRows: Int
    /// How many products the market says it has (v2).
    package var total: Int?
    /// What is known of the credentials.
    package var credentials: CredentialCheck

    /// What was found.
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

    /// How long the first page took, in whole milliseconds.
    package var pageMilliseconds: Int { Int((pageTime / .milliseconds(1)).rounded()) }
}
