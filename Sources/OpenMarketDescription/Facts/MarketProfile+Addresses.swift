package import OpenMarket

extension MarketProfile {
    /// What makes the address of a product with its number behind it: where the market answers what it knows of one.
    ///
    /// - Parameter market: The market's base URL.
    /// - Returns: The address; `nil` where the market's is not one, or where a product's has something behind its id.
    package func productAddress(at market: String) -> String? {
        guard let url = try? MarketURL(market), let path = MarketDescription(of: self).productPath(parameters)
        else { return nil }
        return "\(url)\(path)"
    }
}

extension MarketDescription {
    /// What makes the path of a product with its id behind it, filled with the values of parameters; `nil` where something
    /// follows the id.
    package func productPath(_ values: [String: String]) -> String? {
        guard let endpoint = endpoints.first(where: { $0.operation == .detail }), endpoint.query.isEmpty,
            case .placeholder(.id)? = endpoint.path.pieces.last
        else { return nil }
        let path = endpoint.path.filled(for: .path) { placeholder in
            switch placeholder {
            case .id: "0"
            case .parameter(let name): values[name]
            default: nil
            }
        }
        return path.map { String($0.dropLast()) }
    }
}
