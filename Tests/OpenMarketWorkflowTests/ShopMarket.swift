import Crypto
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization

/// A shop's products and pictures, to be read.
final class ShopMarket: StandInMarket {
    struct Shelf: Sendable {
        var products: [LiveProduct] = []
        /// By their addresses; others are gone.
        var pictures: [String: [UInt8]] = [:]
        var pictureError = MarketError(.refused, "no such picture", status: 404)
        var catalogMoved = false
        /// How many pictures were fetched.
        var fetched = 0
        /// Done once the catalog was read.
        var afterReading: (@Sendable () -> Void)?
    }

    let profile: MarketProfile
    let shelf: Mutex<Shelf>

    init(_ products: [LiveProduct], pictures: [String: [UInt8]] = [:], profile: MarketProfile = .v2b) {
        self.profile = profile
        shelf = Mutex(Shelf(products: products, pictures: pictures))
    }

    func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        let shelf = shelf.withLock { $0 }
        for product in shelf.products { try await row(product) }
        shelf.afterReading?()
        var summary = CatalogSummary()
        summary.rows = shelf.products.count
        summary.completeness = .proved(.whole)
        summary.catalogMoved = shelf.catalogMoved
        return summary
    }

    var listed: [LiveProduct] { shelf.withLock { $0.products } }

    func picture(at url: String) async throws -> FetchedPicture {
        let (bytes, error) = shelf.withLock { shelf in
            shelf.fetched += 1
            return (shelf.pictures[url], shelf.pictureError)
        }
        guard let bytes else { throw error }
        return FetchedPicture(bytes: bytes, digest: ContentDigest(bytes: SHA256.hash(data: bytes)))
    }
}
