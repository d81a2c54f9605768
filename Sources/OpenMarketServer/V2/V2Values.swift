import HTTPTypes
import OpenMarket

/// The JSON of a v2 request by key, read as leniently as the market's Jackson did: unknown keys are left out, numbers
/// may be texts, and an empty text for a number is `null`.
struct V2Values: Sendable {
    private let members: [String: WireValue]

    /// A value that may be absent, `null`, or there.
    enum Given<Value: Sendable>: Sendable {
        case absent
        case null
        case value(Value)
    }

    init(_ members: [String: WireValue]) {
        self.members = members
    }

    /// Reads a JSON object.
    init(json: [UInt8]) throws {
        guard let members = WireValue.object(in: json) else { throw Self.failure("JSON parse error") }
        self.members = members
    }

    func text(_ key: String) throws -> Given<String> {
        switch members[key] {
        case nil: .absent
        case .null: .null
        case .string(let text) where text.holdsNull: throw Self.failure("'\(key)' holds the character U+0000")
        case .string(let text): .value(text)
        case .number(let number): .value(number.description)
        case .bool(let bool): .value(String(bool))
        case .array, .object: throw Self.failure("'\(key)' is not a text")
        }
    }

    func number(_ key: String) throws -> Given<ExactDecimal> {
        switch members[key] {
        case nil: return .absent
        case .null: return .null
        case .number(let number): return .value(number)
        case .string(let text) where text.isEmpty: return .null
        case .string(let text):
            guard let number = ExactDecimal(text) else { throw Self.failure("'\(key)' is not a number") }
            return .value(number)
        case .bool, .array, .object: throw Self.failure("'\(key)' is not a number")
        }
    }

    /// An integer; a fraction is cut off, as Jackson does.
    func integer(_ key: String) throws -> Given<Int64> {
        switch try number(key) {
        case .absent: return .absent
        case .null: return .null
        case .value(let number):
            var value = number.significand
            for _ in 0..<number.scale { value /= 10 }
            return .value(value)
        }
    }

    /// A message, with 400 unless said otherwise; the shape is an assumption of one client; the market's was never recorded.
    static func failure(_ message: String, status: HTTPResponse.Status = .badRequest) -> WireReply {
        var reply = WireReply(status) { json in
            json.key("code")
            json.integer(status.code)
            json.key("message")
            json.string(message)
        }
        reply.reason = message
        return reply
    }
}

extension V2Values {
    /// A new product's fields.
    ///
    /// Only numbers without a default can be missing; texts are empty then.
    func newFields(_ dialect: V2Dialect) throws -> ProductFields {
        var fields = ProductFields(name: "", description: "", discount: .zero, stock: 0)
        try change(dialect)(&fields)
        return fields
    }

    /// The edit that the keys mean.
    func change(_ dialect: V2Dialect) throws -> @Sendable (inout ProductFields) -> Void {
        let name = try text("name")
        let description = try text(dialect.requestDescription)
        let currency = try text("currency")
        let price = try number("price")
        let discount = try number("discounted_price")
        let stock = try integer("stock")
        return { fields in
            name.assign { fields.name = $0 ?? "" }
            description.assign { fields.description = $0 ?? "" }
            currency.assign { fields.currency = $0 }
            price.assign { fields.price = $0 }
            discount.assign { fields.discount = $0 }
            stock.assign { fields.stock = $0 }
        }
    }
}

extension V2Values.Given {
    fileprivate func assign(_ set: (Value?) -> Void) {
        switch self {
        case .absent: break
        case .null: set(nil)
        case .value(let value): set(value)
        }
    }
}
