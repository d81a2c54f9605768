@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Synchronization
import Testing

/// Several executors in one run.
struct SharedRunTests {
    private static let lamps = (0..<40).map { index in
        Listing.with(key: "key-\(index)", name: "Lamp \(index)", price: 100, pictures: [1])
    }

    private static func shop(
        _ seed: UInt64,
        _ profile: MarketProfile = .v2b,
        lifetime: Duration? = nil
    ) -> ApplySimulation {
        ApplySimulation(seed: seed, profile: profile, lifetime: lifetime, sharesRuns: true)
    }

    private static func configuration(_ shop: ApplySimulation) -> ExecutorConfiguration {
        var configuration = shop.configuration(parallelism: 2)
        configuration.chunkSize = 4
        return configuration
    }

    @Test(arguments: MarketProfile.builtIns)
    func `workers carry out parts of a run, and its result says what all of them did`(profile: MarketProfile) throws {
        let shop = Self.shop(1, profile)
        shop.market.answer(after: .seconds(1))
        let (applied, worked) = try shop.simulation.scheduler.run {
            async let first = shop.apply(Self.lamps, run: 1, configuration: Self.configuration(shop))
            @Sendable func worked() async throws -> RunResult {
                while true {
                    try await shop.simulation.clock.sleep(for: .milliseconds(100))
                    if let result = try await shop.work(configuration: Self.configuration(shop)) { return result }
                }
            }
            async let second = worked()
            async let third = worked()
            return try await (first, [second, third])
        }
        #expect(shop.market.ours.count == 40)
        #expect(applied.result.totals.done == 40)
        #expect(applied.result.operations.map(\.sequence) == Array(0..<40))
        #expect(applied.result.operations.map(\.status) == Array(repeating: .done, count: 40))
        #expect(Set(applied.result.operations.map(\.id)).count == 40)
        #expect(applied.result.snapshot.entries.count == 40)
        let shares = worked.map(\.operations.count)
        #expect(shares.allSatisfy { $0 > 0 } && shares.reduce(0, +) < 40, "\(shares)")
        let summary = shop.state[shop.scope].runs.last
        #expect(summary?.finishedAt != nil)
        #expect(summary?.totals.done == 40)
        #expect(summary?.participants.map(\.command) == ["apply", "work", "work"])
    }

    @Test func `nothing is joined where a run is one session's`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let worked = try shop.simulation.scheduler.run {
            async let first = shop.apply(Self.lamps, run: 1, configuration: Self.configuration(shop))
            try await shop.simulation.clock.sleep(for: .milliseconds(200))
            let worked = try await shop.work(configuration: Self.configuration(shop))
            _ = try await first
            return worked
        }
        #expect(worked == nil)
        #expect(shop.market.ours.count == 40)
    }

    /// No other one has its refusals, what earlier runs left to it, and the products of a saved plan as they are now.
    @Test(arguments: [false, true])
    func `what only the session that began a run can carry out is handed to no other one`(isSaved: Bool) throws {
        let shop = Self.shop(1)
        var configuration = Self.configuration(shop)
        configuration.staleCheck = isSaved
        let deletes = ([1, 2] as [MarketID]).map { id in
            let deletion = PlannedOperation.Deletion(id: id, live: ProductValues())
            return PlannedOperation(key: "gone-\(id)", reason: "", work: .delete(deletion))
        }
        let origin = UnresolvedOperation(
            run: RunID(rawValue: "earlier"),
            sequence: 0,
            facts: 1,
            operation: deletes[0],
            step: .delete,
            stepSucceeded: false,
            sentAt: .epoch
        )
        let drain = StopSignal()
        drain.trigger()
        _ = try shop.simulation.scheduler.run { [configuration] in
            try await shop.state.holding(shop.scope, for: "apply") { session in
                try await shop.executor(configuration, in: session).run(
                    RunRecord(id: RunID(rawValue: "run"), manifest: .picture(0), tool: "test"),
                    operations: Self.lamps.prefix(2).map(\.create) + deletes,
                    snapshot: StateSnapshot(),
                    highWater: 41,
                    refusals: [0: OperationRefusal(.skipped, "not wanted")],
                    pendingDeletes: [Recovery.PendingDelete(operation: deletes[0], origin: origin)],
                    drain: drain
                )
            }
        }
        let handedOut = shop.state[shop.scope].runs.last?.chunks.flatMap(\.cut.sequences)
        #expect(handedOut == (isSaved ? [] : [1, 3]))
    }

    /// Lets two sessions carry out a run, the second of which joins as soon as it can.
    private static func twoSessions(
        on shop: ApplySimulation,
        drains: (first: StopSignal, second: StopSignal) = (StopSignal(), StopSignal()),
        configuration: ExecutorConfiguration? = nil,
        through tamper: @escaping @Sendable (any StateSession) -> any StateSession = { $0 },
        meanwhile body: @escaping @Sendable () async throws -> Void = {}
    ) throws -> (first: RunResult, second: RunResult?) {
        let configuration = configuration ?? Self.configuration(shop)
        return try shop.simulation.scheduler.run {
            async let first = shop.apply(
                lamps,
                run: 1,
                configuration: configuration,
                drain: drains.first,
                through: tamper
            )
            async let second = { () async throws -> RunResult? in
                while drains.second.reason == nil {
                    try await shop.simulation.clock.sleep(for: .milliseconds(100))
                    let result = try await shop.work(configuration: configuration, drain: drains.second)
                    if let result { return result }
                }
                return nil
            }()
            try await body()
            return try await (first.result, second)
        }
    }

    @Test func `the session that began a run reports how every operation ended, others' included`() throws {
        let shop = Self.shop(1)
        shop.market.answer(after: .seconds(1))
        let ended = Mutex<[Int]>([])
        let report: @Sendable (ExecutionEvent) -> Void = { event in
            if case .finished(let result) = event { ended.withLock { $0.append(result.sequence) } }
        }
        let worked = try shop.simulation.scheduler.run {
            async let first = shop.run(
                Self.lamps.map(\.create),
                configuration: Self.configuration(shop),
                highWater: 41,
                onEvent: report
            )
            try await shop.simulation.clock.sleep(for: .seconds(2))
            let worked = try await shop.work(configuration: Self.configuration(shop))
            _ = try await first
            return worked
        }
        #expect(worked?.operations.isEmpty == false)
        #expect(ended.withLock { $0.sorted() } == Array(0..<40))
    }

    @Test func `a run that is interrupted stops everywhere, and what was not begun is skipped by the last`() throws {
        let shop = Self.shop(1)
        shop.market.answer(after: .seconds(1))
        let drains = (first: StopSignal(), second: StopSignal())
        let (first, second) = try Self.twoSessions(
            on: shop,
            drains: drains,
            meanwhile: {
                try await shop.simulation.clock.sleep(for: .seconds(5))
                drains.first.trigger()
            }
        )
        #expect(first.endedBy == .interrupted)
        #expect(second?.endedBy == .ordered("the run was interrupted"))
        #expect(shop.simulation.now < .seconds(10))
        let count = shop.market.ours.count
        #expect(count > 5 && count < 40)
        #expect(first.totals.done == count && first.totals.skipped == 40 - count)
        #expect(first.operations.count == 40)
        let skipped = first.operations.filter { $0.status == .skipped }
        #expect(Set(skipped.map(\.error)) == ["not started: the run was interrupted"])
        let run = shop.state[shop.scope].runs.last
        #expect(run?.finishedAt != nil && run?.interrupted == true)
        #expect(run?.totals == first.totals)
    }

    @Test func `a worker that is interrupted gives its chunk back, and the others go on at once`() throws {
        let shop = Self.shop(1)
        shop.market.answer(after: .seconds(1))
        let drains = (first: StopSignal(), second: StopSignal())
        let (first, second) = try Self.twoSessions(
            on: shop,
            drains: drains,
            meanwhile: {
                try await shop.simulation.clock.sleep(for: .seconds(5))
                drains.second.trigger()
            }
        )
        #expect(second?.endedBy == .interrupted)
        #expect(first.endedBy == nil)
        #expect(first.totals.done == 40)
        #expect(shop.market.ours.count == 40)
        // Twenty by each of two tasks, and none waits for a session that gave its work back.
        #expect(shop.simulation.now < .seconds(25), "\(shop.simulation.now)")
        #expect(shop.state[shop.scope].runs.last?.interrupted == false)
    }

    @Test func `what this machine cannot carry out ends its part before anything of the chunk is begun`() throws {
        struct MissingPicture: Error {}
        let shop = Self.shop(1)
        shop.market.answer(after: .seconds(1))
        let first = try shop.simulation.scheduler.run {
            async let first = shop.apply(Self.lamps, run: 1, configuration: Self.configuration(shop))
            try await shop.simulation.clock.sleep(for: .seconds(2))
            let session = try #require(try await shop.state.join(shop.scope, for: "work"))
            await #expect(throws: MissingPicture.self) {
                _ = try await shop.executor(Self.configuration(shop), in: session)
                    .work(in: RunID(rawValue: "run-1")) { _ in throw MissingPicture() }
            }
            await session.close()
            return try await first
        }
        #expect(first.result.totals.done == 40)
        #expect(shop.market.ours.count == 40)
    }

    @Test func `a pause that the market asks one session for reaches the other`() throws {
        let shop = Self.shop(1)
        var configuration = Self.configuration(shop)
        configuration.maximumAttempts = 2
        shop.market.answer(after: .seconds(1))
        let (first, _) = try Self.twoSessions(
            on: shop,
            configuration: configuration,
            meanwhile: {
                try await shop.simulation.clock.sleep(for: .seconds(4))
                shop.market.answer(after: .zero)
                let busy = WriteTrouble("429", isOverload: true, retryAfter: .seconds(60))
                shop.market.script([.notSent(busy)])
                try await shop.simulation.clock.sleep(for: .seconds(2))
                let before = shop.market.requests.count
                try await shop.simulation.clock.sleep(for: .seconds(50))
                #expect(shop.market.requests.count == before)
            }
        )
        #expect(first.totals.done == 40)
        #expect(shop.market.ours.count == 40)
    }

    private static let run = RunID(rawValue: "run")

    /// Begins a run of one create.
    private static func begin(on shop: ApplySimulation) async throws -> any StateSession {
        let first = try await shop.state.hold(shop.scope, for: "apply", waiting: .zero)
        let record = RunRecord(id: run, manifest: .picture(0), tool: "test")
        let chunk = RunChunk(phase: 0, sequences: [0])
        try await first.begin(record, operations: [lamps[0].create], chunks: [chunk])
        return first
    }

    /// Lets one session send a create and die, and another one go on with it.
    ///
    /// The request leaves after `delay`, as where the first one is stopped and does not notice its end.
    private static func goOn(
        on shop: ApplySimulation,
        _ request: WriteRequest,
        after delay: Duration = .zero,
        answers: [WriteOutcome] = []
    ) throws -> RunResult? {
        try shop.simulation.scheduler.run { () async throws in
            let first = try await begin(on: shop)
            let second = try #require(try await shop.state.join(shop.scope, for: "work"))
            _ = try await second.claim()
            var fingerprint = RequestFingerprint(idempotencyKey: request.idempotencyKey)
            fingerprint.digest = shop.market.bodyDigest(of: request)
            let fact = JournalEvent.Fact.sent(.create, highWater: nil, fingerprint: fingerprint)
            _ = try await second.record(JournalEvent(run: run, sequence: 0, number: 1, fact: fact))
            async let sent = { () async throws in
                try await shop.simulation.clock.sleep(for: delay)
                return await shop.market.perform(request)
            }()
            if delay == .zero { _ = try await sent }
            await second.close()
            shop.market.script(answers)
            let result = try await shop.work(configuration: configuration(shop)) { session in
                // Its machine renews it meanwhile.
                var renewed = TamperedSession(inner: session)
                renewed.hasDeadline = false
                return renewed
            }
            _ = try await sent
            await first.close()
            return result
        }
    }

    private static let create = NewProduct(values: lamps[0].values, pictures: lamps[0].pictures).createRequest(nil)

    @Test func `what a session that ended may still send is waited for, and not made again`() throws {
        let shop = Self.shop(1, lifetime: .seconds(60))
        #expect(try Self.goOn(on: shop, Self.create, after: .seconds(35))?.totals.done == 1)
        #expect(shop.market.ours.count == 1)
    }

    @Test func `a product that a session wrote down after another one joined is not deleted by that one`() throws {
        let shop = Self.shop(1)
        let result = try shop.simulation.scheduler.run { () async throws in
            let first = try await Self.begin(on: shop)
            let second = try #require(try await shop.state.join(shop.scope, for: "work"))
            _ = try await second.claim()
            async let worked = shop.work(configuration: Self.configuration(shop))
            try await shop.simulation.clock.sleep(for: .seconds(2))
            let id = shop.market.add(Self.lamps[0].values, isOurs: true)
            let entry = StateEntry(key: "key-0", id: id, vendorID: 29, applied: Self.lamps[0].values)
            _ = try await second.record([
                JournalEvent(run: Self.run, sequence: 0, number: 1, fact: .sent(.create, highWater: nil)),
                JournalEvent(
                    run: Self.run,
                    sequence: 0,
                    number: 2,
                    fact: .advanced(.create, created: id),
                    mutations: [.put(entry)]
                ),
            ])
            await second.close()
            let result = try await worked
            await first.close()
            return result
        }
        #expect(result?.totals.done == 1)
        #expect(shop.market.ours.map(\.name) == ["Lamp 0"])
    }

    @Test func `what a session did not settle before it was lost is settled by another one`() throws {
        let shop = Self.shop(1)
        shop.market.script([.uncertain(WriteTrouble("connection reset"))])
        let result = try shop.simulation.scheduler.run { () async throws in
            let first = try await Self.begin(on: shop)
            _ = try? await shop.work(configuration: Self.configuration(shop)) { session in
                var lost = TamperedSession(inner: session)
                lost.onCall = { session in
                    guard shop.state[shop.scope].runs.last?.chunks.first?.progress != 0 else { return }
                    if let lease = try? await session.lease { shop.state.release(shop.scope, lease.number) }
                }
                return lost
            }
            #expect(shop.market.ours.isEmpty)
            let result = try await shop.work(configuration: Self.configuration(shop))
            await first.close()
            return result
        }
        #expect(result?.totals.done == 1)
        #expect(shop.market.ours.count == 1)
    }

    @Test func `a create that another session sent is sent again, and written down behind its facts`() throws {
        var drawn = DrawnDescription()
        (drawn.ids, drawn.repeatHours) = (.texts, 1)
        let shop = Self.shop(1, try drawn.profile())
        var request = Self.create
        request.idempotencyKey = "once"
        #expect(try Self.goOn(on: shop, request)?.totals.done == 1)
        #expect(shop.market.ours.count == 1)
        #expect(shop.facts(Self.run, 0).map(\.status) == [.sent, .sent, .succeeded])
    }

    /// The password may be another one than that session had.
    @Test func `a refused password proves nothing about the product of another session's create`() throws {
        let shop = Self.shop(1, .v1b)
        let refusal = WriteOutcome.refused(WriteRefusal(.notFound, status: 404, message: "Not Found"))
        let result = try Self.goOn(on: shop, Self.create, answers: [refusal, refusal])
        #expect(result?.totals.unknown == 1)
        #expect(shop.market.ours.count == 1)
    }

    @Test func `a product that is another session's is doubted, and the create is settled`() throws {
        let shop = Self.shop(1)
        var configuration = Self.configuration(shop)
        configuration.parallelism = 1
        let stolen = Mutex<MarketID?>(nil)
        let (first, _) = try Self.twoSessions(on: shop, configuration: configuration) { session in
            var tampered = TamperedSession(inner: session)
            tampered.onCall = { _ in
                // The other session takes what a reply of this one's names.
                guard stolen.withLock({ $0 }) == nil, let made = shop.market.ours.last?.id else { return }
                stolen.withLock { $0 = made }
                shop.state[shop.scope].snapshot.apply(
                    .put(StateEntry(key: "stolen", id: made, applied: ProductValues()))
                )
            }
            return tampered
        }
        #expect(first.totals.done == 40)
        #expect(shop.market.ours.count == 41)
        let entries = shop.snapshot.entries
        #expect(entries.count == 41 && Set(entries.ids).count == 41)
    }
}
