@testable import OpenMarket
import Testing
@testable import OpenMarketWorkflow

/// What is said of readings that are not all of a catalog.
struct CatalogGapTests {
    @Test func `a reading that lacks nothing has no gap`() {
        #expect(CatalogGap(isProved: true, moved: false, lostRows: 0) == nil)
        #expect(CatalogGap(isProved: true, moved: nil, lostRows: 0) == nil)
    }

    @Test func `what was pulled has the gap of its reading`() {
        var shop = PulledShop(
            path: "shop.yaml",
            products: 1,
            pictures: 0,
            missing: 0,
            omissions: [],
            catalogMoved: nil,
            isProved: true,
            lostRows: 0,
            elsewhere: 0
        )
        #expect(shop.gap == nil)
        (shop.isProved, shop.catalogMoved, shop.lostRows) = (false, true, 3)
        #expect(shop.gap == CatalogGap(isProved: false, moved: true, lostRows: 3))
    }

    @Test(
        arguments: [
            (
                CatalogGap(isProved: true, moved: true, lostRows: 0),
                "complete, but the catalog changed while it was read"
            ),
            (
                CatalogGap(isProved: true, moved: false, lostRows: 0, partialRows: 1),
                "complete, but of 1 row of the market's list not every value could be read"
            ),
            (
                CatalogGap(isProved: true, moved: true, lostRows: 2, partialRows: 1),
                "not complete: 2 rows of the market's list could not be read and are missing, and the catalog changed while it was "
                    + "read"
            ),
            (
                CatalogGap(isProved: false, moved: true, lostRows: 0, partialRows: 2),
                "possibly incomplete: the market's description cannot prove that its list is complete, and of 2 rows of "
                    + "the market's list not every value could be read, and the catalog changed while it was read"
            ),
        ]
    )
    func `a gap names all that is missing`(_ gap: CatalogGap?, _ words: String) {
        #expect(gap?.description == words)
    }

    @Test func `an export with lost rows is unproved only where nothing proves the rest`() {
        #expect(CatalogGap(isProved: true, moved: false, lostRows: 1)?.isUnproved == false)
        #expect(CatalogGap(isProved: false, moved: false, lostRows: 1)?.isUnproved == true)
    }
}
