import OpenMarket
import OpenMarketDescription

/// The result of a write probe: one hidden product was created, changed and removed again.
package struct WriteProbe: Sendable {
    /// A value that a market shows after a request that set it.
    enum Echo: Hashable, Sendable {
        case asSent
        /// Another value, as the description states.
        case normalised(String)
        case other(String)
        case missing
        /// The request failed, for this reason.
        case failed(String)
        /// It was not tried, for this reason.
        case untried(String)
    }

    struct Field: Sendable {
        var field: ProductField
        /// The value sent in the create.
        var sent: String
        /// The value shown after the create.
        var created: Echo
        /// The value shown after another value was sent.
        var changed: Echo
        /// The value shown after the value was removed.
        var cleared: Echo
    }

    struct Step: Sendable {
        /// The request or check, such as `create again`, `same key` or `delete`.
        var name: String
        var outcome: String
        /// Whether the outcome matches the description.
        var isSound: Bool
    }

    /// The bytes of the probed description.
    var source: [UInt8]
    /// The product's key in the journal.
    package var key: String
    /// The market's id of the product; `nil` if none was created.
    var product: MarketID?
    var steps: [Step] = []
    var fields: [Field] = []
    /// Differences between the description and the market, each with its line.
    var faults: [Problem] = []
    /// The product that remains on the market; `nil` if it is gone.
    var remains: String?
    /// The error that ended reading the market.
    var failure: MarketError?

    /// Whether everything matches the description, and the product is removed.
    var isSound: Bool {
        faults.isEmpty && remains == nil && failure == nil && steps.allSatisfy(\.isSound)
    }

    /// Checks that everything matches the description, and the product is removed.
    ///
    /// A product that remains is reported before all else, because it exists; then the error that ended reading the
    /// market.
    package func requireSound() throws {
        if let remains { throw CommandFailure(.partialFailure, remains, help: "the next apply tries again") }
        if let failure { throw failure }
        guard isSound else { throw CommandFailure(.invalidInput, "the market differs from its description") }
    }
}
