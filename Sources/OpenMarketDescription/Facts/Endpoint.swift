/// A form of request to a market; every request has one of these forms.
package struct Endpoint: Equatable, Sendable {
    package var operation: MarketDescription.Operation
    package var method: MarketDescription.Method
    /// The path, base included.
    package var path: Template
    /// The queries in order, constants included.
    package var query: [MarketDescription.Query]
    /// The headers that the description sets, besides those of credentials.
    package var headers: [NamedValue<String, Template>]
    /// The header with the idempotency key of a repeatable request.
    package var repeatHeader: String?
    package var credentials: [MarketDescription.Credential]
    package var body: MarketDescription.Body?
    /// Whether the market may add queries, because a page states the address.
    package var hasMarketQuery = false

    /// Path and query with their placeholders: `/products?page={page}`.
    package var address: String {
        let queries =
            query.flatMap { query in query.value.map { "\(query.name)=\($0)" } } + (hasMarketQuery ? ["…"] : [])
        return "\(path)" + (queries.isEmpty ? "" : "?" + queries.joined(separator: "&"))
    }
}

extension MarketDescription {
    func describes(_ operation: Operation) -> Bool {
        switch operation {
        case .list: true
        case .total: list.total?.path != nil
        case .detail: operations.detail != nil
        case .find: identity.key?.find != nil
        case .health: operations.health != nil
        case .create, .update, .deleteKey, .delete: operations.write(operation) != nil
        case .upload: pictures?.upload != nil
        case .attach: pictures?.attach != nil
        }
    }

    /// Every request that may be sent, in the order of ``Operation``.
    package var endpoints: [Endpoint] { Operation.allCases.flatMap { endpoints(of: $0) } }

    private func endpoints(of operation: Operation) -> [Endpoint] {
        switch operation {
        case .list:
            var pages = [listEndpoint]
            if list.page.style == .next {
                pages += ([list.path] + list.page.paths).map { path in
                    var page = endpoint(operation, .get, path, query: [], list.headers)
                    page.hasMarketQuery = true
                    return page
                }
            }
            return pages
        case .total: return list.total?.path.map { [endpoint(operation, .get, $0)] } ?? []
        case .detail:
            return operations.detail.map { [endpoint(operation, .get, $0.path, query: $0.query, $0.headers)] } ?? []
        case .find:
            guard let find = identity.key?.find else { return [] }
            guard let path = find.path else {
                return [endpoint(operation, .get, list.path, query: list.query + find.query, list.headers)]
            }
            return [endpoint(operation, .get, path, query: find.query)]
        case .health: return operations.health.map { [endpoint(operation, .get, $0)] } ?? []
        case .create, .update, .deleteKey, .delete:
            guard let write = operations.write(operation) else { return [] }
            var request = endpoint(operation, write.method, write.path, query: write.query, write.headers)
            request.body = write.body
            if identity.repetition?.operations.contains(operation) == true {
                request.repeatHeader = identity.repetition?.header
            }
            return [request]
        case .upload, .attach:
            guard let upload = operation == .upload ? pictures?.upload : pictures?.attach else { return [] }
            var request = endpoint(operation, upload.method, upload.path)
            if upload.origin == .root { request.path = upload.path }
            request.body = Body(form: upload.body == .raw ? .raw : .parts)
            return [request]
        }
    }

    private var listEndpoint: Endpoint {
        let page = list.page
        var query = list.query + page.query
        if let name = page.parameter, let placeholder = page.placeholder {
            query.append(Query(name: name, value: [Template(pieces: [.placeholder(placeholder)])]))
        }
        if let name = page.size.parameter {
            query.append(Query(name: name, value: [Template(pieces: [.placeholder(.size)])]))
        }
        return endpoint(.list, .get, list.path, query: query, list.headers)
    }

    private func endpoint(
        _ operation: Operation,
        _ method: Method,
        _ path: Template,
        query: [Query] = [],
        _ headers: [NamedValue<String, Template>] = []
    ) -> Endpoint {
        Endpoint(
            operation: operation,
            method: method,
            path: (base ?? .empty) + path,
            query: query,
            headers: self.headers + headers,
            credentials: auth.filter { $0.audience.includes(operation) }
        )
    }
}
