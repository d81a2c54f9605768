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
        if market.sampleRequests().count != market.endpoints.count { return "an endpoint without a sample" }
        for (endpoint, sample) in zip(market.endpoints, market.sampleRequests()) {
            if let words = fault(endpoint) ?? fault(sample, endpoint) { return "\(endpoint.description): \(words)" }
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
        return nil
    }

    /// What is not right about what is sent for it.
    private static func fault(_ sample: SampleRequest, _ endpoint: Endpoint) -> String? {
        let isPlain = (sample.target + sample.headers.joined()).unicodeScalars.allSatisfy { scalar in
            (" "..."~").contains(scalar) || SampleRequest.hidden.unicodeScalars.contains(scalar)
        }
        if !isPlain || sample.target.contains(" ") { return "a request that is not ASCII" }
        return sample.target.contains("{") ? "a place that was not filled" : nil
    }
}
