@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Which products a plan is about, and what becomes of drift field by field.
struct ChoosingTests {
    private func shop(_ keys: String...) -> PlanFixture {
        var shop = PlanFixture()
        for (index, key) in keys.enumerated() {
            shop.has(key, Int64(index + 1))
            shop.input.manifest.listings[index].values.price = 120
        }
        return shop
    }

    private func chosen(_ shop: PlanFixture) -> String {
        let plan = shop.plan()
        return plan.operations.map(\.key).joined(separator: " ") + " (\(plan.unselected) not selected)"
    }

    @Test func `a list of keys chooses like targets do, and together with them`() {
        var shop = shop("chair", "desk", "lamp-1", "lamp-2", "sofa*")
        shop.options.filter = KeyFilter(keys: ["desk", "sofa*"])
        #expect(chosen(shop) == "desk sofa* (3 not selected)")
        shop.options.filter = KeyFilter(targets: ["lamp-*"], keys: ["desk"])
        #expect(chosen(shop) == "desk lamp-1 lamp-2 (2 not selected)")
        shop.options.filter = KeyFilter(targets: ["lamp-*"], keys: ["desk"], exclusions: ["*-2", "desk"])
        #expect(chosen(shop) == "lamp-1 (4 not selected)")
        shop.options.filter = KeyFilter(keys: [])
        #expect(chosen(shop) == " (5 not selected)")
    }

    @Test func `of what the manifest lacks, targets alone are deleted`() {
        var shop = PlanFixture()
        shop.options.filter = KeyFilter(targets: ["lamp-*"], exclusions: ["lamp-2"])
        shop.has("desk", 1)
        for (id, key) in [(2, "lamp-1"), (3, "lamp-2"), (4, "chair")] as [(Int64, String)] { shop.manages(key, id) }
        #expect(shop.plan().operations.map(\.action) == [.delete] && shop.plan().operations.map(\.key) == ["lamp-1"])
    }

    @Test func `keys of a list that no product has are named, and stand for themselves`() {
        let filter = KeyFilter(keys: ["desk", "lamp*", "caf\u{e9}"])
        #expect(filter.unknown(in: ["desk", "lamp-1", "cafe\u{301}"]) == ["lamp*"])
        #expect(KeyFilter().unknown(in: ["desk"]) == [])
    }

    @Test func `without deletes what would be deleted is not selected`() {
        var shop = PlanFixture()
        shop.has("stays", 1)
        shop.manages("dropped", 2)
        shop.has("buried", 3) { $0.isAbsent = true }
        shop.knows("guarded", 4) { $0.isProtected = true }
        shop.shows(4)
        shop.knows("gone", 5)
        shop.options.deletes = false
        let plan = shop.plan()
        #expect(plan.operations.map(\.action) == [.forget])
        #expect(plan.unselected == 3)
        #expect(plan.refusals == [])
        shop.options.deletes = true
        #expect(shop.plan().operations.map(\.key) == ["buried", "dropped", "gone"])
    }

    @Test func `a replace goes on without deletes`() {
        var shop = PlanFixture()
        shop.has("lamp", 7)
        shop.input.manifest.listings[0].values.images = pictures(9)
        shop.options.deletes = false
        #expect(shop.plan().operations.map(\.action) == [.replace])
    }

    // MARK: Drift

    /// A product whose name, price and stock were changed.
    private func drifted(_ handlings: [ProductField: PlannerOptions.DriftHandling]) -> PlanFixture {
        var shop = PlanFixture()
        shop.has("lamp", 7)
        shop.shows(7) {
            $0.name = "Desk"
            $0.description = "No light."
            $0.stock = 3
        }
        shop.options.policies.onDrift = handlings
        return shop
    }

    @Test func `drift is dealt with field by field, and otherwise as the run says`() {
        var shop = drifted([.stock: .keep])
        #expect(shop.plan().operations.first?.changes.map(\.field) == [.name, .description])
        shop.options.onDrift = .keep
        #expect(shop.plan().isEmpty)
        shop.options.policies.onDrift = [.description: .restore]
        #expect(shop.plan().operations.first?.changes.map(\.field) == [.description])
    }

    @Test func `a field whose drift is refused refuses the plan, and names itself alone`() {
        let plan = drifted([.name: .fail, .stock: .keep]).plan()
        #expect(plan.refusals.map(\.message) == ["'lamp' was changed on the market: name"])
        #expect(plan.refusals.map(\.override) == [.drift])
    }

    // MARK: Renames

    private func renamed(_ change: (inout PlanFixture) -> Void = { _ in }) -> [Diagnostic] {
        var shop = PlanFixture()
        shop.options.allowsNamesakes = true
        shop.knows("chair-old", 7) { $0.applied.images = pictures(4, 5) }
        shop.shows(7, pictures: 2)
        shop.wants("chair") {
            $0.values.name = "Chair"
            $0.values.images = pictures(4, 5)
        }
        change(&shop)
        return shop.plan().diagnostics
    }

    @Test func `a product that leaves while one with its pictures appears may be renamed`() {
        #expect(
            renamed() == [
                Diagnostic(
                    .warning,
                    .possibleRename,
                    "'chair-old' leaves and 'chair' appears with the same pictures",
                    location: SourceLocation(file: "shop.yaml", position: SourcePosition(line: 1, column: 3)),
                    help: "did you mean `previously: [chair-old]`? It keeps the product, its id and its link"
                )
            ]
        )
    }

    @Test func `pictures that several share propose nothing, nor do others or another order`() {
        #expect(renamed { $0.input.manifest.listings[0].pictures.reverse() } == [])
        #expect(renamed { $0.input.manifest.listings[0].pictures.removeLast() } == [])
        let second = renamed { shop in
            shop.wants("stool") {
                $0.values.name = "Stool"
                $0.values.images = pictures(4, 5)
            }
        }
        #expect(second == [])
        let leaving = renamed { shop in
            shop.knows("bench", 8) { $0.applied.images = pictures(4, 5) }
            shop.shows(8, pictures: 2)
        }
        #expect(leaving == [])
        #expect(renamed { $0.input.manifest.listings[0].previously = ["chair-old"] } == [])
    }
}
