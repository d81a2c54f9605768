@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// What a later run does about a create without reply, mostly on a market that carries out a repeated request once and
/// shows nothing else of it.
struct RepeatedCreateRecoveryTests {
    /// A market that knows requests for an hour, and whose ids say nothing of age.
    private static func shop(_ change: (inout DrawnDescription) -> Void = { _ in }) throws -> ApplySimulation {
        var drawn = DrawnDescription()
        drawn.ids = .texts
        drawn.repeatHours = 1
        change(&drawn)
        return ApplySimulation(profile: try drawn.profile())
    }

    enum Circumstance: CaseIterable {
        case sameVersion, otherVersion, forgottenKey
    }

    @Test(arguments: Circumstance.allCases)
    func `a create is sent again as it was, and never otherwise or too late`(circumstance: Circumstance) throws {
        let shop = try Self.shop()
        let listings = [Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])]
        try shop.simulation.scheduler.run {
            shop.market.set(Faults(lostWithEffect: 1))
            let (_, first) = try await shop.apply(listings, run: 1, configuration: shop.configuration())
            #expect(first.totals.unknown == 1)
            #expect(shop.market.ours.count == 1)

            shop.market.set(.none)
            let known = shop.facts(first.run, 0).count
            switch circumstance {
            case .sameVersion: break
            case .otherVersion: shop.market.encodeOtherwise()
            case .forgottenKey: try await shop.simulation.clock.sleep(for: .seconds(3500))
            }
            let (plan, _) = try await shop.apply(listings, run: 2, configuration: shop.configuration())
            #expect(plan.isEmpty)
            #expect(shop.market.ours.count == 1)
            let open = try await shop.state.reading(shop.scope) { try await $0.unresolved() }
            if circumstance == .sameVersion {
                #expect(shop.snapshot.entries["lamp"]?.id == shop.market.ours[0].id)
                #expect(open.isEmpty)
                #expect(shop.facts(first.run, 0).dropFirst(known).map(\.status) == [.sent, .succeeded])
            } else {
                #expect(shop.snapshot.entries.isEmpty)
                #expect(open.map(\.operation.key) == ["lamp"])
            }
        }
    }

    /// One create is answered when it is sent again; the other one, whose product looks the same, is looked for: it was never
    /// carried out, and what makes its request the same is not known.
    @Test func `the product of a create that was sent again is not another create's`() throws {
        let shop = try Self.shop()
        let (simulation, market) = (shop.simulation, shop.market)
        let lamps = ["lamp", "second"].map { Listing.with(key: $0, name: "Desk lamp", price: 100, pictures: [1]) }
        try simulation.scheduler.run {
            market.set(Faults(lostWithEffect: 1))
            let (_, first) = try await shop.apply([lamps[0]], run: 1, configuration: shop.configuration())
            #expect(first.totals.unknown == 1)
            #expect(market.ours.count == 1)
            try await shop.state.holding(shop.scope, for: "test") { session in
                try await session.leave([(lamps[1].create, [.sent(.create, highWater: nil)])])
            }

            market.set(.none)
            _ = try await shop.apply(lamps, run: 3, configuration: shop.configuration())
            let entries = shop.snapshot.entries
            #expect(Set(entries.ids) == Set(market.ours.map(\.id)))
            #expect(entries["lamp"]?.id != entries["second"]?.id)
            #expect(market.ours.count == 2)
        }
    }

    /// The market answers with a product under a name that it made of ours, and does not say that it does that.
    @Test(arguments: [DrawnDescription.IDs.texts, .rising])
    func `a product that a reply named is not made again, also not by a later run`(ids: DrawnDescription.IDs) throws {
        var drawn = DrawnDescription()
        drawn.ids = ids
        drawn.showsOwner = false
        let shop = ApplySimulation(profile: try drawn.profile())
        let (simulation, market) = (shop.simulation, shop.market)
        let lamp = Listing.with(key: "lamp", name: "Desk & lamp", price: 100, pictures: [1])
        try simulation.scheduler.run {
            var shown = lamp.values
            shown.name = "Desk &amp; lamp"
            let id = market.add(shown, isOurs: true)
            let facts = [
                JournalEvent.Fact.sent(.create, highWater: nil), .unknown(.create, "another name", answered: id),
            ]
            try await shop.state.holding(shop.scope, for: "test") { try await $0.leave([(lamp.create, facts)]) }
            for run in 1...2 { _ = try await shop.apply([lamp], run: run, configuration: shop.configuration()) }
            #expect(market.ours.map(\.id) == [id])
            // Without an order of ids nothing proves that it is new, so a person decides.
            #expect(Array(shop.snapshot.entries.ids) == (ids == .rising ? [id] : []))
            let open = try await shop.state.reading(shop.scope) { try await $0.unresolved() }
            #expect(open.map(\.operation.key) == (ids == .rising ? [] : ["lamp"]))
        }
    }

    @Test func `a plan only looks, and sends nothing again`() throws {
        let shop = try Self.shop()
        let listings = [Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])]
        try shop.simulation.scheduler.run {
            shop.market.set(Faults(lostWithEffect: 1))
            _ = try await shop.apply(listings, run: 1, configuration: shop.configuration())
            shop.market.set(.none)
            let facts = shop.facts(RunID(rawValue: "run-1"), 0)
            let resolution = try await shop.preview()
            #expect(resolution.blockedKeys == ["lamp"])
            #expect(shop.facts(RunID(rawValue: "run-1"), 0) == facts)

            // Its product may have been taken for that of a namesake.
            let id = shop.market.add(listings[0].values, isOurs: true)
            let twin = StateEntry(key: "twin", id: id, applied: listings[0].values)
            try await shop.state.holding(shop.scope, for: "test") { try await $0.apply([.put(twin)]) }
            #expect(try await shop.preview().blockedKeys == ["lamp", "twin"])
        }
    }

    @Test func `a reply to what is sent again that shows something else is neither taken nor forgotten`() throws {
        let shop = try Self.shop()
        try shop.simulation.scheduler.run {
            shop.market.set(Faults(lostWithEffect: 1))
            _ = try await shop.apply([Self.lamp], run: 1, configuration: shop.configuration())
            let made = try #require(shop.market.ours.first)
            shop.market.edit(made.id) { product in
                (product.name, product.description, product.price) = ("Round fan", "Cold air.", 900)
                product.images = []
            }
            shop.market.set(.none)
            shop.market.script([.succeeded(WriteReply(product: shop.market.ours[0]))])
            _ = try await shop.apply([Self.lamp], run: 2, configuration: shop.configuration())
            #expect(shop.market.ours.map(\.id) == [made.id])
            #expect(shop.snapshot.entries.isEmpty)
        }
    }

    @Test func `what was sent again is waited for from then on`() throws {
        let shop = try Self.shop { ($0.ids, $0.showsOwner) = (.rising, false) }
        try shop.simulation.scheduler.run {
            let id = shop.market.add(Self.lamp.values, isOurs: true)
            let request = NewProduct(values: Self.lamp.values, pictures: Self.lamp.pictures).createRequest(nil)
            let left = [(Self.lamp.create, [Self.sent(request, "once", on: shop)])]
            let outcomes = try await Self.settled(left, on: shop) {
                shop.market.script([.refused(WriteRefusal(.other, status: 400, message: "no"))])
                shop.market.answer(after: .seconds(100))
            }
            #expect(outcomes == ["it was created as \(id)"])
            #expect(shop.simulation.now >= .seconds(100) + shop.configuration().quietPeriod(on: shop.capabilities))
        }
    }

    @Test func `a create that was sent without a key that makes it the same is not sent again`() throws {
        let shop = try Self.shop()
        let request = NewProduct(values: Self.lamp.values, pictures: Self.lamp.pictures).createRequest(nil)
        let outcomes = try shop.simulation.scheduler.run {
            try await Self.settled([(Self.lamp.create, [Self.sent(request, nil, on: shop)])], on: shop)
        }
        #expect(outcomes == ["was not created"])
        #expect(shop.market.ours.isEmpty)
    }

    // MARK: - Markets that repeat nothing

    private static let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
    private static let second = Listing.with(key: "second", name: "Desk lamp", price: 100, pictures: [1])

    /// The fact that this request is about to leave under a repeat key.
    private static func sent(_ request: WriteRequest, _ key: String?, on shop: ApplySimulation) -> JournalEvent.Fact {
        var request = request
        request.idempotencyKey = key
        let digest = shop.market.bodyDigest(of: request)
        return .sent(.create, highWater: nil, fingerprint: RequestFingerprint(idempotencyKey: key, digest: digest))
    }

    /// What a run finds out about the operations that a killed one left, with these facts.
    private static func settled(
        _ left: [(operation: PlannedOperation, facts: [JournalEvent.Fact])],
        on shop: ApplySimulation,
        drain: StopSignal = StopSignal(),
        before: () -> Void = {}
    ) async throws -> [String] {
        try await shop.state.holding(shop.scope, for: "test") { try await $0.leave(left) }
        before()
        return try await shop.settle(drain: drain).settled.map(\.outcome)
    }

    /// A person changed everything about it since.
    @Test(arguments: [true, false])
    func `a product that a reply named is the create's, unless it was there before`(isNew: Bool) throws {
        let shop = ApplySimulation(seed: 7, profile: .v2b)
        try shop.simulation.scheduler.run {
            let fan = Listing.with(key: "fan", name: "Round fan", description: "Cold air.", price: 900, pictures: [9])
            let id = shop.market.add(fan.values, isOurs: true)
            let facts: [JournalEvent.Fact] = [
                .sent(.create, highWater: isNew ? nil : id), .unknown(.create, "another name", answered: id),
            ]
            let outcomes = try await Self.settled([(Self.lamp.create, facts)], on: shop)
            #expect(outcomes == [isNew ? "it was created as \(id)" : "was not created"])
        }
    }

    @Test func `where pictures are attached later, a product without them is the create's`() throws {
        let shop = try Self.shop { drawn in
            (drawn.ids, drawn.repeatHours, drawn.showsOwner) = (.rising, nil, false)
            (drawn.style, drawn.changesPicturesInPlace) = (.attach, false)
        }
        try shop.simulation.scheduler.run {
            var made = Self.lamp.values
            made.images = []
            let id = shop.market.add(made, isOurs: true)
            let outcomes = try await Self.settled([(Self.lamp.create, [.sent(.create, highWater: nil)])], on: shop)
            #expect(outcomes == ["it was created as \(id)"])
        }
    }

    @Test(arguments: [true, false])
    func `an operation whose create is not in question takes no product of another's`(isMade: Bool) throws {
        let shop = try Self.shop { ($0.ids, $0.repeatHours, $0.showsOwner) = (.rising, nil, false) }
        try shop.simulation.scheduler.run {
            let ids = Array((0..<(isMade ? 2 : 1)).map { _ in shop.market.add(Self.lamp.values, isOurs: true) })
            let sent = JournalEvent.Fact.sent(.create, highWater: nil)
            let first = isMade ? [sent, .advanced(.create, created: ids[0])] : [.sent(.upload, highWater: nil)]
            let left = [(Self.lamp.create, first), (Self.second.create, [sent])]
            let outcomes = try await Self.settled(left, on: shop)
            #expect(outcomes.last == "it was created as \(ids[ids.count - 1])")
        }
    }

    @Test func `a run that stops says nothing of a change that the market may still carry out`() throws {
        let shop = ApplySimulation(seed: 7, profile: .v2b)
        let drain = StopSignal()
        drain.trigger()
        let update = PlannedOperation(key: "lamp", reason: "", work: .update(Lamp.update))
        let outcomes = try shop.simulation.scheduler.run {
            try await Self.settled([(update, [.sent(.update, highWater: nil)])], on: shop, drain: drain)
        }
        #expect(outcomes == ["the run stopped before it was settled"])
    }
}
