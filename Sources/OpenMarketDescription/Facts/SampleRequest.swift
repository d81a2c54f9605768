import OpenMarket

/// An example request to a market, with invented values and hidden credentials.
package struct SampleRequest: Equatable, Sendable {
    var operation: MarketDescription.Operation
    var method: MarketDescription.Method
    /// Path and queries, encoded.
    package var target: String
    /// Headers in order, as `name: value`.
    package var headers: [String]
    /// The paths of filled values in the body, in order; empty without a body.
    package var body: [String]

    /// Replaces a credential.
    static let hidden = "••••"

    package var lines: [String] {
        ["\(method.rawValue) \(target)"] + headers + (body.isEmpty ? [] : ["", body.joined(separator: ", ")])
    }
}

extension MarketDescription {
    /// A request for each endpoint, in the order of the endpoints.
    ///
    /// A missing parameter appears as its name in capitals.
    package func sampleRequests(_ values: [String: String] = [:]) -> [SampleRequest] {
        endpoints.map { sample($0, values) }
    }

    private func sample(_ endpoint: Endpoint, _ values: [String: String]) -> SampleRequest {
        func value(_ placeholder: Placeholder) -> String? {
            switch placeholder {
            case .id: identity.id.kind == .integer ? "123" : "prod_123"
            case .key: "our-key"
            case .last: "100"
            case .offset: "\(firstOffset)"
            case .page: "\(firstPage)"
            case .size: "\(list.page.size.standard ?? 100)"
            case .cursor: "CURSOR"
            case .deleteKey: "DELETE-KEY"
            case .parameter(let name): values[name] ?? name.uppercased()
            }
        }
        let query = endpoint.query.flatMap { query in
            query.value.map { "\(query.name.percentEncoded)=\($0.filled(for: .query, value) ?? "")" }
        }
        let path = endpoint.path.filled(for: .path, value) ?? endpoint.path.description
        return SampleRequest(
            operation: endpoint.operation,
            method: endpoint.method,
            target: path + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
            headers: endpoint.headers.map { "\($0.name): \($0.value.filled(for: .verbatim, value) ?? "")" }
                + (endpoint.repeatHeader.map { ["\($0): REPEAT-KEY"] } ?? [])
                + endpoint.credentials.compactMap(\.sampleHeader) + contentType(endpoint),
            body: bodyParts(of: endpoint.operation).filter { if case .hiding = $0.content { false } else { true } }
                .map { $0.words(in: endpoint.body) }.unique
        )
    }

    private var firstPage: Int { if case .number(let page) = list.page { page.first } else { 1 } }
    private var firstOffset: Int { if case .offset(let page) = list.page { page.first } else { 0 } }

    private func contentType(_ endpoint: Endpoint) -> [String] {
        guard let body = endpoint.body else { return [] }
        return switch body.form {
        case .json: ["Content-Type: \(body.type ?? "application/json")"]
        case .form: ["Content-Type: application/x-www-form-urlencoded"]
        case .parts: ["Content-Type: multipart/form-data"]
        case .raw: ["Content-Type: image/jpeg"]
        }
    }
}

extension MarketDescription.Credential {
    /// The header with the credential hidden; `nil` if the credential is in the body.
    fileprivate var sampleHeader: String? {
        switch self {
        case .basic: "Authorization: Basic \(SampleRequest.hidden)"
        case .bearer: "Authorization: Bearer \(SampleRequest.hidden)"
        case .header(let header): "\(header.name): \(header.prefix ?? "")\(SampleRequest.hidden)"
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
