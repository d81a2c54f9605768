import OpenMarket
import OpenMarketDescription

/// The result of a trial of writing: one hidden product was created, changed and removed again.
package struct WriteProbe: Sendable {
    /// A value that a market shows after a request that set it.
    enum Echo: Hashable, Sendable {
        case asSent
        /// Another value, in the way that the description states.
        case normalised(String)
        case other(String)
        case missing
        /// The request was not carried out, for this reason.
        case failed(String)
        /// It was not tried, for this reason.
        case untried(String)
    }

    struct Field: Sendable {
        var field: ProductField
        /// The value that was sent when the product was created.
        var sent: String
        /// The value shown after the create.
        var created: Echo
        /// The value shown after another value was sent.
        var changed: Echo
        /// The value shown after the value was removed.
        var cleared: Echo
    }

    /// A request and its outcome.
    struct Step: Sendable {
        /// One of `create`, `create again`, `same key`, `find`, `delete`.
        var name: String
        var outcome: String
        /// Whether the outcome matches the description.
        var isSound: Bool
    }

    /// Why a trial failed although the market could be read.
    package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// This is left on the market.
        case remains(String)
        /// The description is wrong.
        case otherwise

        package var description: String {
            switch self {
            case .remains(let product): product
            case .otherwise: "the market does otherwise than its description says"
            }
        }
    }

    /// The bytes of the description that was tried.
    var source: [UInt8]
    /// The product's key, by which it is found in the journal.
    package var key: String
    /// The market's id of the product; `nil` if none was created.
    var product: MarketID?
    /// The requests, in order.
    var steps: [Step] = []
    /// The fields that can be written.
    var fields: [Field] = []
    /// Differences between the description and the market, each with its line.
    var faults: [Problem] = []
    /// The product that is left on the market; `nil` if it is gone.
    var remains: String?
    /// Why the market could not be read any more.
    var failure: MarketError?

    /// Whether everything matches the description, and nothing is left.
    var isSound: Bool {
        faults.isEmpty && remains == nil && failure == nil && steps.allSatisfy(\.isSound)
    }

    /// Checks that everything matches the description, and nothing is left.
    ///
    /// Throws ``Fault/remains(_:)`` before all else, because the product exists; then the reason why the market could
    /// not be read, then ``Fault/otherwise``.
    package func requireSound() throws {
        if let remains { throw Fault.remains(remains) }
        if let failure { throw failure }
        guard isSound else { throw Fault.otherwise }
    }
}
