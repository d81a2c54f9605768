@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Synchronization
import Testing

/// What the driver adds to the machines: phases, stopping, pauses, results.
struct ExecutorTests {
    private static func listings(_ count: Int) -> [Listing] {
        (0..<count).map { .with(key: "p\($0)", name: "Product \($0)", price: 100, pictures: [1]) }
    }

    private static func run(
        _ shop: ApplySimulation,
        _ operations: [PlannedOperation],
        parallelism: Int = 4,
        drain: StopSignal = StopSignal()
    ) throws -> RunResult {
        try shop.simulation.scheduler.run {
            try await shop.run(operations, configuration: shop.configuration(parallelism: parallelism), drain: drain)
        }
    }

    @Test func `one failure stops nothing else and is reported with its line`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        shop.market.script([.refused(WriteRefusal(.other, status: 400, message: "name is too short"))])
        let result = try Self.run(shop, Self.listings(3).map(\.create), parallelism: 1)
        var totals = RunTotals()
        totals.done = 2
        totals.failed = 1
        #expect(result.totals == totals)
        #expect(shop.state[shop.scope].runs.map(\.totals) == [totals])
        #expect(result.endedBy == nil)
        #expect(
            result.operations[0]
                == OperationResult(
                    sequence: 0,
                    key: "p0",
                    action: .create,
                    status: .failed,
                    error: "name is too short",
                    source: Self.listings(1)[0].location()
                )
        )
        #expect(shop.facts(result.run, 0) == [.sent(.create, highWater: nil), .failed("name is too short")])
        #expect(shop.market.ours.count == 2)
    }

    @Test(arguments: [MarketProfile.v1b, .v2b])
    func `a price that does not fit the market's sale stops that product alone`(profile: MarketProfile) throws {
        let shop = ApplySimulation(seed: 1, profile: profile)
        let listings = Self.listings(2)
        let made = try #require(try Self.run(shop, [listings[0].create]).operations[0].id)
        let sent = shop.market.requests.count
        let price = FieldChange(
            field: .price,
            kind: .drift,
            base: .number(100),
            live: .number(9000),
            manifest: .number(100)
        )
        var live = listings[0].values
        (live.price, live.sale) = (9000, .price(8000))
        var desired = listings[0].values
        desired.sale = nil
        let update = PlannedOperation(
            key: "p0",
            reason: "",
            work: .update(PlannedOperation.Update(id: made, changes: [price], desired: desired, live: live))
        )
        let result = try Self.run(shop, [listings[1].create, update], parallelism: 1)
        #expect(result.operations.map(\.status) == [.done, .skipped])
        #expect(
            result.operations[1].error
                == "not started: its sale price is 8000, which does not fit a price of 100"
        )
        #expect(shop.market.requests.count == sent + 1)
    }

    @Test(arguments: [0, 1, 700])
    func `the result file is the same in pieces`(count: Int) throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let result = try Self.run(shop, Self.listings(count).map(\.create))
        var pieces: [[UInt8]] = []
        try JSONValue.write(result) { pieces.append($0) }
        #expect(Array(pieces.joined()) == JSONValue(result).bytes(pretty: true) + Array("\n".utf8))
        #expect((pieces.count > 1) == (count > 100))
    }

    @Test func `refused credentials stop the run and the rest is written down as skipped`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        shop.market.script([.refused(WriteRefusal(.credentials, status: 400, message: "wrong secret"))])
        let result = try Self.run(shop, Self.listings(5).map(\.create), parallelism: 1)
        #expect(result.endedBy == .credentials("wrong secret"))
        #expect(result.operations.map(\.status) == [.failed, .skipped, .skipped, .skipped, .skipped])
        #expect(shop.facts(result.run, 4) == [.skipped("not started: the credentials were rejected")])
        #expect(shop.market.requests.count == 1)
    }

    private static func denied(_ status: Int, _ words: String = "The Secret Garden") -> WriteOutcome {
        .refused(WriteRefusal(status == 401 ? .credentials : .denied, status: status, message: words))
    }

    private static let missing = WriteOutcome.refused(WriteRefusal(.notFound, status: 404, message: "none"))
    private static let tooLarge = WriteOutcome.refused(WriteRefusal(.other, status: 413, message: "too large"))

    @Test(
        arguments: [
            // One refusal fails one product and no other.
            (.v1b, [denied(400)], nil), (.v1b, [denied(403)], nil), (.v2b, [denied(400)], nil),
            (.v2b, [denied(403)], nil),
            // On v1 the run ends when it is through.
            (.v1b, Array(repeating: denied(401, "no"), count: 5), .credentials("no")),
            (.v1b, Array(repeating: denied(403, "no"), count: 5), .credentials("no")),
            (.v2b, Array(repeating: denied(400, "no"), count: 5), .credentials("no")),
            (.v2b, Array(repeating: denied(403, "no"), count: 5), .credentials("no")),
            // Only where products have passwords.
            (.v1b, Array(repeating: missing, count: 5), .credentials("none")),
            (.v2b, Array(repeating: missing, count: 5), nil),
            // One of another kind among them.
            (.v2b, [denied(400), tooLarge] + Array(repeating: denied(400), count: 3), nil),
        ] as [(MarketProfile, [WriteOutcome], StopReason?)]
    )
    func `a run ends with the credentials where they may explain the refusals of all writes`(
        profile: MarketProfile,
        answers: [WriteOutcome],
        end: StopReason?
    ) throws {
        let shop = ApplySimulation(seed: 1, profile: profile)
        shop.market.script(answers)
        let result = try Self.run(shop, Self.listings(5).map(\.create), parallelism: 1)
        #expect(result.endedBy == end)
        let done = Array(repeating: OperationResult.Status.done, count: 5 - answers.count)
        #expect(result.operations.map(\.status) == answers.map { _ in .failed } + done)
    }

    @Test func `where products of ours are known, they show whether the credentials are rejected`() throws {
        // Two that exist, three to be made; the first create is refused.
        for good in [true, false] {
            let shop = ApplySimulation(seed: 1, profile: .v2b)
            let known = try Self.run(shop, Self.listings(2).map(\.create), parallelism: 1)
            #expect(known.totals.done == 2)
            let key = WriteOutcome.succeeded(WriteReply(deleteKey: "key"))
            shop.market.script([Self.denied(400)] + (good ? [key] : [Self.denied(400), Self.denied(400)]))
            let more = Self.listings(5).suffix(3).map(\.create)
            let result = try Self.run(shop, Array(more), parallelism: 1)
            #expect(result.endedBy == (good ? nil : .credentials("The Secret Garden")))
            #expect(
                result.operations.map(\.status) == (good ? [.failed, .done, .done] : [.failed, .skipped, .skipped])
            )
        }
    }

    @Test func `a market that refuses one write after the other is not asked a thousand times`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        shop.market.script((0..<100).map { _ in Self.denied(400) })
        let result = try Self.run(shop, Self.listings(100).map(\.create), parallelism: 1)
        #expect(result.endedBy == .credentials("The Secret Garden"))
        #expect(result.totals.failed == 16)
        #expect(result.totals.skipped == 84)
    }

    @Test func `a market that is down ends the run instead of failing every product`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        shop.market.set(Faults(notSent: 1))
        let result = try Self.run(shop, Self.listings(100).map(\.create))
        #expect(result.endedBy == .marketUnreachable("no connection"))
        #expect(result.totals.skipped > 90)
        #expect(result.totals.unknown == 0)
        #expect(shop.market.ours.isEmpty)
    }

    @Test func `the first signal lets what is under way finish`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let drain = StopSignal()
        shop.simulation.restart(drainAt: 25) { drain.trigger() }
        let result = try Self.run(shop, Self.listings(50).map(\.create), drain: drain)
        #expect(result.interrupted)
        #expect(result.totals.done > 0)
        #expect(result.totals.done + result.totals.skipped == 50)
        #expect(shop.market.ours.count == result.totals.done)
        #expect(result.operations.map(\.sequence) == Array(0..<50))
    }

    @Test func `a signal cuts a long pause of the market short`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let drain = StopSignal()
        shop.market.script([.notSent(WriteTrouble("429", isOverload: true, retryAfter: .seconds(100)))])
        let simulation = shop.simulation
        let result = try shop.simulation.scheduler.run {
            async let run = shop.run(Self.listings(10).map(\.create), drain: drain)
            try await simulation.clock.sleep(for: .seconds(5))
            drain.trigger()
            return try await run
        }
        #expect(result.interrupted)
        #expect(simulation.now < .seconds(6))
        #expect(result.totals.unknown == 0)
    }

    @Test func `phases follow each other, each drained before the next`() throws {
        let shop = ApplySimulation(seed: 3, profile: .v2b)
        let before = Self.listings(4)
        var after = before
        after[0].values.price = 200
        after[1] = .with(key: "p1", name: "Product 1", price: 100, pictures: [2])
        after.remove(at: 2)
        after.append(.with(key: "new", name: "New one", price: 100, pictures: [1]))
        let wanted = after
        try shop.simulation.scheduler.run {
            _ = try await shop.apply(before, run: 0, configuration: shop.configuration())
            _ = try await shop.apply(wanted, run: 1, configuration: shop.configuration())
        }
        let steps = shop.market.requests.dropFirst(4).map(\.step)
        #expect(steps == [.create, .update, .create, .deleteKey, .delete, .deleteKey, .delete])
        #expect(try shop.simulation.scheduler.run { try await shop.difference(from: wanted) } == nil)
    }

    @Test func `applying a saved plan twice makes nothing twice`() throws {
        let shop = ApplySimulation(seed: 4, profile: .v1b)
        let plan = Self.listings(3).map(\.create)
        _ = try Self.run(shop, plan)
        let again = try Self.run(shop, plan)
        #expect(again.operations.map(\.status) == [.stale, .stale, .stale])
        #expect(shop.market.ours.count == 3)
    }

    @Test(arguments: [MarketProfile.v1b, .v2b])
    func `a reply that shows another key's product binds no two keys to it`(profile: MarketProfile) throws {
        let shop = ApplySimulation(seed: 7, profile: profile)
        let listings = Self.listings(2)
        _ = try Self.run(shop, [listings[0].create])
        let first = try #require(shop.market.ours.first)
        // Something before the market answers with what it knows, and the create never arrives.
        shop.market.script([.succeeded(WriteReply(product: first))])
        let result = try Self.run(shop, [listings[1].create])
        #expect(result.operations.map(\.status) == [.done])
        #expect(Set(shop.snapshot.entries.values.map(\.id)) == Set(shop.market.ours.map(\.id)))
        #expect(shop.market.ours.map(\.name) == ["Product 0", "Product 1"])
        #expect(try shop.simulation.scheduler.run { try await shop.difference(from: listings) } == nil)
    }

    /// Where ids are texts, none is newer than another.
    @Test(arguments: [false, true])
    func `a reply that names the product of another key, of this run or from before, gives it to no second one`(
        isKnown: Bool
    ) throws {
        var drawn = DrawnDescription()
        drawn.ids = .texts
        let shop = ApplySimulation(seed: 7, profile: try drawn.profile())
        let twins = ["p0", "p1"].map { Listing.with(key: $0, name: "Twin", price: 100, pictures: [1]) }
        let id = shop.market.add(twins[0].values, isOurs: true)
        if isKnown {
            let entry = StateEntry(key: "p0", id: id, vendorID: 29, applied: twins[0].values)
            shop.state[shop.scope].snapshot.apply(.put(entry))
        }
        let reply = WriteOutcome.succeeded(WriteReply(product: shop.market.ours.first))
        let creates = twins.dropFirst(isKnown ? 1 : 0).map(\.create)
        shop.market.script(creates.map { _ in reply })
        _ = try Self.run(shop, creates, parallelism: 1)
        #expect(shop.snapshot.entries.values.filter { $0.id == id }.map(\.key) == ["p0"])
    }

    @Test func `a product that another key has is not taken over`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        _ = try Self.run(shop, [Self.listings(1)[0].create])
        var entry = try #require(shop.snapshot.entries["p0"])
        entry.key = "other"
        let adopt = PlannedOperation(key: "other", reason: "", work: .adopt(entry, name: nil))
        #expect(try Self.run(shop, [adopt]).operations.map(\.status) == [.stale])
        #expect(Array(shop.snapshot.entries.keys) == ["p0"])
    }

    @Test func `numbers that a market gives out again take nothing from the keys that had them`() throws {
        let shop = ApplySimulation(seed: 8, profile: .v2b)
        let listings = Self.listings(6)
        // What the state knows of a market whose database was lost: the numbers that it gives out again, in other hands.
        for (index, listing) in listings.enumerated() {
            let id = MarketID(100 + Int64((index + 3) % 6))
            let entry = StateEntry(key: listing.key, id: id, vendorID: 29, applied: listing.values)
            shop.state[shop.scope].snapshot.entries[listing.key] = entry
        }
        let result = try Self.run(shop, listings.map(\.create))
        #expect(result.totals.done + result.totals.stale == 6)
        try shop.simulation.scheduler.run {
            _ = try await shop.apply(listings, run: 2, configuration: shop.configuration())
        }
        #expect(try shop.simulation.scheduler.run { try await shop.difference(from: listings) } == nil)
    }

    @Test func `an id whose product is gone is the new one's, although the reply that says it is lost`() throws {
        let shop = ApplySimulation(seed: 8, profile: .v2b)
        let listings = Self.listings(2)
        for (index, listing) in listings.enumerated() {
            let id = MarketID(100 + Int64(index))
            let entry = StateEntry(key: listing.key, id: id, vendorID: 29, applied: listing.values)
            shop.state[shop.scope].snapshot.entries[listing.key] = entry
        }
        let refusal = WriteOutcome.refused(WriteRefusal(.other, status: 400, message: "not now"))
        shop.market.script([refusal, .uncertain(WriteTrouble("connection reset"))])
        let result = try shop.simulation.scheduler.run {
            try await shop.run(listings.map(\.create), configuration: shop.configuration(parallelism: 1)) { session in
                // The second create gets the id that the first one's product had.
                TamperedSession(inner: session) { event, orders in
                    if event.sequence == 1, event.fact.status == .sent, shop.market.ours.isEmpty {
                        shop.market.add(listings[1].values, isOurs: true)
                    }
                    return orders
                }
            }
        }
        #expect(result.operations.map(\.status) == [.failed, .done])
        #expect(shop.market.ours.map(\.id) == [100])
        #expect(shop.snapshot.entries.mapValues(\.id) == ["p1": 100])
    }

    /// Changes of the prices of two products.
    private static func dearer(_ shop: ApplySimulation) throws -> [PlannedOperation] {
        let listings = Self.listings(2)
        let made = try Self.run(shop, listings.map(\.create))
        return zip(listings, made.operations.compactMap(\.id)).map { listing, id in
            var desired = listing.values
            desired.price = 200
            let price = FieldChange(
                field: .price,
                kind: .change,
                base: .number(100),
                live: .number(100),
                manifest: .number(200)
            )
            let update = PlannedOperation.Update(id: id, changes: [price], desired: desired, live: listing.values)
            return PlannedOperation(key: listing.key, reason: "", work: .update(update))
        }
    }

    @Test func `a product that carries the key of another one by now is not changed`() throws {
        var drawn = DrawnDescription()
        drawn.uniqueness = .enforced
        let shop = ApplySimulation(seed: 1, profile: try drawn.profile(), sendsKeys: true)
        let update = try Self.dearer(shop)[1]
        let id = try #require(update.id)
        shop.market.edit(id) { $0.key = "p0" }
        let result = try shop.simulation.scheduler.run {
            try await shop.run([update], configuration: shop.configuration(staleCheck: true))
        }
        #expect(result.operations.map(\.error) == ["product \(id) is 'p0' by now"])
        #expect(shop.market.ours.map(\.price) == [100, 100])
    }

    @Test func `an update that loses what it does not name is the last one of the run`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let updates = try Self.dearer(shop)
        let first = shop.market.ours[0].id
        // The fourth step comes after the product was read, and before the request.
        shop.simulation.restart(drainAt: 4) { shop.market.edit(first) { $0.description = "" } }
        let result = try shop.simulation.scheduler.run {
            try await shop.run(updates, configuration: shop.configuration(parallelism: 1, staleCheck: true))
        }
        let loss = "the market removed values that the update does not name: description"
        #expect(result.endedBy == .loss(loss))
        #expect(result.operations.map(\.status) == [.failed, .skipped])
        #expect(shop.market.requests.map(\.step) == [.create, .create, .update])
    }

    @Test func `an update whose product is being read when another one loses something is not sent`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let update = try Self.dearer(shop)[0]
        let drain = StopSignal()
        // The third step is the reading: after one commit, with a moment before and after it.
        shop.simulation.restart(drainAt: 3) { drain.stop(.loss("lost")) }
        let result = try shop.simulation.scheduler.run {
            try await shop.run([update], configuration: shop.configuration(staleCheck: true), drain: drain)
        }
        #expect(result.operations.map(\.error) == ["the run stopped before the request left"])
        #expect(shop.market.requests.map(\.step) == [.create, .create])
    }

    @Test func `an operation that fails before anything of it is sent renames nothing`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        var update = try Self.dearer(shop)[0]
        (update.key, update.renamedFrom) = ("new", "p0")
        shop.market.set(Faults(unreadable: 1))
        let result = try shop.simulation.scheduler.run { [update] in
            try await shop.run([update], configuration: shop.configuration(staleCheck: true))
        }
        #expect(result.operations.map(\.status) == [.failed])
        #expect(shop.snapshot.entries.keys.sorted() == ["p0", "p1"])
    }

    /// A product whose full text only the market has, and the wish to change its pictures.
    private static func shopThatCuts() throws -> (shop: ApplySimulation, old: MarketID, wanted: Listing) {
        let shop = ApplySimulation(seed: 9, profile: .v2b)
        var listing = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        let before = listing
        _ = try shop.simulation.scheduler.run {
            try await shop.apply([before], run: 0, configuration: shop.configuration())
        }
        let old = try #require(shop.market.ours.first?.id)
        listing = .with(key: "lamp", name: "Desk lamp", price: 100, pictures: [2])
        listing.values.description = nil
        shop.market.cutDescriptions(at: 10)
        return (shop, old, listing)
    }

    @Test func `a replace that is taken back leaves one product, and is done once the new one is right`() throws {
        let (shop, old, wanted) = try Self.shopThatCuts()
        for run in 1...3 {
            if run == 3 { shop.market.cutDescriptions(at: .max) }
            let result = try shop.simulation.scheduler.run {
                try await shop.apply([wanted], run: run, configuration: shop.configuration()).result
            }
            #expect(result.operations.map(\.status) == [run == 3 ? .done : .failed])
            let ours = shop.market.ours
            #expect(ours.map(\.description) == ["Warm light, two arms."] && (ours.first?.id == old) == (run < 3))
            #expect(shop.snapshot.entries["lamp"]?.id == ours.first?.id)
        }
    }

    @Test func `a crash at every moment of a replace that is taken back leaves the old product, and no third`() throws {
        for moment in 1...40 {
            let (shop, old, wanted) = try Self.shopThatCuts()
            shop.simulation.restart(crashAt: moment)
            _ = try? shop.simulation.scheduler.run {
                try await shop.apply([wanted], run: 1, configuration: shop.configuration(parallelism: 1))
            }
            shop.simulation.restart()
            for run in 2...4 {
                _ = try shop.simulation.scheduler.run {
                    try await shop.apply([wanted], run: run, configuration: shop.configuration())
                }
                #expect(shop.market.ours.count <= 2, "crash at \(moment), run \(run)")
            }
            #expect(shop.market.ours.first?.id == old, "crash at \(moment)")
            #expect(shop.market.ours.first?.description == "Warm light, two arms.", "crash at \(moment)")
            #expect(shop.snapshot.entries["lamp"]?.id == old, "crash at \(moment)")
        }
    }

    @Test func `a backend that says stop gets its way before the request leaves`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let result = try shop.simulation.scheduler.run {
            let creates = Self.listings(3).map(\.create)
            return try await shop.run(creates, configuration: shop.configuration(parallelism: 1), highWater: 41) {
                TamperedSession(inner: $0) { _, _ in .stop("maintenance") }
            }
        }
        #expect(shop.market.requests.isEmpty)
        #expect(result.endedBy == .ordered("maintenance"))
        #expect(result.operations.map(\.status) == [.skipped, .skipped, .skipped])
        #expect(
            shop.facts(result.run, 0) == [
                .sent(.create, highWater: 41), .skipped("the request was not sent: maintenance"),
            ]
        )
        #expect(shop.facts(result.run, 1) == [.skipped("not started: maintenance")])
        #expect(try shop.simulation.scheduler.run { try await shop.preview() }.settled.isEmpty)
    }

    @Test func `a backend that says stop in the middle gets what was done, and no further request`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        // The fifth step is the first request: after two commits, each with a moment before and after it.
        shop.simulation.restart(drainAt: 5) { shop.state.order(stop: "maintenance") }
        let result = try Self.run(shop, Self.listings(3).map(\.create), parallelism: 1)
        #expect(shop.market.requests.count == 1)
        #expect(result.operations.map(\.status) == [.done, .skipped, .skipped])
        #expect(result.endedBy == .ordered("maintenance"))
        #expect(shop.snapshot.entries.keys.sorted() == ["p0"])
    }

    @Test func `events report every step of a run`() throws {
        let shop = ApplySimulation(seed: 5, profile: .v2b)
        let trouble = WriteTrouble("429", isOverload: true, retryAfter: .seconds(2))
        shop.market.script([.notSent(trouble), .uncertain(WriteTrouble("connection reset"))])
        let events = Mutex<[ExecutionEvent]>([])
        let simulation = shop.simulation
        let operation = Self.listings(1)[0].create
        let result = try shop.simulation.scheduler.run {
            try await shop.state.holding(shop.scope, for: "test") { session in
                let executor = Executor(
                    market: shop.market,
                    state: session,
                    capabilities: shop.capabilities,
                    environment: ExecutionEnvironment(
                        clock: simulation.clock,
                        wallTime: { simulation.wall },
                        random: { 0 }
                    ),
                    onEvent: { event in events.withLock { $0.append(event) } }
                )
                return try await executor.run(
                    RunRecord(id: RunID(rawValue: "run"), manifest: nil, tool: "test"),
                    operations: [operation],
                    snapshot: StateSnapshot(),
                    highWater: nil
                )
            }
        }
        #expect(
            events.withLock { $0 } == [
                .started(sequence: 0, operation),
                .slowed(width: 4, pause: .seconds(2)),
                .retrying(sequence: 0, key: "p0", step: .create, attempt: 1, after: .seconds(2), reason: "429"),
                .settling(count: 1),
                .settled(sequence: 0, key: "p0", .neverHappened),
                .finished(result.operations[0]),
            ]
        )
        #expect(result.totals.done == 1)
    }

    @Test func `the plan's preview of recovery writes nothing`() throws {
        let shop = ApplySimulation(seed: 6, profile: .v1b)
        shop.simulation.restart(crashAt: 8)
        #expect(throws: Crash.self) {
            try shop.simulation.scheduler.run {
                _ = try await shop.apply(Self.listings(2), run: 0, configuration: shop.configuration(parallelism: 1))
            }
        }
        shop.simulation.restart()
        let requests = shop.market.requests
        let facts = shop.facts(RunID(rawValue: "run-0"), 0)
        let resolution = try shop.simulation.scheduler.run {
            try await shop.simulation.clock.sleep(for: .seconds(10))
            return try await shop.preview()
        }
        #expect(resolution.notes == ["1 operation of run run-0 is unresolved"])
        #expect(shop.market.requests == requests)
        #expect(shop.facts(RunID(rawValue: "run-0"), 0) == facts)
        #expect(shop.snapshot.entries.isEmpty)
    }
}
