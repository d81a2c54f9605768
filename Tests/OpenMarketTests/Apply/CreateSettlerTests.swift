@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
import Testing

/// What became of creates, asked of a market that two vendors list on.
struct CreateSettlerTests {
    private static let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
    private static let fan = Listing.with(key: "fan", name: "Round fan", price: 200, pictures: [2])

    private static func settler(
        _ market: StandInMarket,
        _ capabilities: MarketCapabilities? = nil,
        _ configuration: ExecutorConfiguration = ExecutorConfiguration(),
        clock: NoWait = NoWait(),
        drain: StopSignal = StopSignal()
    ) -> CreateSettler {
        CreateSettler(
            market: market,
            capabilities: capabilities ?? market.profile.capabilities,
            configuration: configuration,
            time: RunTime(ExecutionEnvironment(clock: clock, wallTime: { Timestamp(milliseconds: 1_000_000) })),
            drain: drain
        )
    }

    private static func open(_ index: Int, _ listing: Listing) -> CreateSettlement.OpenCreate { .init(index, listing) }

    private static func product(_ id: Int64, vendor: Int64, _ listing: Listing) -> LiveProduct {
        var values = listing.values
        values.images = nil
        values.sale = values.sale ?? .fullPrice
        return LiveProduct(
            id: MarketID(id),
            vendorID: vendor,
            values: values,
            images: [.init(id: MarketID(id), url: "u/\(id)")]
        )
    }

    /// Two creates are paired at once while it is not known who we are; the first one shows it, and the second is a stranger's.
    @Test(arguments: [false, true])
    func `what another vendor listed is not taken for ours once one of ours says who we are`(isReversed: Bool)
        async throws
    {
        let creates =
            isReversed
            ? [Self.open(0, Self.fan), Self.open(1, Self.lamp)] : [Self.open(0, Self.lamp), Self.open(1, Self.fan)]
        let market = StandInMarket(
            list: [Self.product(101, vendor: 77, Self.fan), Self.product(102, vendor: 29, Self.lamp)],
            onWrite: { request in
                if case .deleteKey(102) = request.kind { return .succeeded(WriteReply()) }
                return .refused(WriteRefusal(.other, status: 403, message: "not yours"))
            }
        )
        let settler = Self.settler(market)
        let verdicts = try await settler.settle(creates) { .init(snapshot: StateSnapshot()) }
        let ids = verdicts.mapValues { verdict -> MarketID? in
            if case .happened(let product, _) = verdict { product.id } else { nil }
        }
        #expect(ids == (isReversed ? [0: nil, 1: 102] : [0: 102, 1: nil]))
        #expect(verdicts[isReversed ? 0 : 1] == .neverHappened)
    }

    @Test func `what another session lists until the list is read is not taken for a create's`() async throws {
        let market = Self.ours(Self.product(101, vendor: 29, Self.lamp))
        let settler = Self.settler(market)
        let verdicts = try await settler.settle([Self.open(0, Self.lamp)]) {
            // The state knows it from when it is there.
            let twin = StateEntry(key: "twin", id: 101, applied: Self.lamp.values)
            return .init(snapshot: StateSnapshot(entries: market.asked.lists > 0 ? ["twin": twin] : [:]))
        }
        #expect(verdicts == [0: .neverHappened])
    }

    /// A market where items have passwords of their own, and only the right one can change a product.
    private static func withPasswords(_ products: (LiveProduct, secret: SecretReference?)...) -> StandInMarket {
        StandInMarket(
            profile: .v1b,
            list: products.map(\.0),
            onWrite: { request in
                guard case .proveOwnership(let id) = request.kind else { return .succeeded(WriteReply()) }
                return products.contains { $0.0.id == id && $0.secret == request.secret }
                    ? .succeeded(WriteReply()) : .refused(WriteRefusal(.notFound, status: 404, message: "not found"))
            }
        )
    }

    @Test func `a product with another create's password is that create's`() async throws {
        let lamps = ["lamp", "second"].map { Listing.with(key: $0, name: "Desk lamp", price: 100, pictures: [1]) }
        var creates = [Self.open(0, lamps[0]), Self.open(1, lamps[1])]
        creates[0].secret = .environment("FIRST")
        creates[1].secret = .environment("SECOND")
        var product = Self.product(101, vendor: 0, lamps[1])
        product.vendorID = nil
        let settler = Self.settler(Self.withPasswords((product, .environment("SECOND"))))
        let verdicts = try await settler.settle(creates) { .init(snapshot: StateSnapshot()) }
        #expect(verdicts[0] == .neverHappened)
        #expect(verdicts[1]?.product == 101)
    }

    /// The password may have been changed since the create, and then a product of ours is denied like another's.
    @Test(arguments: [nil, false, true])
    func `a refused password makes a product another's only where it opens one of ours`(opens: Bool?) async throws {
        var product = Self.product(102, vendor: 0, Self.lamp)
        product.vendorID = nil
        var known = product
        (known.id, known.name) = (101, "Fan")
        var snapshot = StateSnapshot()
        if opens != nil {
            snapshot.entries["fan"] = StateEntry(key: "fan", id: 101, applied: ProductValues(name: "Fan"))
        }
        let secret: SecretReference? = opens == true ? nil : .environment("FORMER")
        let settler = Self.settler(Self.withPasswords((product, .environment("FORMER")), (known, secret)))
        var create = Self.open(0, Self.lamp)
        create.highWater = 101
        let before = snapshot
        let verdict = try await settler.settle([create]) { .init(snapshot: before) }[0]
        guard opens != true else {
            #expect(verdict == .neverHappened)
            return
        }
        #expect(verdict == .undecided([102], "none of your products shows that the credentials are right: not found"))
        // What this process sent has this process's password.
        create.isOwn = true
        #expect(try await settler.settle([create]) { .init(snapshot: before) }[0] == .neverHappened)
    }

    @Test func `a product that a reply named and that is another key's by now settles the create`() async throws {
        var made = Self.product(102, vendor: 29, Self.lamp)
        made.key = "X-12"
        #expect(try await Self.settleLamp(beside: [made], finding: [101], answered: 102)?.product == 102)
        #expect(
            try await Self.settleLamp(beside: [made], finding: [101], answered: 102, holder: "other") == .neverHappened
        )
        // A proxy answered with the product of another create.
        made.key = "fan"
        #expect(try await Self.settleLamp(beside: [made], finding: [101], answered: 102) == .neverHappened)
    }

    @Test(arguments: [true, false])
    func `a create is not said to have failed by a list that a cache had, or a row of which may be its product`(
        idsRise: Bool
    ) async throws {
        var capabilities = MarketProfile.v2b.capabilities
        capabilities.idsRise = idsRise
        var markets = [(StandInMarket(), false), (StandInMarket(isFromCache: true), true)]
        for name in [nil, "Desk lamp", "Desk"] where idsRise {
            let problem = RowProblem(name: name, place: "page 1, row 1", message: "id is missing")
            markets.append((StandInMarket(problems: [problem]), true))
        }
        for (market, isOpen) in markets {
            let settler = Self.settler(market, capabilities)
            let nothing = CreateSettler.Knowledge(snapshot: StateSnapshot(), taken: [])
            let settled = try await settler.settle([Self.open(0, Self.lamp)]) { nothing }
            let previewed = try await settler.preview([Self.open(0, Self.lamp)], nothing)
            for verdict in [settled[0], previewed[0]] {
                let isUnresolved = if case .unresolved? = verdict { true } else { false }
                #expect(isUnresolved == isOpen, "\(String(describing: verdict))")
            }
        }
    }

    /// Settles the create of a lamp whose reply was lost, on a market with a fan that the state knows as product 101, beside
    /// products that are gone. The market lists and finds only some of the products whose details it shows.
    private static func settleLamp(
        beside others: [LiveProduct] = [],
        finding found: Set<MarketID>,
        gone: ClosedRange<Int64>? = nil,
        answered: MarketID? = nil,
        holder: String? = nil,
        refusedAtOnce: Bool = false
    ) async throws -> SettlementVerdict? {
        var round = Self.product(101, vendor: 29, fan)
        round.key = "fan"
        var capabilities = MarketProfile.v2b.capabilities
        capabilities.key = .init(isFindable: true, uniqueness: .unenforced)
        var configuration = ExecutorConfiguration()
        configuration.sendsKeys = true
        configuration.settleDelay = refusedAtOnce ? .seconds(3600) : .zero
        // A run that waits is stopped.
        let drain = StopSignal()
        let clock = NoWait { drain.trigger() }
        let listed = ([round] + others).filter { found.contains($0.id) }
        let market = StandInMarket(
            list: listed,
            details: [round] + others,
            onKey: { key in listed.filter { $0.key == key } }
        )
        let settler = Self.settler(market, capabilities, configuration, clock: clock, drain: drain)
        var create = Self.open(0, lamp)
        create.highWater = 101
        (create.isDuplicate, create.isRefusedAtOnce) = (refusedAtOnce, refusedAtOnce)
        create.carried = "lamp"
        create.answered = answered
        var snapshot = StateSnapshot(
            entries: ["fan": StateEntry(key: "fan", id: 101, applied: fan.values)],
            vendorID: 29
        )
        for id in gone.map(Array.init) ?? [] {
            snapshot.entries["gone-\(id)"] = StateEntry(key: "gone-\(id)", id: MarketID(id), applied: fan.values)
        }
        if let holder, let answered {
            snapshot.entries[holder] = StateEntry(key: holder, id: answered, applied: lamp.values)
        }
        let known = snapshot
        return try await settler.settle([create]) { .init(snapshot: known) }[0]
    }

    @Test func `a key that is not found proves nothing where another product is not found by its key either`()
        async throws
    {
        // Products that are gone, and newer than it, say nothing of the search.
        for gone in [nil, 201...203] as [ClosedRange<Int64>?] {
            #expect(try await Self.settleLamp(finding: [101], gone: gone) == .neverHappened)
            #expect(
                try await Self.settleLamp(finding: [], gone: gone)
                    == .unresolved(
                        "product 101 is not found by the key 'fan' that it shows, so another one may exist; see "
                            + "'identity.key.find' of the market's description"
                    )
            )
        }
    }

    @Test func `nothing is waited for after a create that was refused at once`() async throws {
        #expect(
            try await Self.settleLamp(finding: [101], refusedAtOnce: true)
                == .unresolved("the market reports a product with the key 'lamp', and does not show which")
        )
    }

    @Test func `a new product as it was sent is the create's, if its key is the create's in another spelling`()
        async throws
    {
        var made = Self.product(102, vendor: 29, Self.lamp)
        for key in ["LAMP", "la", "p-lamp", nil] {
            made.key = key
            #expect(try await Self.settleLamp(beside: [made], finding: [101, 102])?.product == 102)
        }
        for other in ["fan", "X-12", "-"] {
            made.key = other
            #expect(try await Self.settleLamp(beside: [made], finding: [101, 102]) == .neverHappened)
        }
    }

    // MARK: - One create without a reply

    private static let unreadable = SettlementVerdict.unresolved(
        "the market cannot be read: this market's list is not provably complete, and a product that it leaves out would "
            + "pass for deleted"
    )
    private static var keyed: MarketCapabilities {
        var capabilities = MarketProfile.v2b.capabilities
        capabilities.key = .init(isFindable: true, uniqueness: .enforced)
        return capabilities
    }

    /// A market whose products are all ours, and on which a search for any key finds the same.
    private static func ours(_ listed: LiveProduct..., finding found: [LiveProduct]? = nil) -> StandInMarket {
        StandInMarket(
            list: listed,
            onKey: { _ in
                guard let found else { throw MarketError(.unreadable, "no answer") }
                return found
            },
            onWrite: { _ in .succeeded(WriteReply()) }
        )
    }

    /// What became of the lamp's create; product 101 was there before.
    private static func verdict(
        _ market: StandInMarket,
        _ capabilities: MarketCapabilities = MarketProfile.v2b.capabilities,
        known: [String: MarketID] = [:],
        drain: StopSignal = StopSignal(),
        _ change: (inout CreateSettlement.OpenCreate) -> Void = { _ in }
    ) async throws -> SettlementVerdict? {
        var configuration = ExecutorConfiguration()
        configuration.sendsKeys = capabilities.key != nil
        let settler = settler(market, capabilities, configuration, drain: drain)
        var create = open(0, lamp)
        create.highWater = 101
        create.carried = configuration.sendsKeys ? "lamp" : nil
        change(&create)
        var snapshot = StateSnapshot()
        for (key, id) in known { snapshot.entries[key] = StateEntry(key: key, id: id, applied: ProductValues()) }
        let knowledge = CreateSettler.Knowledge(snapshot: snapshot)
        return try await settler.settle([create]) { knowledge }[0]
    }

    @Test func `what cannot be read proves no absence`() async throws {
        var fan = Self.product(101, vendor: 29, Self.fan)
        let unfound = SettlementVerdict.unresolved("the market cannot be read: no answer")
        #expect(try await Self.verdict(Self.ours(fan), Self.keyed) == unfound)
        // A list that shows keys would show this one.
        fan.key = "fan"
        #expect(try await Self.verdict(Self.ours(fan), Self.keyed) == .neverHappened)
        var partial = Self.ours(finding: [])
        partial.completeness = .unprovable
        #expect(try await Self.verdict(partial, Self.keyed) == Self.unreadable)
        #expect(try await Self.verdict(partial) == Self.unreadable)
        var hidden = Self.ours(Self.product(102, vendor: 29, Self.lamp))
        hidden.details = []
        #expect(
            try await Self.verdict(hidden) == .unresolved("product 102 is listed and may be it, but cannot be read")
        )
    }

    @Test func `a run that stops decides nothing about what it does not see`() async throws {
        let drain = StopSignal()
        drain.trigger()
        let stopped = SettlementVerdict.unresolved("the run stopped before it was settled")
        #expect(try await Self.verdict(Self.ours(), drain: drain) == stopped)
        #expect(try await Self.verdict(Self.ours(finding: []), Self.keyed, drain: drain) == stopped)
    }

    @Test(arguments: [nil, .enforced, .racy] as [MarketCapabilities.KeyUse.Uniqueness?])
    func `a product that shows at the end of the wait is found`(keys: MarketCapabilities.KeyUse.Uniqueness?) throws {
        let simulation = Simulation(seed: 1)
        var capabilities = MarketProfile.v2b.capabilities
        capabilities.key = keys.map { .init(isFindable: true, uniqueness: $0) }
        var configuration = ExecutorConfiguration()
        configuration.sendsKeys = keys != nil
        // A search may show a product so much later than the market has it.
        let wait = configuration.quietPeriod(on: capabilities) * (keys == .racy ? 2 : 1)
        let made = Self.product(101, vendor: 29, Self.lamp)
        var market = Self.ours(made)
        market.onWalk = { if simulation.now < wait { $0 = [] } }
        market.onDetail = { _ in simulation.now < wait ? nil : made }
        market.onKey = { _ in simulation.now < wait ? [] : [made] }
        var create = Self.open(0, Self.lamp)
        create.carried = keys.map { _ in "lamp" }
        create.since = simulation.wall
        let verdict = try simulation.scheduler.run { [market, capabilities, configuration, create] in
            let settler = CreateSettler(
                market: market,
                capabilities: capabilities,
                configuration: configuration,
                time: RunTime(simulation.environment),
                drain: StopSignal()
            )
            return try await settler.settle([create]) { .init(snapshot: StateSnapshot()) }[0]
        }
        #expect(verdict?.product == 101)
    }

    @Test func `what a search for a key finds is the create's only if it shows the key, is new and is alone`()
        async throws
    {
        func verdict(
            _ found: (id: MarketID, key: String)...,
            known: [String: MarketID] = [:],
            replacing old: MarketID? = nil
        ) async throws -> SettlementVerdict? {
            let products = found.map { found in
                var product = Self.product(1, vendor: 29, Self.fan)
                (product.id, product.key) = (found.id, found.key)
                return product
            }
            return try await Self.verdict(Self.ours(finding: products), Self.keyed, known: known) { create in
                create.replaced = old
            }
        }
        #expect(try await verdict((102, "lamp"))?.product == 102)
        #expect(try await verdict((102, "X-12")) == .neverHappened)
        #expect(try await verdict((101, "lamp"), replacing: 101) == .neverHappened)
        #expect(
            try await verdict((102, "lamp"), (103, "lamp"))
                == .unresolved("products 102, 103 carry the key 'lamp'; delete the unwanted ones there")
        )
        #expect(
            try await verdict((102, "lamp"), known: ["other": 102])
                == .unresolved("product 102 carries the key 'lamp', and is 'other' already")
        )
    }

    @Test func `a product that a reply named settles the create if it is new, and leaves it open if it does not show`()
        async throws
    {
        let other = Self.ours(Self.product(102, vendor: 29, Self.fan))
        #expect(try await Self.verdict(other) { $0.answered = 102 }?.product == 102)
        #expect(try await Self.verdict(other) { ($0.answered, $0.highWater) = (102, 102) } == .neverHappened)
        #expect(
            try await Self.verdict(Self.ours()) { ($0.answered, $0.isOwn) = (102, true) }
                == .unresolved("the market answered with product 102, and does not show it")
        )
        #expect(try await Self.verdict(Self.ours()) { $0.answered = 102 } == .neverHappened)
    }

    @Test func `of two products of ours that were changed since, a person says which is the create's`() async throws {
        let changed = [102, 103].map { (id: Int64) in
            var product = Self.product(id, vendor: 29, Self.lamp)
            product.price = 99
            return product
        }
        #expect(try await Self.verdict(Self.ours(changed[0]))?.product == 102)
        #expect(
            try await Self.verdict(Self.ours(changed[0], changed[1]))
                == .undecided([102, 103], "their values do not decide which")
        )
    }

    @Test func `where nothing proves whose a product is, it is ours only if the market shows no vendors`()
        async throws
    {
        var capabilities = MarketProfile.v2b.capabilities
        capabilities.ownershipProof = nil
        var product = Self.product(102, vendor: 29, Self.lamp)
        for (listShowsVendor, vendor) in [(false, nil), (true, nil), (false, 29)] as [(Bool, Int64?)] {
            capabilities.listShowsVendor = listShowsVendor
            product.vendorID = vendor
            let verdict = try await Self.verdict(Self.ours(product), capabilities)
            let isOurs = !listShowsVendor && vendor == nil
            #expect(
                verdict == (isOurs ? .happened(product, picturesAreCertain: true) : .undecided([102])),
                "\(listShowsVendor), \(String(describing: vendor))"
            )
        }
    }

    @Test func `a product is another vendor's only where a refusal is about the product`() async throws {
        func verdict(
            _ kind: WriteRefusal.Kind,
            _ status: Int,
            known: [String: MarketID] = [:]
        ) async throws -> SettlementVerdict? {
            let refusal = WriteRefusal(kind, status: status, message: "no")
            var market = Self.ours(Self.product(102, vendor: 29, Self.lamp))
            market.onWrite = { _ in .refused(refusal) }
            return try await Self.verdict(market, known: known)
        }
        #expect(try await verdict(.other, 404) == .neverHappened)
        #expect(try await verdict(.denied, 403) == .neverHappened)
        for (kind, status) in [(.credentials, 401), (.other, 302)] as [(WriteRefusal.Kind, Int)] {
            #expect(try await verdict(kind, status) == .undecided([102], "no"))
        }
        // What is known to be ours is denied, too.
        #expect(
            try await verdict(.denied, 403, known: ["fan": 90])
                == .undecided([102], "none of your products shows that the credentials are right: no")
        )
    }

    @Test func `a product that is hidden when it is asked whose it is may be ours`() async throws {
        var product = Self.product(102, vendor: 0, Self.lamp)
        product.vendorID = nil
        // The first request about it hides it (v1).
        let asked = Atomic(0)
        let (made, profile) = (product, MarketProfile.v1b)
        let market = StandInMarket(
            profile: profile,
            list: [made],
            onDetail: { _ in asked.load(ordering: .relaxed) == 1 ? nil : made },
            onWrite: { _ in
                asked.add(1, ordering: .relaxed).newValue == 1
                    ? .refused(WriteRefusal(.notFound, status: 404, message: "not found")) : .succeeded(WriteReply())
            }
        )
        let verdict = try await Self.verdict(market, profile.capabilities) { $0.isOwn = true }
        #expect(verdict?.product == 102)
    }
}

/// A clock whose waits are over at once.
struct NoWait: Clock {
    /// What a wait does instead.
    var wait: @Sendable () -> Void = {}
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { wait() }
}

extension CreateSettlement.OpenCreate {
    /// The create of a listing.
    init(_ index: Int, _ listing: Listing, highWater: MarketID? = nil) {
        self.init(
            index: index,
            key: listing.key,
            product: NewProduct(values: listing.values, pictures: listing.pictures),
            secret: nil,
            highWater: highWater,
            since: .epoch
        )
    }
}
