@testable import OpenMarket
@testable import OpenMarketDescription

/// A market in this process that has a list and nothing else, unless it says so: no pictures, and no request that writes.
protocol StandInMarket: Market {
    /// What its list shows, in its order.
    var listed: [LiveProduct] { get }
    /// What is wrong with further rows.
    var problems: [RowProblem] { get }
    /// Whether a cache answers for it.
    var isFromCache: Bool { get }
    /// Whether its list proves that nothing is missing; otherwise it cannot be read as a whole.
    var isWhole: Bool { get }
}

extension StandInMarket {
    var profile: MarketProfile { .v2b }
    var listed: [LiveProduct] { [] }
    var problems: [RowProblem] { [] }
    var isFromCache: Bool { false }
    var isWhole: Bool { true }

    func requireProfile() async throws {}

    func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        let products = listed
        for product in products { try await row(product) }
        for fault in problems { try await problem(fault) }
        var summary = CatalogSummary()
        summary.rows = products.count
        summary.completeness = isWhole ? .proved(.whole) : .unprovable
        summary.isFromCache = isFromCache
        return summary
    }

    func product(_ id: MarketID) async throws -> LiveProduct? { listed.first { $0.id == id } }

    func picture(at url: String) async throws -> FetchedPicture { throw MarketError(.refused, "no picture") }

    func pictureDigest(at url: String) async throws -> ContentDigest { try await picture(at: url).digest }

    func perform(_ request: WriteRequest) async -> WriteOutcome {
        .refused(WriteRefusal(.other, status: 405, message: "writing is not allowed"))
    }
}
