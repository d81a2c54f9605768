import OpenMarketTestSupport
import Testing

/// What somebody does between the crash and the next run must not make a second listing, lose one, or forget one.
@Suite(.timeLimit(.minutes(5)))
struct MeanwhileTests {
    /// Holds the second POST, or another one, before or after the market acts.
    private static func held(nth: Int = 2, _ moment: Kill.Moment = .after) -> String {
        "rules:\n  - {method: POST, nth: \(nth), fault: \(Kill(request: 0, moment: moment).fault)}\n"
    }

    /// A market with one product of ours, and a second one whose create was killed when the market had acted.
    private static func crash(_ api: String, _ body: (Stall, inout MarketView) async throws -> Void) async throws {
        try await Stall.open(api, .plain(2), faults: held()) { stall in
            var view = MarketView(stall.server, api)
            let ended = try await stall.killed(Kill(request: 1, moment: .after))
            #expect(ended.status == 128 + 9)
            #expect(try view.ids().count == 2)
            try stall.server.setFaults()
            try await body(stall, &view)
        }
    }

    @Test(arguments: Stall.profiles)
    func `a product that was edited is recognised all the same`(api: String) async throws {
        try await Self.crash(api) { stall, view in
            let id = try #require(try view.ids().max())
            try await stall.edit(id, "stock: 77")
            try await stall.applyUntilDone()
            try await stall.applyUntilDone()
            try await stall.expectExactly(.plain(2), Neighbours(of: stall), &view, "\(api)")
        }
    }

    @Test(arguments: Stall.profiles)
    func `a market that cannot say leaves the key alone, and 3 says so`(api: String) async throws {
        try await Self.crash(api) { stall, view in
            // Neither the product nor whose it is can be read.
            let path = api.hasPrefix("v1") ? "/item/2" : "/api/products/2"
            try stall.server.setFaults("rules:\n  - {path: '\(path)*', fault: {status: 500}}\n")
            let undecided = try await stall.openmarket("apply", "--yes")
            #expect(undecided.status == 3, "\(undecided.errorText)")
            #expect(try view.ids().count == 2)
            try stall.server.setFaults()
            // What is open counts as a change to come.
            #expect(try await stall.openmarket("plan", "--detailed-exitcode").status == 2)
            try await stall.applyUntilDone()
            try await stall.expectExactly(.plain(2), Neighbours(of: stall), &view, "\(api)")
        }
    }

    @Test
    func `state commands leave alone what is unsettled`() async throws {
        try await Self.crash("v2b") { stall, view in
            let exported = try await stall.openmarket("state", "export")
            try stall.write("state.jsonl", exported.stdout)
            for arguments in [
                ["state", "move", "thing-1", "thing-2"], ["state", "import", "--replace", "state.jsonl"],
            ] {
                let refused = try await stall.program(arguments).run()
                #expect(refused.status == 1, "\(arguments)")
                #expect(refused.errorText.contains("on 'thing-2' is unsettled; nothing was changed"), "\(arguments)")
            }
            #expect(try await stall.openmarket("state", "export").stdout == exported.stdout)
            try await stall.applyUntilDone()
            try await stall.expectExactly(.plain(2), Neighbours(of: stall), &view, "after refused state commands")
        }
    }

    /// The product is no longer in the manifest, which alone said where its password is.
    @Test
    func `a v1 product with a password of its own is found, and removed, without the manifest`() async throws {
        try await Stall.open("v1b", .plain(1), faults: Self.held(nth: 1)) { stall in
            let view = MarketView(stall.server, "v1b")
            let secret = ["LAMP_SECRET": "only-for-this-one"]
            let own = Assortment.plain(1).yaml.replacing(
                "  - key: thing-1\n",
                with: "  - key: thing-1\n    secret: !env LAMP_SECRET\n"
            )
            try stall.write("openmarket.yaml", Array(own.utf8))
            _ = try await stall.program(["apply", "--yes"], environment: secret).run { process in
                try await stall.waitUntil { try stall.server.writes().first?.status != nil }
                process.send(.kill)
            }
            try stall.server.setFaults()
            var without = Assortment.plain(1)
            without.products = []
            try stall.want(without)
            try await stall.applyUntilDone(["--allow-empty"], environment: secret)
            #expect(try view.ids() == [])
        }
    }

    @Test
    func `a saved plan that was killed in a replace is stale, and nothing is made twice`() async throws {
        try await Stall.open("v2b", .plain(2)) { stall in
            var view = MarketView(stall.server, "v2b")
            try await stall.applyUntilDone()
            var changed = Assortment.plain(2)
            changed.products[0].pictures = [9]
            try stall.want(changed)
            #expect(try await stall.openmarket("plan", "-o", "plan.json").status == 0)
            // The new product is there, and the old one's key is asked for.
            try stall.server.setFaults(Self.held(nth: 2, .before))
            _ = try await stall.program(["apply", "plan.json"]).run { process in
                try await stall.waitUntil { try stall.server.writes().count == 2 }
                process.send(.kill)
            }
            try stall.server.setFaults()
            let again = try await stall.openmarket("apply", "plan.json")
            #expect(again.status == 6, "\(again.errorText)")
            #expect(try stall.server.writes() == [])
            try await stall.applyUntilDone()
            try await stall.expectExactly(changed, Neighbours(of: stall), &view, "after a stale plan")
        }
    }

    @Test
    func `a saved create does not go past a create that nobody knows about`() async throws {
        try await Stall.open("v2b", .plain(2)) { stall in
            var view = MarketView(stall.server, "v2b")
            #expect(try await stall.openmarket("plan", "-o", "plan.json").status == 0)
            try stall.server.setFaults(Self.held())
            _ = try await stall.program(["apply", "plan.json"]).run { process in
                try await stall.waitUntil {
                    try stall.server.writes().last?.status != nil && stall.server.writes().count == 2
                }
                process.send(.kill)
            }
            try stall.server.setFaults("rules:\n  - {path: '/api/products/2', fault: {status: 500}}\n")
            let undecided = try await stall.openmarket("apply", "plan.json")
            #expect(undecided.status == 3, "\(undecided.errorText)")
            #expect(try stall.server.writes() == [])
            try stall.server.setFaults()
            try await stall.applyUntilDone()
            try await stall.expectExactly(.plain(2), Neighbours(of: stall), &view, "after an undecided create")
        }
    }

    /// Our own vendor number is not yet known, and is not the adopted product's.
    @Test
    func `a foreign product that was adopted does not make us somebody else`() async throws {
        try await Stall.open("v2b", .plain(1)) { stall in
            var view = MarketView(stall.server, "v2b")
            var neighbours = Neighbours(of: stall)
            try neighbours.list(Assortment.Product(number: 1), view: view)
            try stall.want(.plain(2))
            try stall.server.setFaults("rules:\n  - {method: POST, nth: 1, fault: {cut: after}}\n")
            try await stall.applyUntilDone(["--adopt"])
            #expect(try view.ids().count == 2)
            let ours = try #require(try view.shown(2))
            #expect(ours == MarketView.Shown(Assortment.Product(number: 2), api: "v2b"))
        }
    }

    @Test
    func `a pinned product is replaced to the end`() async throws {
        try await Stall.open("v2b", .plain(2)) { stall in
            var view = MarketView(stall.server, "v2b")
            try await stall.applyUntilDone()
            var changed = Assortment.plain(2)
            changed.products[1].pictures = [9]
            let pinned = changed.yaml.replacing("  - key: thing-2\n", with: "  - key: thing-2\n    id: 2\n")
            try stall.write("openmarket.yaml", Array(pinned.utf8))
            try stall.server.setFaults(Self.held(nth: 2, .before))
            _ = try await stall.killed(Kill(request: 1, moment: .before))
            try stall.server.setFaults()
            try await stall.applyUntilDone()
            try await stall.expectExactly(changed, Neighbours(of: stall), &view, "pinned")
        }
    }
}

extension Stall {
    /// Changes a product of ours from another computer, which has a state of its own.
    fileprivate func edit(_ id: Int64, _ field: String) async throws {
        let manifest = """
            market: {identifier: !env OPENMARKET_IDENTIFIER, secret: !env OPENMARKET_SECRET}
            products:
              - {key: it, id: \(id), \(field)}
            """
        try write("elsewhere.yaml", Array(manifest.utf8))
        let output = try await openmarket("apply", "elsewhere.yaml", "--yes", "--state", "elsewhere/state.db")
        guard output.status == 0 else { throw NotDone(description: output.errorText) }
    }
}
