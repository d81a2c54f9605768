@testable import OpenMarket
@testable import OpenMarketDescription
import Testing

/// What `previously:` comes to, in every shape that manifest and state can give it.
struct FormerKeyTests {
    /// A listing in a few words: its key, and the keys that it had before.
    struct Named {
        var key: String
        var former: [String] = []
        var isAbsent = false
    }

    /// Product 1 is `a`, product 2 `b`, product 3 `c`, as far as the state has them; nothing else differs.
    private func plan(_ listings: [Named], state: String) -> Plan {
        var shop = PlanFixture()
        for (id, key) in [(1, "a"), (2, "b"), (3, "c")] as [(Int64, String)] where state.contains(key) {
            shop.manages(key, id) { $0.name = "Product \(id)" }
        }
        for listing in listings {
            shop.wants(listing.key) {
                // What it is called follows the first key that it had.
                let first = (listing.former + [listing.key]).first { "abc".contains($0) && state.contains($0) }
                let number = ["a": 1, "b": 2, "c": 3][first ?? ""]
                $0.values.name = number.map { "Product \($0)" } ?? "Product of \(listing.key)"
                $0.previously = listing.former
                $0.isAbsent = listing.isAbsent
            }
        }
        return shop.plan()
    }

    @Test func `what a run is not about is not renamed, and not deleted either`() {
        var shop = PlanFixture()
        shop.manages("a", 1)
        shop.has("b", 2)
        shop.wants("x") { $0.previously = ["a"] }
        for filter in [
            KeyFilter(exclusions: ["x"]), KeyFilter(exclusions: ["a"]), KeyFilter(targets: ["b"]),
            KeyFilter(keys: ["b"]),
        ] {
            shop.options.filter = filter
            let plan = shop.plan()
            #expect(plan.renames.isEmpty)
            #expect(plan.operations.isEmpty)
            #expect(plan.stateUpdates.isEmpty)
        }
        // The key that the state and the market have means the product, too.
        for filter in [KeyFilter(targets: ["x"]), KeyFilter(targets: ["a"]), KeyFilter(keys: ["a"])] {
            shop.options.filter = filter
            #expect(words(shop.plan()) == ["a is x"])
        }
        for key in ["x", "a"] {
            shop.options.replaced = KeyPatterns([key])
            #expect(words(shop.plan()) == ["a is x", "-/+ x 1"])
        }
    }

    private func words(_ plan: Plan) -> [String] {
        plan.renames.map { "\($0.from) is \($0.to)" }
            + plan.operations.filter { $0.action != .rename }.map {
                "\($0.action.symbol) \($0.key)\($0.id.map { " \($0)" } ?? "")"
            }
            + plan.diagnostics.map { "\($0.severity): \($0.message)" }
    }

    @Test(
        arguments: [
            ("a new key", [Named(key: "x", former: ["a"])], "a", ["a is x"]),
            ("the rename was done", [Named(key: "b", former: ["a"])], "b", []),
            ("of several former keys one is known", [Named(key: "x", former: ["k", "a", "l"])], "a", ["a is x"]),
            (
                "both keys are managed", [Named(key: "b", former: ["a"])], "ab",
                [
                    "error: 'b' cannot be renamed, because the state has 'b' (product 2) and 'a' (product 1): only one of them can stay"
                ]
            ),
            (
                "two former keys are managed", [Named(key: "x", former: ["a", "b"])], "ab",
                [
                    "error: 'x' cannot be renamed, because the state has 'a' (product 1) and 'b' (product 2): only one of them can stay"
                ]
            ),
            (
                "all three are managed", [Named(key: "c", former: ["a", "b"])], "abc",
                [
                    "error: 'c' cannot be renamed, because the state has 'c' (product 3) and 'a' (product 1) and 'b' (product 2): only one of them can stay"
                ]
            ),
            (
                "a swap", [Named(key: "a", former: ["b"]), Named(key: "b", former: ["a"])], "ab",
                [
                    "error: 'a' cannot replace 'b', which is a product of its own",
                    "error: 'b' cannot replace 'a', which is a product of its own",
                ]
            ),
            (
                "a chain", [Named(key: "c", former: ["b"]), Named(key: "b", former: ["a"])], "ab",
                [
                    "error: 'c' cannot replace 'b', which is a product of its own",
                    "error: 'b' cannot be renamed, because the state has 'b' (product 2) and 'a' (product 1): only one of them can stay",
                ]
            ),
            (
                "a cycle",
                [Named(key: "a", former: ["c"]), Named(key: "b", former: ["a"]), Named(key: "c", former: ["b"])], "abc",
                [
                    "error: 'a' cannot replace 'c', which is a product of its own",
                    "error: 'b' cannot replace 'a', which is a product of its own",
                    "error: 'c' cannot replace 'b', which is a product of its own",
                ]
            ),
            (
                "two claims on one", [Named(key: "x", former: ["a"]), Named(key: "y", former: ["a"])], "a",
                ["a is x", "error: 'y' cannot replace 'a', because another product does"]
            ),
            (
                "the key is still in the manifest", [Named(key: "a"), Named(key: "x", former: ["a"])], "a",
                ["error: 'x' cannot replace 'a', which is a product of its own"]
            ),
            (
                "a tombstone by its former key", [Named(key: "x", former: ["a"], isAbsent: true)], "a",
                ["a is x", "- x 1"]
            ),
            (
                "a tombstone of two", [Named(key: "b", former: ["a"], isAbsent: true)], "ab",
                [
                    "error: 'b' cannot be renamed, because the state has 'b' (product 2) and 'a' (product 1): only one of them can stay"
                ]
            ),
            (
                "a tombstone of the former key", [Named(key: "a", isAbsent: true), Named(key: "x", former: ["a"])], "a",
                ["error: 'x' cannot replace 'a', which is a product of its own"]
            ),
            (
                "an unknown former key", [Named(key: "a"), Named(key: "x", former: ["k"])], "a",
                ["+ x", "warning: 'x' is created again, because the state does not contain 'k'"]
            ),
            (
                "a former key that is spelled otherwise", [Named(key: "b"), Named(key: "x", former: ["A "])], "ab",
                [
                    "+ x", "- a 1",
                    "error: 'A ', which 'x' was before, is not in the state, but 'a' is",
                    "warning: 'a' leaves and 'x' appears with the same picture",
                ]
            ),
            ("a first apply", [Named(key: "x", former: ["a"])], "", ["+ x"]),
            ("its own key", [Named(key: "a", former: ["a"])], "a", []),
        ]
    )
    func `is done or said`(shape: String, listings: [Named], state: String, expected: [String]) {
        #expect(words(plan(listings, state: state)) == expected, "\(shape)")
    }

    /// Every manifest of up to two listings with up to two former keys each, over every state of three products: a product
    /// is deleted only where no listing names its key, in `key` or in `previously`.
    @Test func `no shape of it deletes in silence what it names`() {
        let keys = ["a", "b", "c"]
        let formers = [[], ["a"], ["b"], ["c"], ["a", "b"], ["b", "a"], ["a", "c"], ["c", "b"]]
        let states = ["", "a", "b", "ab", "ac", "bc", "abc"]
        for first in keys {
            for second in keys + [""] where second != first {
                for (one, two) in formers.flatMap({ one in formers.map { (one, $0) } }) {
                    guard second != "" || two.isEmpty else { continue }
                    let listings =
                        [Named(key: first, former: one)] + (second == "" ? [] : [Named(key: second, former: two)])
                    for state in states {
                        let plan = plan(listings, state: state)
                        guard plan.isSound else { continue }
                        let named = Set(listings.flatMap { [$0.key] + $0.former })
                        let gone = plan.operations.filter { $0.action == .delete }.map(\.key)
                        #expect(named.isDisjoint(with: gone), "\(listings) over \(state)")
                        // Each product has one key at the end, and each key one product.
                        let ids = plan.operations.compactMap(\.id)
                        #expect(Set(ids).count == ids.count, "\(listings) over \(state)")
                        let made = plan.operations.filter { $0.action == .create }.map(\.key)
                        #expect(
                            made.count + state.count - gone.count == listings.count,
                            "\(listings) over \(state): \(words(plan))"
                        )
                    }
                }
            }
        }
    }

    @Test func `a former key whose operation is still open is not followed`() {
        var shop = PlanFixture()
        shop.manages("a", 1)
        shop.wants("x") { $0.previously = ["a"] }
        #expect(words(shop.plan()) == ["a is x"])
        shop.input.blockedKeys = ["a"]
        #expect(words(shop.plan()) == [])
    }

    @Test func `a product that two keys share is given up for the new one`() {
        // A market that was reset gave its number once more.
        var shop = PlanFixture()
        shop.wants("b") { $0.previously = ["a"] }
        shop.knows("a", 7)
        shop.manages("b", 7)
        #expect(shop.plan().diagnostics == [])
        #expect(shop.plan().operations == [])
    }

    @Test func `a state that knows products of other markets only says so first`() {
        var shop = PlanFixture()
        shop.wants("lamp")
        func scope(_ url: String, _ number: UInt8) -> MarketScope {
            MarketScope(url: url, profile: .v2b, identifier: digest(number))
        }
        let others = [KnownMarket(scope: scope("http://127.0.0.1:8080", 1), products: 135)]
        for (own, this) in [
            (scope("http://localhost:8080", 1), "this is http://localhost:8080 (v2b)"),
            (scope("http://127.0.0.1:8080", 2), "this is the same with another identifier"),
        ] {
            shop.input.otherMarkets = (own, others)
            #expect(
                shop.plan().diagnostics.first?.message
                    == "the state has 135 products of http://127.0.0.1:8080 (v2b); \(this)"
            )
        }
        shop.input.otherMarkets = (scope("http://localhost:8080", 1), [])
        #expect(shop.plan().diagnostics == [])
    }

    @Test func `renames are counted, and are changes`() {
        let plan = plan([Named(key: "x", former: ["a"]), Named(key: "b")], state: "ab")
        var summary = PlanSummary(unchanged: 2)
        summary.rename = 1
        #expect(plan.summary == summary)
        #expect(plan.operations.map(\.action) == [.rename] && plan.operations.map(\.reason) == ["renamed from 'a'"])
        #expect(plan.renames.map(\.from) == ["a"] && plan.renames.map(\.to) == ["x"])
    }

    @Test func `a renamed product is one operation, and what else the state learns of it has the key of the state`() {
        var shop = PlanFixture()
        shop.wants("x") {
            $0.previously = ["a"]
            $0.values.price = 90
        }
        shop.manages("a", 7)
        var plan = shop.plan()
        #expect(plan.operations.map(\.action) == [.update] && plan.operations.map(\.renamedFrom) == ["a"])
        #expect(plan.operations.map(\.reason) == ["changed in the manifest; renamed from 'a'"])
        #expect(plan.keys == ["a", "x"])
        plan.stateUpdates = [.origin("shop.yaml", keys: ["x", "b"]), .remove(key: "x")]
        #expect(plan.updatesOfPresentKeys == [.origin("shop.yaml", keys: ["a", "b"]), .remove(key: "a")])
    }

    @Test func `a run that is about other products does not say what is wrong with it`() {
        var shop = PlanFixture()
        shop.has("lamp", 9)
        shop.knows("a", 1)
        shop.knows("b", 2)
        shop.wants("b") { $0.previously = ["a"] }
        shop.shows(1)
        shop.shows(2)
        shop.options.filter = KeyFilter(targets: ["lamp"])
        #expect(shop.plan().diagnostics == [])
        #expect(shop.plan().operations == [])
    }
}
