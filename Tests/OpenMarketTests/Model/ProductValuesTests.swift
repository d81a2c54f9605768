import Testing
@testable import OpenMarket

/// The values of a product beside those of another one.
struct ProductValuesTests {
    private static let one = ProductValues(
        name: "Lamp",
        description: "Warm.",
        price: 5,
        currency: .krw,
        sale: .fullPrice,
        stock: 1,
        images: [.unknown("a")],
        thumbnail: .unknown("a")
    )
    private static let other = ProductValues(
        name: "Fan",
        description: "Cool.",
        price: 6,
        currency: .usd,
        sale: .price(4),
        stock: 2,
        images: [.unknown("b")],
        thumbnail: .unknown("b")
    )

    @Test(arguments: ProductField.allCases)
    func `a field that both have has to be the same`(field: ProductField) {
        var changed = Self.one
        changed[field] = Self.other[field]
        #expect(changed[field] != Self.one[field])
        #expect(!Self.one.agrees(with: changed) && !changed.agrees(with: Self.one))
        changed[field] = nil
        #expect(Self.one.agrees(with: changed) && changed.agrees(with: Self.one))
    }

    @Test func `texts agree by their bytes`() {
        let composed = ProductValues(name: "caf\u{E9}", description: "caf\u{E9}")
        #expect(composed.agrees(with: composed))
        #expect(!composed.agrees(with: ProductValues(name: "cafe\u{301}")))
        #expect(!composed.agrees(with: ProductValues(description: "cafe\u{301}")))
    }
}
