@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketWorkflow

/// Pictures of the market that cannot be read for a plan: each is noted, and none ends the reading.
struct UnreadPictureTests {
    @Test(
        arguments: [
            MarketError(.refused, "there is no picture", status: 404), MarketError(.credentials, "no", status: 401),
            MarketError(.credentials, "no", status: 403), MarketError(.unreachable, "failed", status: 500),
            MarketError(.unreachable, "no answer in time"), MarketError(.unreadable, "not a picture"),
            MarketError(.foreignHost, "another host"),
        ],
        [false, true]
    )
    func `a picture that cannot be read is noted with its reason`(error: MarketError, showsHalf: Bool) async throws {
        let asked = Atomic(0)
        var market = StandInMarket(onPicture: {
            // Every other one is shown, or none.
            let number = asked.add(1, ordering: .relaxed).newValue
            guard showsHalf, number.isMultiple(of: 2) else { throw error }
        })
        for number in 1...20 as ClosedRange<Int64> {
            let image = LiveProduct.Image(url: "https://pictures.example/\(number).jpg")
            market.list.append(
                LiveProduct(id: MarketID(number), vendorID: 1, name: "Lamp \(number)", price: 5, images: [image])
            )
            market.pictures[image.url] = SmallPicture.png(1)
        }
        let listings = market.list.map { product in
            var listing = Listing(
                key: "lamp-\(product.id)",
                file: "shop.yaml",
                position: SourcePosition(line: 1, column: 1),
                values: ProductValues(name: product.name, price: 5, images: [.digest(.zero)])
            )
            listing.pinnedID = product.id
            return listing
        }
        var input = Planner.Input(
            manifest: Manifest(
                market: MarketSettings(profile: .v2b, vendorID: 1),
                policies: Policies(),
                listings: [],
                files: ["shop.yaml"],
                digest: .zero
            ),
            state: StateSnapshot(vendorID: 1),
            live: try await market.catalog()
        )
        for listing in listings { input.manifest.listings.append(listing) }
        try await input.readDetails(
            from: market,
            mode: .changed,
            capabilities: MarketProfile.v2b.capabilities,
            filter: KeyFilter(),
            replaced: KeyPatterns(),
            parallelism: 1,
            pictures: nil,
            clock: ContinuousClock()
        ) { _ in }
        #expect(input.unreadPictures.count == (showsHalf ? 10 : 20))
        #expect(input.pictureDigests.count == (showsHalf ? 10 : 0))
        #expect(market.asked.pictures.count == 20)
        #expect(input.unreadPictures.values.allSatisfy { $0 == error })
    }
}
