import OpenMarket
import Synchronization

/// The products whose sale price was seen equal to their price (v1), shared by the copies of a client.
final class EndedSales: Sendable {
    private let ids = Mutex<Set<ProductID>>([])

    func insert(_ new: [ProductID]) { ids.withLock { $0.formUnion(new) } }

    func remove(_ id: ProductID) { _ = ids.withLock { $0.remove(id) } }

    func contains(_ id: ProductID) -> Bool { ids.withLock { $0.contains(id) } }
}
