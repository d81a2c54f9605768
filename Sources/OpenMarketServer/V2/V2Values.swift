import HTTPTypes
import OpenMarket

/// The values of a v2 request's JSON, read as leniently as the market's Jackson did.
///
/// Unknown keys are ignored, numbers may be texts, and an empty text for a number is `null`. A value is `nil` if its
/// key is absent, and holds `nil` if it is `null`.
struct V2Values: Sendable {
    private let json: JSONValue

    enum Key: String {
        case name, description, descriptions, currency, price, stock, secret
        case discountedPrice = "discounted_price"
        case thumbnailID = "thumbnail_id"
    }

    init(json: [UInt8]) throws {
        guard let value = JSONValue(request: json), value.members != nil else {
            throw Self.failure("JSON parse error")
        }
        self.json = value
    }

    func text(_ key: Key) throws -> String?? {
        let text: String
        switch json[key.rawValue] {
        case nil: return nil
        case .null: return .some(nil)
        case .string(let value), .unrepresentableNumber(let value): text = value
        case .number(let number): text = number.description
        case .bool(let bool): text = String(bool)
        case .array, .object: throw Self.failure("'\(key.rawValue)' is not a text")
        }
        let isLong = key == .description || key == .descriptions
        if let fault = text.fault(limit: isLong ? TextLimits.description : TextLimits.text) {
            throw Self.failure("'\(key.rawValue)' \(fault)")
        }
        return text
    }

    func number(_ key: Key) throws -> ExactDecimal?? {
        switch json[key.rawValue] {
        case nil: return nil
        case .null: return .some(nil)
        case .number(let number): return number
        case .string(let text) where text.isEmpty: return .some(nil)
        case .string(let text):
            guard let number = ExactDecimal(text) else { throw Self.failure("'\(key.rawValue)' is not a number") }
            return number
        case .unrepresentableNumber: throw Self.failure("'\(key.rawValue)' is a number out of range")
        case .bool, .array, .object: throw Self.failure("'\(key.rawValue)' is not a number")
        }
    }

    /// An integer; fractions are truncated, as Jackson does.
    func integer(_ key: Key) throws -> Int64?? {
        try number(key).map { number in
            number.map { number in (0..<number.scale).reduce(number.significand) { value, _ in value / 10 } }
        }
    }

    /// An error reply; its shape is one client's assumption, because the market's was never recorded.
    static func failure(_ message: String, status: HTTPResponse.Status = .badRequest) -> WireReply {
        var reply = WireReply(status) { json in
            json.member("code", status.code)
            json.member("message", message)
        }
        reply.reason = message
        return reply
    }

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
            if let name { fields.name = name ?? "" }
            if let description { fields.description = description ?? "" }
            if let currency { fields.currency = currency }
            if let price { fields.price = price }
            if let discount { fields.discount = discount }
            if let stock { fields.stock = stock }
        }
    }
}
