@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketCLI

/// The flags that a refusal names.
struct PlanOverrideTests {
    @Test(
        arguments: [
            (.emptyManifest, "--allow-empty"),
            (.deletes(7), "--max-delete 7"),
            (.gone(12), "--max-gone 12"),
            (.currencyChange, "--allow-currency-change"),
            (.stockToZero, "--allow-stock-to-zero"),
            (.zeroPrice, "--allow-zero-price"),
            (.priceChange(9950), "--max-price-change 99.5%"),
            (.priceChange(nil), "--max-price-change none"),
            (
                .drift,
                "--on-drift restore or --on-drift keep; `openmarket pull --drift` takes the market's values into the manifest"
            ),
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
            (.manyNamesakes, "--adopt if they are yours, --allow-namesakes if others are meant"),
            (.unread, "run again, or --allow-namesakes if another one is meant"),
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
                .rewriting(of: "c-3"),
                "format the column as text and write 'c-3' if it is that product, --allow-namesakes if another one is meant"
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
            (.wanderingTexts, "correct the file, or --allow-namesakes if the products are to be swapped"),
            (
                .exchangedIDs,
                "correct the ids of the state (`openmarket state export`, then `state import --replace`), or "
                    + "--allow-namesakes if the products are to be swapped"
            ),
            (.otherMarketsIDs, "export this market, or --allow-namesakes if these products are meant"),
            (.otherProduct, "correct the `id`, or --adopt if it is that product"),
            (.manyRespellings, "write the existing keys, --allow-namesakes if others are meant"),
            (.leftover, "delete the surplus product on the market, or --allow-namesakes if it is another product"),
        ] as [(PlanOverride, String)]
    )
    func `an override is worded as a flag`(override: PlanOverride, words: String) {
        #expect(override.description == words)
    }
}
