@testable import OpenMarketTestSupport
import Testing

/// What is done between the crash and the next run must not make a second listing, lose one, or forget one.
@Suite(.timeLimit(.minutes(5)))
struct MeanwhileTests {
    /// Holds the second POST, or another one, before or after the market acts.
    private static func held(nth: Int = 2, _ moment: Kill.Moment = .after) -> String {
        "rules:\n  - {method: POST, nth: \(nth), fault: \(Kill(request: 0, moment: moment).fault)}\n"
    }

    /// A market with one product of ours, and a second one whose create was killed when the market had acted.
    private static func crash(_ api: String, _ body: (ReliabilitySandbox, inout MarketView) async throws -> Void)
        async throws
    {
        try await ReliabilitySandbox.open(api, .plain(2), faults: held()) { sandbox in
            var view = MarketView(sandbox.server, api)
            let ended = try await sandbox.killed(Kill(request: 1, moment: .after))
            #expect(ended.status == 128 + 9)
            #expect(try view.ids().count == 2)
            try sandbox.server.setFaults()
            try await body(sandbox, &view)
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `a product that was edited is recognised all the same`(api: String) async throws {
        try await Self.crash(api) { sandbox, view in
            let id = try #require(try view.ids().max())
            try await sandbox.edit(id, "stock: 77")
            try await sandbox.applyUntilDone()
            try await sandbox.applyUntilDone()
            try await sandbox.expectExactly(.plain(2), Neighbours(of: sandbox), &view, "\(api)")
        }
    }

    /// Its name and its price are others by now, so that nothing shows whether a person listed it.
    @Test(arguments: TestScope.sweptProfiles, [true, false])
    func `what nothing shows to be the create's is named, and it is when the manifest says so, or it is gone`(
        api: String,
        isOurs: Bool
    ) async throws {
        try await Self.crash(api) { sandbox, view in
            let id = try #require(try view.ids().max())
            try await sandbox.edit(id, "name: Renamed by hand, price: 777, currency: KRW")
            try sandbox.server.setFaults()
            for _ in 1...2 {
                let open = try await sandbox.openmarket("apply", "--yes")
                #expect(open.status == 3, "\(open.errorText)")
                #expect(open.text == "No other changes; unresolved operations of earlier runs: 1.\n")
                #expect(
                    open.errorText.contains(
                        "still unresolved: product \(id) may be it, and its values do not decide whether it is; "
                            + "write `id: \(id)` in the manifest if it is, or delete it there, and it is created again\n"
                    ),
                    "\(open.errorText)"
                )
            }
            #expect(try view.ids().count == 2)
            func creates() throws -> Int {
                try sandbox.server.writes().count { $0.method == "POST" && !$0.isQuestion }
            }
            #expect(try creates() == 0)
            if isOurs {
                let pinned = Assortment.plain(2).yaml.replacing(
                    "  - key: thing-2\n",
                    with: "  - key: thing-2\n    id: \(id)\n"
                )
                try sandbox.write("openmarket.yaml", Array(pinned.utf8))
            } else {
                let nothing =
                    "market: {identifier: !env OPENMARKET_IDENTIFIER, secret: !env OPENMARKET_SECRET}\nproducts: []\n"
                try sandbox.write("elsewhere.yaml", Array(nothing.utf8))
                let gone = try await sandbox.openmarket(
                    "apply",
                    "elsewhere.yaml",
                    "--yes",
                    "--allow-empty",
                    "--state",
                    "elsewhere/state.db"
                )
                #expect(gone.status == 0, "\(gone.errorText)")
                #expect(try view.ids().count == 1)
            }
            try await sandbox.applyUntilDone()
            #expect(try creates() == (isOurs ? 0 : 1))
            #expect(try view.ids().contains(id) == isOurs)
            // The `id` may go again.
            try sandbox.want(.plain(2))
            try await sandbox.expectExactly(.plain(2), Neighbours(of: sandbox), &view, "\(api) \(isOurs)")
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `a market that cannot say leaves the key alone, and 3 says so`(api: String) async throws {
        try await Self.crash(api) { sandbox, view in
            // Neither the product nor whose it is can be read.
            let path = api.hasPrefix("v1") ? "/item/2" : "/api/products/2"
            try sandbox.server.setFaults("rules:\n  - {path: '\(path)*', fault: {status: 500}}\n")
            let unresolved = try await sandbox.openmarket("apply", "--yes")
            #expect(unresolved.status == 3, "\(unresolved.errorText)")
            #expect(try view.ids().count == 2)
            try sandbox.server.setFaults()
            // What is open counts as a change to come.
            #expect(try await sandbox.openmarket("plan", "--detailed-exitcode").status == 2)
            try await sandbox.applyUntilDone()
            try await sandbox.expectExactly(.plain(2), Neighbours(of: sandbox), &view, "\(api)")
        }
    }

    /// The product is no longer in the manifest, which alone said where its password is.
    @Test
    func `a v1 product with a password of its own is found, and removed, without the manifest`() async throws {
        try await ReliabilitySandbox.open("v1b", .plain(1), faults: Self.held(nth: 1)) { sandbox in
            let view = MarketView(sandbox.server, "v1b")
            let secret = ["LAMP_SECRET": "only-for-this-one"]
            let own = Assortment.plain(1).yaml.replacing(
                "  - key: thing-1\n",
                with: "  - key: thing-1\n    secret: !env LAMP_SECRET\n"
            )
            try sandbox.write("openmarket.yaml", Array(own.utf8))
            _ = try await sandbox.program(["apply", "--yes"], environment: secret).run { process in
                try await sandbox.waitUntil { try sandbox.server.writes().first?.status != nil }
                process.send(.kill)
            }
            try sandbox.server.setFaults()
            var without = Assortment.plain(1)
            without.products = []
            try sandbox.want(without)
            try await sandbox.applyUntilDone(["--allow-empty"], environment: secret)
            #expect(try view.ids() == [])
        }
    }

    @Test
    func `a saved plan that was killed in a replace is stale, and nothing is made twice`() async throws {
        try await ReliabilitySandbox.open("v2b", .plain(2)) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            try await sandbox.applyUntilDone()
            var changed = Assortment.plain(2)
            changed.products[0].pictures = [9]
            try sandbox.want(changed)
            #expect(try await sandbox.openmarket("plan", "-o", "plan.json").status == 0)
            // The new product is there, and the old one's key is asked for.
            try sandbox.server.setFaults(Self.held(nth: 2, .before))
            _ = try await sandbox.program(["apply", "plan.json"]).run { process in
                try await sandbox.waitUntil { try sandbox.server.writes().count == 2 }
                process.send(.kill)
            }
            try sandbox.server.setFaults()
            let again = try await sandbox.openmarket("apply", "plan.json")
            #expect(again.status == 6, "\(again.errorText)")
            #expect(try sandbox.server.writes() == [])
            try await sandbox.applyUntilDone()
            try await sandbox.expectExactly(changed, Neighbours(of: sandbox), &view, "after a stale plan")
        }
    }

    @Test
    func `a saved create does not go past a create whose outcome is unknown`() async throws {
        try await ReliabilitySandbox.open("v2b", .plain(2)) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            #expect(try await sandbox.openmarket("plan", "-o", "plan.json").status == 0)
            try sandbox.server.setFaults(Self.held())
            _ = try await sandbox.program(["apply", "plan.json", "--parallelism", "1"]).run { process in
                try await sandbox.waitUntil {
                    try sandbox.server.writes().last?.status != nil && sandbox.server.writes().count == 2
                }
                process.send(.kill)
            }
            try sandbox.server.setFaults("rules:\n  - {path: '/api/products/2', fault: {status: 500}}\n")
            let unresolved = try await sandbox.openmarket("apply", "plan.json")
            #expect(unresolved.status == 3, "\(unresolved.errorText)")
            #expect(try sandbox.server.writes() == [])
            try sandbox.server.setFaults()
            try await sandbox.applyUntilDone()
            try await sandbox.expectExactly(.plain(2), Neighbours(of: sandbox), &view, "after an unresolved create")
        }
    }

    /// Our own vendor number is not yet known, and is not the neighbour's.
    @Test
    func `a foreign product is not adopted, whoever confirms it, and does not make us another seller`() async throws {
        try await ReliabilitySandbox.open("v2b", .plain(1)) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            var neighbours = Neighbours(of: sandbox)
            try neighbours.list(Assortment.Product(number: 1), view: view)
            try sandbox.want(.plain(2))
            // The reply to the question is lost, then that to the first create.
            let lost = "rules:\n  - {method: POST, nth: 1, fault: {cut: after}}\n"
            try sandbox.server.setFaults(lost)
            let adopts = try await sandbox.openmarket("apply", "--yes", "--adopt")
            #expect(adopts.status == 5, "\(adopts.errorText)")
            #expect(adopts.errorText.contains("the market refuses you its delete key: it is not yours"))
            #expect(try sandbox.server.writes().allSatisfy(\.isQuestion))
            #expect(try view.ids().count == 1)
            try sandbox.server.setFaults(lost)
            try await sandbox.applyUntilDone(["--allow-namesakes"])
            #expect(try view.ids().count == 3)
            for id in [Int64(2), 3] {
                let ours = try #require(try view.shown(id))
                let number = ours.name == Assortment.Product(number: 1).name ? 1 : 2
                #expect(ours == MarketView.Shown(Assortment.Product(number: number), api: "v2b"))
            }
        }
    }

    @Test
    func `a pinned product is replaced to the end`() async throws {
        try await ReliabilitySandbox.open("v2b", .plain(2)) { sandbox in
            var view = MarketView(sandbox.server, "v2b")
            try await sandbox.applyUntilDone()
            var changed = Assortment.plain(2)
            changed.products[1].pictures = [9]
            let pinned = changed.yaml.replacing("  - key: thing-2\n", with: "  - key: thing-2\n    id: 2\n")
            try sandbox.write("openmarket.yaml", Array(pinned.utf8))
            try sandbox.server.setFaults(Self.held(nth: 2, .before))
            _ = try await sandbox.killed(Kill(request: 1, moment: .before))
            try sandbox.server.setFaults()
            try await sandbox.applyUntilDone()
            try await sandbox.expectExactly(changed, Neighbours(of: sandbox), &view, "pinned")
        }
    }
}

extension ReliabilitySandbox {
    /// Changes a product of ours from another computer, which has a state of its own.
    fileprivate func edit(_ id: Int64, _ field: String) async throws {
        let manifest = """
            market: {identifier: !env OPENMARKET_IDENTIFIER, secret: !env OPENMARKET_SECRET}
            products:
              - {key: it, id: \(id), \(field)}
            """
        try write("elsewhere.yaml", Array(manifest.utf8))
        let output = try await openmarket(
            "apply",
            "elsewhere.yaml",
            "--yes",
            "--adopt",
            "--state",
            "elsewhere/state.db"
        )
        guard output.status == 0 else { throw NotDone(description: output.errorText) }
    }
}
