import HTTPTypes
import OpenMarket

/// The values of a v2 request's JSON, read as leniently as the market's Jackson did.
///
/// Unknown keys are ignored, numbers may be texts, and an empty text for a number is `null`.
struct V2Values: Sendable {
    private let members: [Key: WireValue]

    enum Key: String {
        case name, description, descriptions, currency, price, stock, secret
        case discountedPrice = "discounted_price"
        case thumbnailID = "thumbnail_id"
    }

    /// A value that may be absent, `null`, or present.
    enum Given<Value: Sendable>: Sendable {
        case absent
        case null
        case value(Value)
    }

    init(json: [UInt8]) throws {
        guard let members = WireValue.members(Key.self, in: json) else { throw Self.failure("JSON parse error") }
        self.members = members
    }

    func text(_ key: Key) throws -> Given<String> {
        let text: String
        switch members[key] {
        case nil: return .absent
        case .null: return .null
        case .string(let value), .unrepresentableNumber(let value): text = value
        case .number(let number): text = number.description
        case .bool(let bool): text = String(bool)
        case .nested: throw Self.failure("'\(key.rawValue)' is not a text")
        }
        guard !text.holdsNull else { throw Self.failure("'\(key.rawValue)' holds the character U+0000") }
        let isLong = key == .description || key == .descriptions
        let limit = isLong ? TextLimits.description : TextLimits.text
        guard text.utf8.count <= limit else {
            throw Self.failure("'\(key.rawValue)' has more than \(limit) bytes")
        }
        return .value(text)
    }

    func number(_ key: Key) throws -> Given<ExactDecimal> {
        switch members[key] {
        case nil: return .absent
        case .null: return .null
        case .number(let number): return .value(number)
        case .string(let text) where text.isEmpty: return .null
        case .string(let text):
            guard let number = ExactDecimal(text) else { throw Self.failure("'\(key.rawValue)' is not a number") }
            return .value(number)
        case .unrepresentableNumber: throw Self.failure("'\(key.rawValue)' is a number out of range")
        case .bool, .nested: throw Self.failure("'\(key.rawValue)' is not a number")
        }
    }

    /// An integer; a fraction is cut off, as Jackson does.
    func integer(_ key: Key) throws -> Given<Int64> {
        switch try number(key) {
        case .absent: return .absent
        case .null: return .null
        case .value(let number):
            var value = number.significand
            for _ in 0..<number.scale { value /= 10 }
            return .value(value)
        }
    }

    /// An error reply; its shape is one client's assumption, because the market's was never recorded.
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
    /// Only numbers without a default can be missing; missing texts are empty.
    func newFields(_ dialect: V2Dialect) throws -> ProductFields {
        var fields = ProductFields(name: "", description: "", discount: .zero, stock: 0)
        try change(dialect)(&fields)
        return fields
    }

    /// The edit that the keys describe.
    func change(_ dialect: V2Dialect) throws -> @Sendable (inout ProductFields) -> Void {
        let name = try text(.name)
        let description = try text(dialect.requestDescription)
        let currency = try text(.currency)
        let price = try number(.price)
        let discount = try number(.discountedPrice)
        let stock = try integer(.stock)
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
