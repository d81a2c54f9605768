import OpenMarket
import OpenMarketDescription

/// What a trial of writing showed: one hidden product was made, changed and removed again.
package struct MarketTrial: Sendable {
    /// What a market shows of a value after a request that said it.
    enum Echo: Hashable, Sendable {
        /// The value.
        case asSent
        /// Another one, as its description says that it does.
        case normalised(String)
        /// Another one.
        case other(String)
        /// None.
        case missing
        /// The request was not carried out, for this reason.
        case failed(String)
        /// It was not tried, for this reason.
        case untried(String)

        /// Whether a description that leads to this is wrong.
        var isWrong: Bool {
            switch self {
            case .asSent, .normalised, .untried: false
            case .other, .missing, .failed: true
            }
        }
    }

    /// A field of the product.
    struct Field: Sendable {
        /// The field.
        var field: ProductField
        /// What was sent when the product was made.
        var sent: String
        /// What was shown then.
        var created: Echo
        /// What was shown after another value was sent.
        var changed: Echo
        /// What was shown after the value was taken away.
        var cleared: Echo
    }

    /// A request, and what came of it.
    struct Step: Sendable {
        /// What was done: `create`, `create again`, `same key`, `find`, `delete`.
        var name: String
        /// What came of it.
        var outcome: String
        /// Whether that is as described.
        var isSound: Bool
    }

    /// Why a trial did not end well, where the market could be read.
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

    /// The description that was tried.
    var source: [UInt8]
    /// The product's key, by which it is found in the journal.
    package var key: String
    /// The market's id of it, where one was made.
    var product: MarketID?
    /// What was done, in order.
    var steps: [Step] = []
    /// The fields that can be written.
    var fields: [Field] = []
    /// What the description says otherwise than the market does, each with its line.
    var faults: [DescriptionFault] = []
    /// What is left on the market; `nil` where nothing is.
    var remains: String?
    /// Why the market could not be read any more.
    var failure: MarketError?

    /// Whether all is as described, and nothing is left.
    var isSound: Bool {
        faults.isEmpty && remains == nil && failure == nil && steps.allSatisfy(\.isSound)
    }

    /// Makes sure that all is as described, and nothing is left.
    ///
    /// - Throws: ``Fault/remains(_:)`` before all else, because the product is there, then what kept the market from being
    ///   read, then ``Fault/otherwise``.
    package func requireSound() throws {
        if let remains { throw Fault.remains(remains) }
        if let failure { throw failure }
        guard isSound else { throw Fault.otherwise }
    }
}
