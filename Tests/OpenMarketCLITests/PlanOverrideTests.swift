@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// The flags that a refusal names.
struct PlanOverrideTests {
    @Test(
        arguments: [
            (.deletes(7), "--max-delete 7"),
            (.gone(12), "--max-gone 12"),
            (.priceChange(9950), "--max-price-change 99.5%"),
            (.priceChange(nil), "--max-price-change none"),
            (.unprotect(isListed: true), "set `protected: false` on it and apply that first"),
            (
                .unprotect(isListed: false),
                "set `protected: false` on it and apply that first; `openmarket state forget` leaves it on the market"
            ),
            (
                .namesakes([MarketID(7)]),
                "--adopt or `id: 7` if it is, --allow-namesakes if another one is meant"
            ),
            (
                .namesakes([MarketID(7), MarketID(8)]),
                "`id:` if one of them is, --allow-namesakes if another one is meant"
            ),
            (
                .respelling(of: "c-3", canRename: true),
                "write 'c-3' if it is that product, `previously: [c-3]` if its key is to change, "
                    + "--allow-namesakes if another one is meant"
            ),
            (
                .respelling(of: "c-3", canRename: false),
                "write 'c-3' if it is that product, --allow-namesakes if another one is meant"
            ),
            (
                .secondListing(of: "c-3", canRename: true),
                "`previously: [c-3]` if its key is to change, --allow-namesakes if a second one is meant"
            ),
            (
                .secondListing(of: "c-3", canRename: false),
                "write 'c-3' if it is that product, take it out if it is a copy, "
                    + "--allow-namesakes if a second one is meant"
            ),
        ] as [(PlanOverride, String)]
    )
    func `an override is worded as a flag`(override: PlanOverride, words: String) {
        #expect(override.description == words)
    }
}
