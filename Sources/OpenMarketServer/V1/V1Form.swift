import HTTPTypes
import OpenMarket

/// The fields of a v1 form by name.
///
/// Unknown fields are ignored, as the market did.
struct V1Form: Sendable {
    private let fields: [String: String]
    private static let names: Set = [
        "title", "descriptions", "price", "currency", "discounted_price", "stock", "password",
    ]
    private let dialect: V1Dialect
    let images: [Upload]

    /// Sorts the parts; a file part not named `images[]` gets the error page.
    init(_ form: MultipartForm, dialect: V1Dialect) throws {
        var fields: [String: String] = [:]
        var images: [Upload] = []
        for part in form.parts {
            if part.name == "images[]" {
                images.append(Upload(part))
            } else if part.fileName != nil {
                throw V1Dialect.unavailable
            } else if Self.names.contains(part.name) {
                guard let text = part.text else { throw dialect.failure(.badRequest, "'\(part.name)' is not UTF-8.") }
                let limit = part.name == "descriptions" ? TextLimits.description : TextLimits.text
                if let fault = text.fault(limit: limit) {
                    throw dialect.failure(.badRequest, "'\(part.name)' \(fault).")
                }
                fields[part.name] = text
            }
        }
        self.fields = fields
        self.images = images
        self.dialect = dialect
    }

    func text(_ name: String) -> String? { fields[name] }

    func required(_ name: String) throws -> String {
        try fields[name] ?? missing(name)
    }

    func missing<Value>(_ name: String) throws -> Value {
        throw dialect.failure(.badRequest, "Value required for key '\(name)'.")
    }

    func integer(_ name: String) throws -> Int64? {
        guard let text = fields[name] else { return nil }
        guard let value = Int64(text) else { throw dialect.failure(.badRequest, "'\(name)' is not an integer.") }
        return value
    }

    func price(_ name: String) throws -> ExactDecimal? {
        try integer(name).map { ExactDecimal($0) }
    }
}
