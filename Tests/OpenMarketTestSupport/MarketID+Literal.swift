@testable import OpenMarket

/// Ids as plain numbers, so that expected values read well.
extension MarketID: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int64) { self.init(value) }
}

extension MarketID {
    /// The number, for tests of markets that have no other ids.
    var whole: Int64 {
        guard let number else { preconditionFailure("the id \(self) is a text") }
        return number
    }
}
