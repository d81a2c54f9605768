/// A currency code as the market writes it.
///
/// The API sends and accepts `KRW` and `USD`; what else a live row may hold is kept as it stands
/// (docs/profiles.md, "Limits").
public struct Currency: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code, such as `KRW`.
    public let rawValue: String

    /// A code as it stands, unchecked.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// South Korean won: has no fractions.
    public static let krw = Currency(rawValue: "KRW")

    /// United States dollar.
    public static let usd = Currency(rawValue: "USD")

    /// The codes that a manifest may use.
    public static let known: [Currency] = [.krw, .usd]

    /// How many digits may stand after the point, for the currencies that a manifest may use.
    public var fractionDigits: Int {
        self == .krw ? 0 : 2
    }

    /// Compares the bytes: a live row may hold a code that only looks like one of ours.
    public static func == (left: Currency, right: Currency) -> Bool { left.rawValue.isExactly(right.rawValue) }

    /// The code.
    public var description: String { rawValue }
}
