package import OpenMarket

extension MarketProfile {
    /// The address prefix that a product's id is appended to, for requests of a single product.
    ///
    /// It is `nil` if the market's URL is not valid, or if something follows the id in the path.
    package func productAddress(at market: String) -> String? {
        guard let url = try? MarketURL(market), let path = MarketDescription(of: self).productPath(parameters)
        else { return nil }
        return "\(url)\(path)"
    }
}

extension MarketDescription {
    /// The path before a product's id, with parameters filled in; `nil` if something follows the id.
    package func productPath(_ values: [String: String]) -> String? {
        guard let endpoint = endpoints.first(where: { $0.operation == .detail }), endpoint.query.isEmpty,
            case .placeholder(.id)? = endpoint.path.pieces.last
        else { return nil }
        let path = endpoint.path.filled(for: .path) { $0 == .id ? "0" : values.value(of: $0) }
        return path.map { String($0.dropLast()) }
    }
}
