@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// A name or a description in other bytes is another value, for the manifest, the market and the state.
struct SpellingPlanTests {
    @Test(arguments: Spellings.all, [ProductField.name, .description])
    func `an edit from one spelling to the other is a change, in both directions`(
        spellings: Spellings,
        field: ProductField
    ) {
        for (old, new) in [(spellings.composed, spellings.decomposed), (spellings.decomposed, spellings.composed)] {
            for showsDetails in [true, false] {
                var shop = PlanFixture()
                shop.wants("lamp") { $0.values[field] = .text(new) }
                shop.knows("lamp", 7) { $0.applied[field] = .text(old) }
                shop.shows(7) {
                    if field == .name { $0.name = old } else { $0.description = old }
                    if !showsDetails { $0.images = nil }
                }
                let change = FieldChange(
                    field: field,
                    kind: .change,
                    base: .text(old),
                    live: .text(old),
                    manifest: .text(new)
                )
                #expect(shop.plan().operations.map(\.changes) == [[change]])
                // The row shows that the product has to be looked at.
                #expect(shop.detailsNeeded == [7])
            }
        }
    }

    @Test(arguments: Spellings.all)
    func `a namesake is one as people see it, so no second listing is made`(spellings: Spellings) {
        for (name, live) in [(spellings.composed, spellings.decomposed), (spellings.decomposed, spellings.composed)] {
            var shop = PlanFixture()
            shop.wants("lamp") { $0.values.name = name }
            shop.shows(7) { $0.name = live }
            shop.input.pictureDigests = ["u/71": digest(1)]
            let operations = shop.plan().operations
            // Taken over, and its name written as the manifest has it.
            #expect(operations.map(\.action) == [.adopt, .update])
            #expect(operations.map(\.id) == [MarketID(7), MarketID(7)])
            #expect(operations.last?.changes.map(\.manifest) == [.text(name)])
        }
    }
}
