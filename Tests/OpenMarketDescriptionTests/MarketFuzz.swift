@testable import OpenMarket
@testable import OpenMarketDescription

/// What must hold for the loader of descriptions, whatever the bytes.
enum MarketFuzz {
    /// What is wrong with the loader; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        let loaded = MarketDescriptionLoader.load(bytes)
        for fault in loaded.faults {
            if fault.message.isEmpty { return "a fault without a message" }
            guard let position = fault.position else { continue }
            let isInside = (1...bytes.count + 1).contains(Int(position.line)) && position.column >= 1
            guard isInside, position.column <= bytes.count + 1 else {
                return "a place outside of the text: \(position)"
            }
        }
        guard let market = loaded.description else { return loaded.faults.isEmpty ? "nothing, and no fault" : nil }
        if !loaded.faults.isEmpty { return "a description with faults" }
        if market.requestForms([:]).count != market.endpoints.count { return "an endpoint without a form" }
        for endpoint in market.endpoints {
            if let words = fault(endpoint) { return "\(endpoint.address): \(words)" }
        }
        // All that follows from a description is there for any.
        _ = (
            market.capabilities(), market.grades, Capability.allCases.map { $0.obstacles(in: market) },
            market.unwritable
        )
        if market.proofs.attempts.isEmpty != (market.list.complete == .never) { return "no proof to try" }
        return nil
    }

    /// What is not safe about a request.
    private static func fault(_ endpoint: Endpoint) -> String? {
        if endpoint.operation.isRead != (endpoint.method == .get) { return "a read by \(endpoint.method)" }
        let path = endpoint.path.description
        if !path.hasPrefix("/") || path.contains("//") || path.contains("?") || path.contains("#") {
            return "a path elsewhere"
        }
        let names = ([endpoint.path] + endpoint.query.flatMap(\.value)).flatMap(\.placeholders)
        let namesProduct = names.contains(.id) || names.contains(.key) || names.contains(.deleteKey)
        switch endpoint.operation {
        case .list, .total, .health, .upload: if namesProduct { return "one product in the place of all" }
        case .detail, .find, .update, .deleteKey, .delete, .attach:
            if !namesProduct { return "all products in the place of one" }
        case .create: break
        }
        for header in endpoint.headers {
            let name = header.name.lowercased()
            if ["host", "authorization", "cookie", "range"].contains(name) || name.contains("method") {
                return "a header '\(name)'"
            }
        }
        for query in endpoint.query where query.name.lowercased().hasSuffix("_method") && query.name.hasPrefix("_") {
            return "a query '\(query.name)'"
        }
        let query = endpoint.query.flatMap(\.value).map { $0.filled(for: .query) { _ in "1" } ?? " " }
        let target = (endpoint.path.filled(for: .path) { _ in "1" } ?? " ") + query.joined()
        let headers = endpoint.headers.map { "\($0.name)\($0.value.filled(for: .verbatim) { _ in "1" } ?? "\n")" }
        let isPlain = (target + headers.joined()).unicodeScalars.allSatisfy { (" "..."~").contains($0) }
        if !isPlain || target.contains(" ") { return "a request that is not ASCII" }
        return target.contains("{") ? "a place that was not filled" : nil
    }
}
