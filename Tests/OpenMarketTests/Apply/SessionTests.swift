@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Synchronization
import Testing

/// The use cases without a process, a socket or a file.
struct SessionTests {
    private static let listings: [Listing] = [
        .with(key: "desk-lamp", name: "Desk lamp", price: 100, pictures: [1]),
        .with(key: "mug", name: "Mug", price: 200, pictures: [2, 3]),
    ]

    private func update(
        _ market: any Market,
        _ scope: MarketScope,
        to manifest: Manifest,
        _ state: MemoryState
    ) async throws -> RunResult? {
        try await state.holding(scope, for: "update") { held in
            try await Session(market: market, reading: held, holding: held, tool: "my-shop 1.0").apply(manifest).result
        }
    }

    private func planned(_ manifest: Manifest, _ shop: ApplySimulation, _ state: MemoryState) async throws -> Plan {
        try await state.reading(shop.scope) { reader in
            try await Session(market: shop.market, reading: reader, tool: "test").plan(manifest).plan
        }
    }

    @Test(arguments: [MarketProfile.v2a, .v2b])
    func `plan, apply and plan again, on a state in memory`(profile: MarketProfile) throws {
        let shop = ApplySimulation(seed: 1, profile: profile)
        let state = MemoryState()
        let first = Manifest(Self.listings, profile)
        var changed = Self.listings
        changed[0].values.price = 150
        let second = Manifest(changed, profile)
        @Sendable func plan(_ manifest: Manifest) async throws -> [PlannedOperation.Action] {
            try await planned(manifest, shop, state).operations.map(\.action)
        }
        try shop.simulation.scheduler.run { () async throws in
            #expect(try await plan(first) == [.create, .create])
            #expect(shop.market.requests.isEmpty)
            #expect(try await update(shop.market, shop.scope, to: first, state)?.totals.done == 2)
            #expect(try await plan(first) == [])
            #expect(try await update(shop.market, shop.scope, to: first, state) == nil)
            #expect(shop.market.requests.count == 2)

            #expect(try await plan(second) == [.update])
            #expect(try await update(shop.market, shop.scope, to: second, state)?.totals.done == 1)
            #expect(try await plan(second) == [])
        }
        #expect(Set(shop.market.ours.map(\.price)) == [150, 200])
    }

    /// A typing error would plan too little, or write what was to stay as it is.
    @Test func `a key that no product has is refused, and a pattern that fits none is named`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let notes = Mutex<[String]>([])
        try shop.simulation.scheduler.run { () async throws in
            try await shop.state.reading(shop.scope) { reader in
                let session = Session(market: shop.market, reading: reader, tool: "test") { event in
                    if case .note(let words) = event { notes.withLock { $0.append(words) } }
                }
                func plan(_ filter: KeyFilter) async throws {
                    _ = try await session.plan(Manifest(Self.listings, .v2b), options: PlannerOptions(filter: filter))
                }
                for filter in [KeyFilter(targets: ["mugg"]), KeyFilter(exclusions: ["mugg"])] {
                    await #expect(throws: CommandFailure.unmatchedKey("mugg")) { try await plan(filter) }
                }
                try await plan(KeyFilter(exclusions: ["x*"]))
            }
        }
        #expect(notes.withLock { $0 } == ["warning: no product has a key like 'x*'"])
    }

    @Test(arguments: [MarketProfile.v2a, .v2b])
    func `a run that was broken off between twins goes on, and a twin added later is asked about`(
        profile: MarketProfile
    ) throws {
        let shop = ApplySimulation(seed: 1, profile: profile)
        let state = MemoryState()
        let twins = ["left", "right"].map { Listing.with(key: $0, name: "Desk lamp", price: 100, pictures: [1]) }
        shop.market.script([.refused(WriteRefusal(.other, status: 400, message: "not now"))])
        try shop.simulation.scheduler.run { () async throws in
            let first = try await update(shop.market, shop.scope, to: Manifest(twins, profile), state)
            #expect(first?.totals.done == 1)
            #expect(first?.totals.failed == 1)
            let second = try await update(shop.market, shop.scope, to: Manifest(twins, profile), state)
            #expect(second?.totals.done == 1)
            let three = twins + [Listing.with(key: "third", name: "Desk lamp", price: 100, pictures: [1])]
            let plan = try await planned(Manifest(three, profile), shop, state)
            #expect(plan.doubtfulKeys == ["third"])
            #expect(plan.refusals.count == 1)
        }
        #expect(shop.market.ours.count == 2)
    }

    @Test(arguments: [MarketProfile.v2a, .v2b])
    func `a key whose product has another one by now is asked about, although a run once made it`(
        profile: MarketProfile
    ) throws {
        let shop = ApplySimulation(seed: 1, profile: profile)
        let state = MemoryState()
        let lamp = Manifest([Listing.with(key: "one", name: "Desk lamp", price: 100, pictures: [1])], profile)
        try shop.simulation.scheduler.run { () async throws in
            let first = try await update(shop.market, shop.scope, to: lamp, state)
            #expect(first?.totals.done == 1)
            try await state.holding(shop.scope, for: "test") { try await $0.move(from: "one", to: "two") }
            let plan = try await planned(lamp, shop, state)
            #expect(plan.doubtfulKeys == ["one"])
            #expect(plan.refusals.count == 1)
        }
        #expect(shop.market.ours.count == 1)
    }

    @Test(arguments: ["Desk lamp", "Desk l", "DESK LAMP!"])
    func `a product that a session made after its end is looked for until no market can hide it`(name: String) throws {
        let shop = ApplySimulation(seed: 1, profile: .v1b)
        let state = MemoryState()
        let lamp = Manifest([Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])], .v1b)
        try shop.simulation.scheduler.run { () async throws in
            let made = try await update(shop.market, shop.scope, to: lamp, state)
            let id = try #require(made?.operations.first?.id)
            try await state.holding(shop.scope, for: "test") { held in
                _ = try await held.forget("lamp")
                try await held.recordOrphan(id, of: 0, in: #require(made?.run))
                // The market keeps the name in its own way.
                shop.market.edit(id) { $0.name = name }
                shop.market.hide(id, for: .seconds(1))
                let session = shop.session(held, ExecutorConfiguration())
                #expect(try await session.settle().orphanDeletes.map(\.id) == [id])
                #expect(try await held.orphans().map(\.id) == [id])
            }
        }
    }

    /// A delete may be carried out after it was taken for one that was not.
    @Test(arguments: [MarketProfile.v2a, .v2b])
    func `products that an earlier run was to delete are not asked about when they are gone`(
        profile: MarketProfile
    ) throws {
        let shop = ApplySimulation(seed: 1, profile: profile)
        let state = MemoryState()
        let all = (1...12).map { Listing.with(key: "\($0)", name: "Lamp \($0)", price: 100, pictures: [1]) }
        let rest = Manifest(Array(all.dropFirst(4)), profile)
        var options = PlannerOptions()
        options.policies.maximumDelete = .count(4)
        try shop.simulation.scheduler.run { [options] () async throws in
            _ = try await update(shop.market, shop.scope, to: Manifest(all, profile), state)
            func removeRest() async throws -> RunResult? {
                try await state.holding(shop.scope, for: "test") { held in
                    let session = Session(market: shop.market, reading: held, holding: held, tool: "test")
                    return try await session.apply(rest, options: options) { planned in
                        #expect(planned.plan.refusals == [])
                    }.result
                }
            }
            shop.market.script(
                Array(repeating: .refused(WriteRefusal(.other, status: 404, message: "a proxy's page")), count: 4)
            )
            #expect(try await removeRest()?.totals.failed == 4)
            for product in shop.market.ours where !all.dropFirst(4).map(\.values.name).contains(product.name) {
                shop.market.remove(product.id)
            }
            #expect(try await removeRest()?.totals.done == 4)
            #expect(state[shop.scope].snapshot.entries.count == 8)
        }
    }

    /// Such as one that an unfinished replace had left beside it.
    @Test func `a product that is gone counts, although an earlier run did delete another one of its key`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let lamps = (1...12).map { Listing.with(key: "lamp-\($0)", name: "lamp-\($0)", price: 100, pictures: [1]) }
        let manifest = Manifest(lamps, .v2b)
        try shop.simulation.scheduler.run { () async throws in
            _ = try await update(shop.market, shop.scope, to: manifest, shop.state)
            let gone = shop.market.ours.prefix(4)
            for product in gone { shop.market.remove(product.id) }
            try await shop.state.holding(shop.scope, for: "test") { held in
                let (run, key) = (RunID(rawValue: "later"), try #require(gone.first?.name))
                let delete = PlannedOperation(key: key, reason: "", work: .delete(.init(id: 99, live: lamps[0].values)))
                try await held.begin(RunRecord(id: run, manifest: nil, tool: "test"), operations: [delete])
                _ = try await held.record(JournalEvent(run: run, sequence: 0, number: 1, fact: .succeeded(99)))
                let plan = try await Session(market: shop.market, reading: held, tool: "test").plan(manifest).plan
                #expect(plan.refusals.map(\.override) == [.gone(4)])
            }
        }
    }

    @Test func `no request leaves before its own fact and all outcomes before it are written`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b, keepsTrace: true)
        let operations = (0..<3).map { index in
            Listing.with(key: "key-\(index)", name: "Lamp \(index)", price: 100, pictures: [1]).create
        }
        let events = Mutex<[String]>([])
        let result = try shop.simulation.scheduler.run {
            let configuration = shop.configuration(parallelism: 1)
            return try await shop.run(
                operations,
                configuration: configuration,
                highWater: 41,
                onEvent: { event in
                    switch event {
                    case .started(let sequence, _): events.withLock { $0.append("started \(sequence)") }
                    case .finished(let result): events.withLock { $0.append("finished \(result.sequence)") }
                    default: break
                    }
                }
            )
        }
        #expect(result.totals.done == 3)
        let steps = shop.simulation.trace.compactMap { line in
            line.firstRange(of: "journal").map { line[$0.lowerBound...].prefix { $0 != "(" } }
                ?? line.firstRange(of: "market:").map { line[$0.lowerBound...].prefix(14) }
        }
        #expect(
            steps == (0..<3).flatMap { ["journal \($0): sent", "market: create", "journal \($0): succeeded"] }
        )
        #expect(events.withLock { $0 } == (0..<3).flatMap { ["started \($0)", "finished \($0)"] })
    }

    @Test func `a session that only looks refuses to settle and to apply`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        try shop.simulation.scheduler.run {
            try await shop.state.reading(shop.scope) { reader in
                let session = Session(market: shop.market, reading: reader, tool: "test")
                let planned = try await session.plan(Manifest(Self.listings, .v2b))
                for body: () async throws -> Void in [
                    { _ = try await session.settle() },
                    { _ = try await session.apply(planned, as: session.runRecord()) },
                ] {
                    let error = await #expect(throws: StateError.self) { try await body() }
                    #expect(error?.code == .readOnly)
                }
            }
        }
        #expect(shop.market.requests.isEmpty)
        #expect(shop.state[shop.scope].runs.isEmpty)
    }

    @Test func `the files that the architecture names are there`() throws {
        let files = try Recipes.text("docs/contributing/architecture.md").split(separator: "`")
            .filter { $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") }
        #expect(files.count == 9)
        for file in files { #expect(throws: Never.self) { try Recipes.text(String(file)) } }
    }
}

/// Several at work on one market: what one process knows is not enough.
struct SharedStateTests {
    private static let twin = Listing.with(key: "mine", name: "Twin", price: 100, pictures: [1])
    private static let theirs = Listing.with(key: "theirs", name: "Twin", price: 100, pictures: [1]).create

    /// A market with a product like the one to be made, and a create whose reply is lost and which did nothing.
    ///
    /// The closure does what others have written down since the run took its snapshot.
    private static func run(
        others: @escaping @Sendable (any StateSession, MarketID) async throws -> Void
    ) throws -> (shop: ApplySimulation, product: MarketID) {
        let shop = ApplySimulation(seed: 3, profile: .v2b)
        let product = shop.market.add(twin.values, isOurs: true)
        shop.market.script([.uncertain(WriteTrouble("connection reset"))])
        let result = try shop.simulation.scheduler.run {
            try await shop.state.holding(shop.scope, for: "test") { try await others($0, product) }
            return try await shop.state.holding(shop.scope, for: "test") { session in
                try await shop.executor(shop.configuration(), in: session).run(
                    RunRecord(id: RunID(rawValue: "mine"), manifest: nil, tool: "test"),
                    operations: [twin.create],
                    snapshot: StateSnapshot(vendorID: 29),
                    highWater: MarketID(product.whole - 1)
                )
            }
        }
        #expect(result.totals.done == 1)
        return (shop, product)
    }

    @Test func `a product that no other key has is taken for the one whose reply was lost`() throws {
        let (shop, product) = try Self.run { _, _ in }
        #expect(shop.snapshot.entries["mine"]?.id == product)
        #expect(shop.market.ours.count == 1)
    }

    @Test func `a product that another worker has recorded meanwhile is not`() throws {
        let (shop, product) = try Self.run { session, product in
            let entry = StateEntry(key: "theirs", id: product, vendorID: 29, applied: Self.twin.values)
            try await session.apply([.put(entry)])
        }
        #expect(shop.snapshot.entries["theirs"]?.id == product)
        #expect(shop.market.ours.count == 2)
        #expect(shop.snapshot.entries["mine"]?.id == shop.market.ours.map(\.id).newest())
    }

    @Test func `a product that another worker's older create may have made is left to it`() throws {
        let (shop, product) = try Self.run { session, product in
            try await session.leave([(Self.theirs, [.sent(.create, highWater: MarketID(product.whole - 2))])])
        }
        #expect(shop.market.ours.count == 2)
        #expect(shop.snapshot.entries["mine"]?.id == shop.market.ours.map(\.id).newest())
        #expect(shop.state[shop.scope].unresolved.map(\.operation.key) == ["theirs"])
        #expect(shop.snapshot.entries.values.allSatisfy { $0.id != product })
    }

    @Test func `a product that another worker's open operation has made is left to it`() throws {
        let (shop, product) = try Self.run { session, product in
            let facts = [JournalEvent.Fact.sent(.create, highWater: nil), .advanced(.create, created: product)]
            try await session.leave([(Self.theirs, facts)])
        }
        #expect(shop.market.ours.count == 2)
        #expect(shop.snapshot.entries.values.allSatisfy { $0.id != product })
    }
}
