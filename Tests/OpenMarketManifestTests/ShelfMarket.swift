import OpenMarket
import Synchronization

/// A market that shows what is on its shelf, and that cannot be written to.
final class ShelfMarket: Market {
    private let shelf: Mutex<[ProductID: ProductValues]>

    init(_ shelf: [ProductID: ProductValues] = [:]) { self.shelf = Mutex(shelf) }

    /// What is there, to be changed as its buyers and other tools change it.
    subscript(id: ProductID) -> ProductValues? {
        get { shelf.withLock { $0[id] } }
        set { shelf.withLock { $0[id] = newValue } }
    }

    subscript(id: Int64) -> ProductValues? {
        get { self[ProductID(id)] }
        set { self[ProductID(id)] = newValue }
    }

    func requireProfile() async throws {}

    func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        let products = shelf.withLock { $0 }.sorted { $0.key > $1.key }
        for (id, values) in products { try await row(LiveProduct(id: id, values: values)) }
        var summary = CatalogSummary()
        summary.rows = products.count
        summary.isComplete = true
        return summary
    }

    func product(_ id: ProductID) async throws -> LiveProduct? { self[id].map { LiveProduct(id: id, values: $0) } }

    func picture(at url: String) async throws -> FetchedPicture { throw MarketError(.refused, "no picture") }

    func pictureDigest(at url: String) async throws -> ContentDigest { throw MarketError(.refused, "no picture") }

    func perform(_ request: WriteRequest) async -> WriteOutcome {
        .refused(WriteRefusal(.other, status: 405, message: "writing is not allowed"))
    }
}
