import OpenMarket

/// Everything that a description sets in a request, with parameters filled in, for a person to review before any
/// request.
package struct RequestForm: Equatable, Sendable {
    package var operation: MarketDescription.Operation
    package var method: MarketDescription.Method
    /// Path and queries, constants included; values filled for each request are in braces.
    package var address: String
    /// The headers, constants included, as `name: value`; credentials in braces.
    package var headers: [String]
    /// The constants of the body, each as `path: value`; `*` is an array element.
    package var constants: [String] = []
    /// The paths in the body for values of a product or a credential, in order.
    package var places: [String] = []
    /// Additional constants of a product hidden from buyers, each as `path: value`.
    package var hidden: [String] = []
}

extension MarketDescription {
    /// Every request that may be sent, in the order of ``endpoints``.
    package func requestForms(_ values: [String: String]) -> [RequestForm] {
        func filled(_ text: String, encoded: Bool = false) -> String {
            // In one pass: braces inside a value are not placeholders.
            text.replacing(/\{([a-z0-9_]+)\}/) { match in
                let name = String(match.1)
                guard parameters.contains(where: { $0.name == name }), let value = values[name] else {
                    return String(match.0)
                }
                return encoded ? value.percentEncoded : value
            }
        }
        return endpoints.map { endpoint in
            var form = RequestForm(
                operation: endpoint.operation,
                method: endpoint.method,
                address: filled(endpoint.address, encoded: true),
                headers: endpoint.headers.map { "\($0.name): \(filled($0.value.description))" }
                    + (endpoint.repeatHeader.map { ["\($0): {idempotency_key}"] } ?? [])
                    + endpoint.credentials.compactMap(\.headerForm)
            )
            for part in bodyParts(of: endpoint.operation) {
                let place = filled(part.words(in: endpoint.body))
                switch part.content {
                case .constant(let literal), .companion(_, let literal):
                    form.constants.append("\(place): \(filled(literal.description))")
                case .hiding(let literal): form.hidden.append("\(place): \(filled(literal.description))")
                case .kept, .key, .field, .pictures, .credential, .files: form.places.append(place)
                }
                guard let item = part.item else { continue }
                for member in [PlacedValue(name: item.place, value: item.value)] + item.values {
                    form.constants.append("\(place)/*" + filled("\(member.name): \(member.value)"))
                }
            }
            form.constants = form.constants.unique
            form.places = form.places.unique
            return form
        }
    }
}

extension MarketDescription.Credential {
    /// The header with the credential in braces; `nil` if the credential is in the body.
    fileprivate var headerForm: String? {
        func half(_ half: Half?) -> String {
            switch half {
            case .slot(let slot): "{\(slot.rawValue)}"
            case .constant(let text): text
            case nil: ""
            }
        }
        return switch self {
        case .basic(let basic): "Authorization: Basic \(half(basic.user)):\(half(basic.password))"
        case .header(let header): "\(header.name): \(header.prefix ?? ""){\(header.slot.rawValue)}"
        case .field: nil
        }
    }
}

extension [String] {
    /// The distinct texts, each at its first position.
    var unique: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
