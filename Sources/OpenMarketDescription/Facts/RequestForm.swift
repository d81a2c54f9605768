import OpenMarket

/// All that a description sets in a request, with parameters filled, for a person to review before anything is sent.
package struct RequestForm: Equatable, Sendable {
    package var operation: MarketDescription.Operation
    package var method: MarketDescription.Method
    /// Path and queries, constants included; values filled for each request are in braces.
    package var address: String
    /// The headers, constants included, as `name: value`; credentials in braces.
    package var headers: [String]
    /// The constants of the body, each as `path: value`; `*` is an array element.
    package var constants: [String]
    /// The paths in the body that a product or a credential fills, in order.
    package var places: [String]
    /// Additional constants of a product hidden from buyers, each as `path: value`.
    package var hidden: [String]
}

extension MarketDescription {
    /// Every request that can ever be sent, in the order of ``endpoints``.
    package func requestForms(_ values: [String: String]) -> [RequestForm] {
        func filled(_ text: String, encoded: Bool = false) -> String {
            // In one pass: braces inside a value are its own.
            text.replacing(/\{([a-z0-9_]+)\}/) { match in
                let name = String(match.1)
                guard parameters.contains(where: { $0.name == name }), let value = values[name] else {
                    return String(match.0)
                }
                return encoded ? value.percentEncoded : value
            }
        }
        func constants(_ values: [PlacedValue], in body: Body?, below place: String = "") -> [String] {
            let inside = (body?.inside?.description ?? "") + place
            return values.map { filled("\(inside)\($0.name): \($0.value)") }
        }
        return zip(endpoints, sampleRequests(values)).map { endpoint, sample in
            let write = operations.write(endpoint.operation)
            var values = write?.values ?? []
            var elements: [String] = []
            if endpoint.operation == .create || endpoint.operation == .update {
                let said = fields.order.compactMap { fields.place(of: $0) }.filter { $0.isSaid(by: endpoint.operation) }
                values += said.filter { $0.writing != nil }.flatMap(\.companions)
                for place in said {
                    guard let pointer = place.writing, let item = place.item else { continue }
                    let members = [PlacedValue(name: item.place, value: item.value)] + item.values
                    for element in constants(members, in: endpoint.body, below: "\(pointer)/*")
                    where !elements.contains(element) {
                        elements.append(element)
                    }
                }
            }
            let fixed = constants(values, in: endpoint.body) + elements
            let names = Set(values.map { (endpoint.body?.inside?.description ?? "") + "\($0.name)" })
            return RequestForm(
                operation: endpoint.operation,
                method: endpoint.method,
                address: filled(endpoint.address, encoded: true),
                headers: endpoint.headers.map { "\($0.name): \(filled($0.value.description))" }
                    + (endpoint.repeatHeader.map { ["\($0): {repeat_key}"] } ?? [])
                    + endpoint.credentials.compactMap(\.headerForm),
                constants: fixed,
                places: sample.body.filter { !names.contains($0) }.map { filled($0) },
                hidden: constants(write?.hidden ?? [], in: endpoint.body)
            )
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
        case .bearer(let bearer): "Authorization: Bearer {\(bearer.slot.rawValue)}"
        case .header(let header): "\(header.name): \(header.prefix ?? ""){\(header.slot.rawValue)}"
        case .field: nil
        }
    }
}
