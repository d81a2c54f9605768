import FoundationEssentials
import OpenMarket

/// A JSON value of any kind, as a request may hold it.
enum WireValue: Hashable, Sendable, Decodable {
    case null
    case bool(Bool)
    case number(ExactDecimal)
    case string(String)
    case array([WireValue])
    case object([String: WireValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([WireValue].self) {
            self = .array(value)
        } else if let value = try? container.decode([String: WireValue].self) {
            self = .object(value)
        } else {
            let number = try container.decode(Decimal.self)
            guard let value = ExactDecimal(number.description) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "a number out of range")
            }
            self = .number(value)
        }
    }

    /// Reads any value; `nil` for what is not JSON.
    init?(json bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(WireValue.self, from: Data(bytes)) else { return nil }
        self = value
    }

    /// Reads an object; `nil` for anything else, or what is not JSON.
    static func object(in bytes: [UInt8]) -> [String: WireValue]? {
        guard case .object(let members) = WireValue(json: bytes) else { return nil }
        return members
    }
}

extension String {
    /// Whether the text holds U+0000, where SQLite would end it silently.
    var holdsNull: Bool { utf8.contains(0) }
}
