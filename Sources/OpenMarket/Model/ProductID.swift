/// The market's number for a product.
///
/// 64 bits; the market gives them in rising order.
public struct ProductID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: Int64

    /// Wraps a number of the market's.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Wraps a number of the market's.
    public init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// By number, so by age.
    public static func < (left: ProductID, right: ProductID) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The number in decimal.
    public var description: String { String(rawValue) }
}
