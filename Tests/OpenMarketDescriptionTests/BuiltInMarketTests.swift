@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// The files of the four profiles.
struct BuiltInMarketTests {
    @Test(arguments: DescribedMarkets.names)
    func `nothing is wrong with a described market`(_ name: String) throws {
        let loaded = MarketDescriptionLoader.load(try DescribedMarkets.document(name))
        #expect(loaded.faults.isEmpty, "\(loaded.faults)")
        #expect(loaded.description?.name == name)
    }

    @Test func `the examples are described markets`() {
        #expect(
            DescribedMarkets.examples == [
                "json-files", "oscar", "pretix", "small-shop", "woocommerce", "woocommerce-upload",
            ]
        )
    }

    @Test func `the built-in markets are those that the program knows`() {
        #expect(BuiltInMarket.allCases.map(\.rawValue) == MarketProfile.builtIns.map(\.name))
        for name in ["v1", "V2", "v1A", "v3", ""] {
            #expect(BuiltInMarket(name: name)?.rawValue == MarketProfile(name: name)?.name)
        }
    }
}
