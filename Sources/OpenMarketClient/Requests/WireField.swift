public import OpenMarket

/// A named value on its way to the market.
public struct WireField: Hashable, Sendable {
    /// A value, still knowing whether it is a secret.
    public enum Value: Hashable, Sendable {
        /// A text.
        case text(String)
        /// A price or an amount.
        case number(ExactDecimal)
        /// A stock, or an id that is a number.
        case integer(Int64)
        /// A password, a vendor's secret or identifier.
        case secret(Secret)

        /// An id as what it is.
        static func id(_ id: MarketID) -> Value {
            switch id {
            case .number(let number): .integer(number)
            case .text(let text): .text(text)
            }
        }

        /// The value as text, the secret revealed: for the request only.
        var revealed: String {
            switch self {
            case .text(let text): text
            case .number(let number): number.description
            case .integer(let integer): String(integer)
            case .secret(let secret): secret.revealed
            }
        }

        /// The value as text, a secret as `•••`.
        public var masked: String {
            if case .secret(let secret) = self { secret.description } else { revealed }
        }
    }

    /// The field's name on the wire.
    public var name: String
    /// Its value.
    public var value: Value

    /// A named value.
    public init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    /// The fields as a JSON object in their order.
    static func json(_ fields: [WireField], masked: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            for field in fields {
                switch field.value {
                case .text(let text): writer.member(field.name, text)
                case .number(let number): writer.member(field.name, number)
                case .integer(let integer): writer.member(field.name, integer)
                case .secret(let secret): writer.member(field.name, masked ? secret.description : secret.revealed)
                }
            }
        }
        return writer.bytes
    }
}
