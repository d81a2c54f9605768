@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Only the file that listed a product can stop listing it.
struct OriginTests {
    /// A shop of which `shop.yaml` lists the mug; the state also knows a lamp and a fan from elsewhere.
    private func shop(_ lamp: String?, _ fan: String? = "bags.yaml", gone: Set<String> = []) -> PlanFixture {
        var shop = PlanFixture()
        shop.has("mug", 1)
        shop.input.state.entries["mug"]?.origin = "shop.yaml"
        for (key, id, origin) in [("lamp", 2, lamp), ("fan", 3, fan)] as [(String, Int64, String?)] {
            shop.knows(key, id) { $0.origin = origin }
            shop.shows(id)
        }
        shop.input.origins = Origins(names: ["shop.yaml": "shop.yaml", "<stdin>": "-"], gone: gone)
        return shop
    }

    @Test func `a product that its own file no longer lists is deleted, and one of an unread file stays`() {
        let plan = shop("shop.yaml").plan()
        #expect(plan.operations.map(\.key) == ["lamp"] && plan.operations.map(\.action) == [.delete])
        #expect(plan.operations.map(\.reason) == ["no longer in the manifest"])
        #expect(plan.unselected == 1 && plan.stateUpdates == [] && plan.refusals == [])
        #expect(plan.diagnostics.map(\.message) == ["bags.yaml is not read; 1 product that it listed last stays"])
    }

    @Test func `an unread file is named once, with all that it lists`() {
        let plan = shop("bags.yaml").plan()
        #expect(plan.operations == [] && plan.unselected == 2 && plan.isSound)
        #expect(plan.diagnostics.map(\.message) == ["bags.yaml is not read; 2 products that it listed last stay"])
    }

    @Test func `a product of standard input is deleted where that is read, and stays otherwise`() {
        #expect(shop("-").plan().operations.map(\.key) == ["lamp"])
        var other = shop("-")
        other.input.origins = Origins(names: ["shop.yaml": "shop.yaml"])
        let plan = other.plan()
        #expect(plan.operations == [] && plan.unselected == 2)
        #expect(plan.diagnostics.first?.message.hasPrefix("bags.yaml is not read") == true)
        #expect(
            plan.diagnostics.last?.message
                == "'lamp' is in no file, and the state does not record which one had it: it stays"
        )
        #expect(plan.diagnostics.last?.help?.contains("'{key: lamp, state: absent}'") == true)
    }

    @Test func `a product without an origin stays until a tombstone says otherwise`() {
        var shop = shop(nil, nil)
        let plan = shop.plan()
        #expect(plan.operations == [] && plan.unselected == 2 && plan.isSound)
        #expect(
            plan.diagnostics.map(\.message) == [
                "'fan' and 'lamp' are in no file, and the state does not record which one had them: they stay"
            ]
        )
        shop.wants("lamp") { $0.isAbsent = true }
        #expect(shop.plan().operations.map(\.key) == ["lamp"])
        #expect(shop.plan().stateUpdates == [])
    }

    @Test func `what a file listed that is gone is deleted only where the number is allowed`() {
        var shop = shop("lamps.yaml", "lamps.yaml", gone: ["lamps.yaml"])
        let plan = shop.plan()
        #expect(plan.operations.map(\.reason) == ["lamps.yaml is gone", "lamps.yaml is gone"])
        #expect(
            plan.refusals.map(\.message) == [
                "lamps.yaml is gone, and the 2 products that it listed would be deleted"
            ]
        )
        #expect(plan.refusals.map(\.override) == [.deletes(2)])
        shop.options.policies.maximumDelete = .count(2)
        #expect(shop.plan().refusals.count == 1, "a policy alone does not allow it")
        shop.options.allowsGoneFiles = true
        #expect(shop.plan().refusals == [])
        shop.options.policies.maximumDelete = .count(1)
        #expect(shop.plan().refusals.map(\.override) == [.deletes(2)])
    }

    @Test func `the origin follows a product to another file of the run, without an operation`() {
        var shop = shop("lamps.yaml", nil)
        shop.wants("lamp")
        shop.wants("fan")
        shop.input.origins?.read.insert("lamps.yaml")
        let plan = shop.plan()
        #expect(plan == Plan(unchanged: 3, stateUpdates: [.origin("shop.yaml", keys: ["lamp", "fan"])]))
        #expect(plan.isEmpty)
        for update in plan.stateUpdates { shop.input.state.apply(update) }
        #expect(shop.plan() == Plan(unchanged: 3))
    }

    @Test func `a product that an unread file listed last is planned, with a warning`() {
        var shop = shop("bags.yaml", "bags.yaml")
        shop.wants("lamp") { $0.values.price = 7 }
        shop.wants("fan")
        let plan = shop.plan()
        #expect(plan.operations.map(\.key) == ["lamp"] && plan.isSound)
        #expect(plan.stateUpdates == [.origin("shop.yaml", keys: ["lamp", "fan"])])
        #expect(
            plan.diagnostics.map(\.message) == [
                "'lamp' and 1 other product were last applied from bags.yaml, which is not read"
            ]
        )
    }

    @Test func `a run over some keys changes the origin of no others`() {
        var shop = shop(nil, nil)
        shop.wants("lamp")
        shop.wants("fan")
        shop.options.filter = KeyFilter(targets: ["fan"])
        #expect(shop.plan().stateUpdates == [.origin("shop.yaml", keys: ["fan"])])
    }

    @Test func `a part of a plan changes the origin of no others`() {
        let plan = Plan(stateUpdates: [.origin("a.yaml", keys: ["lamp", "fan"]), .origin("b.yaml", keys: ["mug"])])
        #expect(plan.selecting { $0 == "fan" }.stateUpdates == [.origin("a.yaml", keys: ["fan"])])
    }

    @Test func `more origins than numbers are kept, too`() {
        var entries = StateEntries()
        for number in 0..<70_000 {
            entries.append(
                StateEntry(key: "k\(number)", id: 1, applied: ProductValues(), origin: "catalog/\(number).yaml")
            )
        }
        entries.setOrigin("last.yaml", of: "k7")
        #expect(entries["k0"]?.origin == "catalog/0.yaml" && entries["k69999"]?.origin == "catalog/69999.yaml")
        #expect(entries["k7"]?.origin == "last.yaml")
    }
}
