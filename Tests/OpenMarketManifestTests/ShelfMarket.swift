import OpenMarket
import OpenMarketDescription
import Synchronization

/// A market that shows what is on its shelf, and that cannot be written to.
final class ShelfMarket: Market {
    let profile = MarketProfile.v2b
    private let shelf: Mutex<[MarketID: ProductValues]>

    init(_ shelf: [MarketID: ProductValues] = [:]) { self.shelf = Mutex(shelf) }

    /// What is there, to be changed as its buyers and other tools change it.
    subscript(id: MarketID) -> ProductValues? {
        get { shelf.withLock { $0[id] } }
        set { shelf.withLock { $0[id] = newValue } }
    }

    func requireProfile() async throws {}

    func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        let products = shelf.withLock { $0 }.sorted { MarketID.follows($0.key, $1.key) }
        for (id, values) in products { try await row(LiveProduct(id: id, values: values)) }
        var summary = CatalogSummary()
        summary.rows = products.count
        summary.completeness = .proved(.whole)
        return summary
    }

    func product(_ id: MarketID) async throws -> LiveProduct? { self[id].map { LiveProduct(id: id, values: $0) } }

    func picture(at url: String) async throws -> FetchedPicture { throw MarketError(.refused, "no picture") }

    func pictureDigest(at url: String) async throws -> ContentDigest { throw MarketError(.refused, "no picture") }

    func perform(_ request: WriteRequest) async -> WriteOutcome {
        .refused(WriteRefusal(.other, status: 405, message: "writing is not allowed"))
    }
}
