@testable import OpenMarket
@testable import OpenMarketTestSupport
import Synchronization

/// A market that shows what is on its shelf, and that cannot be written to.
final class ShelfMarket: StandInMarket {
    private let shelf: Mutex<[MarketID: ProductValues]>

    init(_ shelf: [MarketID: ProductValues] = [:]) { self.shelf = Mutex(shelf) }

    /// What is there, to be changed as its buyers and other tools change it.
    subscript(id: MarketID) -> ProductValues? {
        get { shelf.withLock { $0[id] } }
        set { shelf.withLock { $0[id] = newValue } }
    }

    var listed: [LiveProduct] {
        shelf.withLock { $0 }.sorted { MarketID.follows($0.key, $1.key) }.map {
            LiveProduct(id: $0.key, values: $0.value)
        }
    }
}
