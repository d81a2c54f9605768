@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing
import FoundationEssentials

/// What every backend promises, clause by clause of the port's documentation.
@Suite(.timeLimit(.minutes(2)))
struct ConformanceTests {
    /// A kind of backend under judgement.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case file, memory
        case postgresql, pooled

        /// Those whose runs several sessions may carry out.
        static var sharing: [Kind] { allCases.filter { $0 != .file } }

        var testDescription: String { rawValue }

        /// Runs a test on an empty backend.
        func test(keptRuns: Int = 100, _ body: (any StateBackend) async throws -> Void) async throws {
            switch self {
            case .memory: try await body(MemoryState(keptRuns: keptRuns))
            case .file:
                let directory = try TemporaryDirectory()
                try await body(StateFile(StateLocation(directory.path + "/state/state.db"), keptRuns: keptRuns))
            case .postgresql:
                guard PostgreSQLServer.isAvailable else { return }
                let url = try await PostgreSQLServer.shared.url(schema: .fresh)
                try await body(PostgreSQLState(StateLocation(url), keptRuns: keptRuns))
            case .pooled:
                guard PostgreSQLPooler.isAvailable else { return }
                let url = try await PostgreSQLPooler.shared.url(schema: .fresh)
                try await body(PostgreSQLState(StateLocation(url), keptRuns: keptRuns))
            }
        }
    }

    private let scope = Samples.staging

    /// Waits until the clock shows more than a moment.
    private func passing(_ moment: Timestamp) async {
        while Timestamp.now <= moment { await Task.yield() }
    }

    // MARK: - Backend

    @Test(arguments: Kind.allCases)
    func `a place is found by its location, and is empty before anything was held`(kind: Kind) async throws {
        try await kind.test { backend in
            #expect(try await backend.markets().isEmpty)
            try await backend.reading(scope) { (state) async throws in
                #expect(state.location == backend.location)
                #expect(state.scope == scope)
                #expect(try await !state.exists)
                #expect(try await state.snapshot().entries.isEmpty)
                #expect(try await state.snapshot().vendorID == nil)
                #expect(try await state.acceptedDescription() == nil)
                #expect(try await state.entry("desk-lamp") == nil)
                #expect(try await state.keys()[193] == nil)
                #expect(try await state.unresolved().isEmpty)
                #expect(try await state.basis().unresolved.isEmpty)
                #expect(try await state.basis().snapshot.entries.isEmpty)
                #expect(try await state.counts() == StateCounts(products: 0, unresolved: 0))
                #expect(try await state.productWithoutPassword() == nil)
                #expect(try await state.runs(limit: 9).isEmpty)
                #expect(try await state.run(run) == nil)
                #expect(try await state.operations(of: run).isEmpty)
                #expect(try await state.operations(of: run, troublesFirst: 9).isEmpty)
                #expect(try await state.history(of: "desk-lamp", runs: 9).isEmpty)
                #expect(try await state.keysDone(since: nil) == [])
                #expect(try await state.keysDone(since: run) == [])
            }
            #expect(try await backend.markets().isEmpty, "reading made something")
        }
    }

    @Test(arguments: Kind.allCases)
    func `markets are listed as they came to be known with their products, and never mix`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(Samples.production, for: "test") {
                try await $0.apply([.put(Samples.lamp), .vendor(29)])
                try await $0.begin(Samples.run("r"), operations: [Samples.operation(.create, "desk-lamp")])
                _ = try await $0.record(fact(1, .sent(.create, highWater: nil), run: RunID(rawValue: "r")))
            }
            try await backend.holding(scope, for: "test") { (state) async throws in
                #expect(try await state.exists)
                #expect(try await state.snapshot().entries.isEmpty)
                #expect(try await state.snapshot().vendorID == nil)
                #expect(try await state.unresolved().isEmpty)
                #expect(try await state.runs(limit: 9).isEmpty)
                #expect(try await state.counts() == StateCounts(products: 0, unresolved: 0))
                #expect(try await state.productWithoutPassword() == nil)
                #expect(try await state.run(RunID(rawValue: "r")) == nil)
                #expect(try await state.operations(of: RunID(rawValue: "r")).isEmpty)
                #expect(try await state.operations(of: RunID(rawValue: "r"), troublesFirst: 9).isEmpty)
                #expect(try await state.history(of: "desk-lamp", runs: 9).isEmpty)
                #expect(try await state.keysDone(since: nil) == [])
                await fails(.conflict) { _ = try await state.record(fact(2, .failed("no"), run: RunID(rawValue: "r"))) }
            }
            let none = try await backend.reading(Samples.noIdentifier) { try await $0.counts() }
            #expect(none == StateCounts(products: 0, unresolved: 0))
            #expect(
                try await backend.markets() == [
                    KnownMarket(scope: Samples.production, products: 1), KnownMarket(scope: scope, products: 0),
                ]
            )
        }
    }

    @Test(arguments: Kind.allCases)
    func `one description of a market is accepted, and each run says by which it was carried out`(kind: Kind)
        async throws
    {
        try await kind.test { backend in
            let (first, second) = (Samples.digest(1), Samples.digest(2))
            for digest in [first, second, second] {
                try await backend.holding(scope, for: "test") { try await $0.accept(digest) }
                #expect(try await backend.reading(scope) { try await $0.acceptedDescription() } == digest)
            }
            var run = Samples.run("described")
            run.description = second
            let described = run
            try await backend.holding(scope, for: "test") { state in
                try await state.begin(Samples.run("built-in"), operations: [])
                try await state.begin(described, operations: [])
                #expect(try await state.runs(limit: 9).map(\.record.description) == [second, nil])
            }
            try await backend.holding(Samples.production, for: "test") { (state) async throws in
                #expect(try await state.acceptedDescription() == nil)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a run is seen by every reader while a session carries it out`(kind: Kind) async throws {
        try await kind.test { backend in
            let operations = (0..<4).map { Samples.operation(.create, "key-\($0)") }
            let state = try await backend.hold(scope, for: "apply", waiting: .zero)
            func look() async throws -> RunUnderWay? {
                try await backend.reading(scope) { try await $0.runUnderWay() }
            }
            #expect(try await look() == nil)
            try await state.begin(
                Samples.run(run.rawValue),
                operations: operations,
                chunks: [RunChunk(phase: 0, sequences: Array(0..<4))]
            )
            _ = try await state.record(fact(1, .sent(.create, highWater: nil)))
            _ = try await state.record(fact(1, .failed("no"), of: 1))
            _ = try await state.record(fact(1, .skipped("stale"), of: 2))
            let seen = try #require(try await look())
            #expect(seen.record == Samples.run(run.rawValue))
            #expect(seen.operations == 4)
            #expect([seen.totals.done, seen.totals.failed, seen.totals.skipped, seen.totals.unknown] == [0, 1, 1, 1])
            #expect(seen.participants.map(\.command) == ["apply"])
            #expect(try await seen.participants.map(\.session) == [state.lease.number])
            #expect(seen.participants.allSatisfy { $0.endedAt == nil && $0.since <= seen.startedAt })
            #expect(seen.stop == nil && seen.startedAt <= seen.now)
            try await state.finish(run, totals: RunTotals(), interrupted: false)
            #expect(try await look() == nil)
            // One that is left open ends with its session.
            try await state.begin(Samples.run("s"), operations: operations, chunks: [])
            await state.close()
            #expect(try await look() == nil)
        }
    }

    @Test(arguments: Kind.allCases)
    func `one session holds a market, with a number above all before, and makes room when it is closed`(
        kind: Kind
    ) async throws {
        try await kind.test { backend in
            var last: Int64 = 0
            for _ in 0..<3 {
                let session = try await backend.hold(scope, for: "apply", waiting: .zero)
                let lease = try await session.lease
                #expect(lease.number > last)
                last = lease.number
                let error = await #expect(throws: StateError.self) {
                    _ = try await backend.hold(scope, for: "state move", waiting: .milliseconds(1))
                }
                #expect(error?.code == .locked)
                #expect(error?.message.contains("apply") == true, "\(error?.message ?? "")")
                #expect(error?.message.contains("\(backend.location)") == true)
                await fails(.locked) { _ = try await backend.unlock(scope, force: false) }
                await session.close()
                await session.close()
            }
            #expect(try await backend.unlock(scope, force: false) == nil)
        }
    }

    @Test(arguments: Kind.allCases)
    func `a session that is waited for is had when it is closed`(kind: Kind) async throws {
        try await kind.test { backend in
            let first = try await backend.hold(scope, for: "apply", waiting: .zero)
            async let second = backend.hold(scope, for: "apply", waiting: .seconds(60))
            await first.close()
            try await second.close()
        }
    }

    @Test(arguments: Kind.allCases)
    func `a body that throws makes room too`(kind: Kind) async throws {
        struct Fault: Error {}
        try await kind.test { backend in
            for _ in 0..<2 {
                await #expect(throws: Fault.self) {
                    try await backend.holding(scope, for: "apply") { _ in throw Fault() }
                }
                await #expect(throws: Fault.self) { try await backend.reading(scope) { _ in throw Fault() } }
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a closed session writes nothing, and the next one has all that was written`(kind: Kind) async throws {
        try await kind.test { backend in
            let first = try await backend.hold(scope, for: "apply", waiting: .zero)
            try await first.apply([.put(Samples.lamp)])
            await first.close()
            try await backend.holding(scope, for: "apply") { (second) async throws in
                await #expect(throws: StateError.self) { try await first.apply([.put(Samples.bare)]) }
                await #expect(throws: StateError.self) { try await first.begin(Samples.run("r"), operations: []) }
                #expect(try await second.entries() == [Samples.lamp])
            }
        }
    }

    @Test(arguments: Kind.sharing)
    func `a product is one key's in a shared run, and what says otherwise is not written`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "test") { (state) async throws in
                let operations = ["desk-lamp", "other"].map { Samples.operation(.create, $0) }
                let chunks = [RunChunk(phase: 1, sequences: [0]), RunChunk(phase: 1, sequences: [1])]
                try await state.begin(Samples.run(run.rawValue), operations: operations, chunks: chunks)
                _ = try await state.record(fact(1, .succeeded(193), mutations: [.put(Samples.lamp)]))
                var twin = Samples.lamp
                twin.key = "other"
                var event = fact(1, .sent(.create, highWater: nil))
                event.sequence = 1
                _ = try await state.record(event)
                (event.number, event.fact, event.mutations) = (2, .succeeded(193), [.put(twin)])
                let taken = event
                await fails(.taken) { _ = try await state.record(taken) }
                event.number = 3
                let skipping = event
                await fails(.conflict) { _ = try await state.record(skipping) }
                (event.number, event.fact, event.mutations) = (2, .unknown(.create, "taken"), [])
                _ = try await state.record(event)
                #expect(try await state.entries() == [Samples.lamp])
            }
        }
    }

    // MARK: - Reading

    @Test(arguments: Kind.allCases)
    func `what was put is read back, every field, under every spelling of its key`(kind: Kind) async throws {
        try await kind.test { backend in
            let lamp = Samples.lamp.listed(by: "catalog/lamps.yaml")
            let entries = [lamp, Samples.bare, Samples.empty]
            // A field that is added has to be kept, too: as a column, as a member of its document, and in the samples.
            #expect(Mirror(reflecting: Samples.lamp).children.count == 11)
            #expect(Mirror(reflecting: Samples.lamp.applied).children.count == 8)
            try await backend.holding(scope, for: "test") {
                try await $0.apply(entries.map { .put($0) } + [.vendor(29)])
                try await $0.move(from: "bare", to: Spellings.korean.decomposed)
            }
            try await backend.reading(scope) { (state) async throws in
                var bare = Samples.bare
                bare.key = Spellings.korean.composed
                let snapshot = try await state.snapshot()
                #expect(snapshot.vendorID == 29)
                #expect(snapshot.entries == ["desk-lamp": lamp, "empty": Samples.empty, bare.key: bare])
                for spelling in Spellings.korean.both { #expect(try await state.entry(spelling) == bare) }
                let keys = try await state.keys()
                #expect([7, 8, 9, 193].map { keys[MarketID($0)] } == [bare.key, "empty", nil, "desk-lamp"])
                #expect(keys.newest(2) == [8, 193])
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a reader sees what was committed while a session goes on`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "apply") { (session) async throws in
                try await session.apply([.put(Samples.lamp)])
                try await session.begin(Samples.run(run.rawValue), operations: [Samples.operation(.create, "a")])
                _ = try await session.record(fact(1, .sent(.create, highWater: 41)))
                try await backend.reading(scope) { (reader) async throws in
                    #expect(try await reader.entries() == [Samples.lamp])
                    let before = try await reader.now
                    let basis = try await reader.basis()
                    #expect(basis.snapshot.entries == ["desk-lamp": Samples.lamp])
                    #expect(basis.unresolved.map(\.sequence) == [0])
                    #expect(basis.unresolved.map(\.isUnderWay) == [true])
                    #expect(basis.leftOver.isEmpty, "the run goes on: nothing is left over from it")
                    let after = try await reader.now
                    #expect(before <= basis.now && basis.now <= after)
                    #expect(try await reader.counts() == StateCounts(products: 1, unresolved: 1))
                }
                #expect(try await session.basis().unresolved.map(\.isUnderWay) == [true])
            }
            try await backend.reading(scope) { (reader) async throws in
                #expect(try await reader.basis().unresolved.map(\.isUnderWay) == [false], "its session is gone")
                #expect(try await reader.counts() == StateCounts(products: 1, unresolved: 1))
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `the first product without a password of its own is found by its key`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "test") { (state) async throws in
                // Those of the lamp and of the empty product have one.
                try await state.apply([.put(Samples.lamp), .put(Samples.empty)])
                #expect(try await state.productWithoutPassword() == nil)
                for (key, id) in [("m", 5), (Spellings.korean.composed, 3), ("k", .text("9")), ("l", 4)]
                    as [(String, MarketID)]
                {
                    try await state.apply([.put(StateEntry(key: key, id: id, applied: ProductValues()))])
                }
                #expect(try await state.productWithoutPassword() == .text("9"))
                _ = try await state.forget("k")
                #expect(try await state.productWithoutPassword() == 4)
            }
        }
    }

    // MARK: - Changes without a request

    @Test(arguments: Kind.allCases)
    func `mutations happen as a whole or not at all`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "test") { (state) async throws in
                try await state.apply([.put(Samples.lamp), .put(Samples.bare)])
                await fails(.conflict) {
                    try await state.apply([.vendor(5), .remove(key: "empty"), .rename(from: "bare", to: "desk-lamp")])
                }
                #expect(try await state.snapshot().vendorID == nil)
                #expect(try await state.entries() == [Samples.bare, Samples.lamp])
                try await state.apply([
                    .rename(from: "nothing", to: "x"), .rename(from: "bare", to: "plain"), .remove(key: "nothing"),
                    .release(key: "desk-lamp", id: 7), .release(key: "plain", id: 7), .put(Samples.empty),
                    .release(key: "empty", id: 7),
                ])
                #expect(try await state.entries() == [Samples.lamp, Samples.empty])
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a product changes its key in one change, and two exchange theirs`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "test") { (state) async throws in
                try await state.apply([.put(Samples.lamp), .put(Samples.bare)])
                var (lamp, bare) = (Samples.lamp, Samples.bare)
                (lamp.key, bare.key) = (bare.key, lamp.key)
                try await state.apply([.put(lamp), .put(bare)])
                #expect(try await state.entries() == [lamp, bare])

                lamp.key = "lamp"
                try await state.begin(
                    Samples.run(run.rawValue),
                    operations: [Samples.operation(.update, "lamp", id: 193)]
                )
                _ = try await state.record(
                    fact(1, .succeeded(193), mutations: [.put(lamp), .remove(key: Samples.bare.key)])
                )
                #expect(try await state.entries() == [bare, lamp])
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `the file that lists products is noted for many at once, and changes nothing else`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "test") { (state) async throws in
                try await state.apply([.put(Samples.lamp), .put(Samples.bare), .put(Samples.empty)])
                try await state.apply([
                    .origin("catalog/a b's.yaml", keys: ["bare", "desk-lamp", "nothing"]), .origin("-", keys: ["bare"]),
                ])
                var (bare, lamp) = (Samples.bare, Samples.lamp)
                (bare.origin, lamp.origin) = ("-", "catalog/a b's.yaml")
                #expect(try await state.entries() == [bare, lamp, Samples.empty])
                #expect(try await state.snapshot().entries["desk-lamp"] == lamp)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `forget and move refuse what is not there, what is taken and what is unresolved`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "test") { (state) async throws in
                try await state.apply([.put(Samples.lamp), .put(Samples.bare), .put(Samples.empty)])
                try await state.begin(
                    Samples.run(run.rawValue),
                    operations: [Samples.operation(.update, "empty", id: 8)]
                )
                _ = try await state.record(fact(1, .unknown(.update, "lost")))
                await fails(.conflict) { _ = try await state.forget("nothing") }
                await fails(.conflict) { try await state.move(from: "nothing", to: "x") }
                await #expect(throws: StateError.takenKey("bare", "desk-lamp")) {
                    try await state.move(from: "bare", to: "desk-lamp")
                }
                await fails(.unresolved) { _ = try await state.forget("empty") }
                await fails(.unresolved) { try await state.move(from: "empty", to: "x") }
                await fails(.unresolved) { try await state.move(from: "bare", to: "empty") }
                #expect(try await state.entries() == [Samples.bare, Samples.lamp, Samples.empty])

                try await state.move(from: "bare", to: "plain")
                try await state.move(from: "plain", to: "plain")
                #expect(try await state.entry("plain")?.id == 7)
                #expect(try await state.forget("desk-lamp") == Samples.lamp)
                #expect(try await state.entries().map(\.key) == ["empty", "plain"])
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `replacing covers nothing unless it may, and nothing while an outcome is unknown`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "test") { (state) async throws in
                try await state.replace(with: [Samples.lamp], vendorID: 29, overwriting: false)
                await fails(.conflict) { try await state.replace(with: [], vendorID: 5, overwriting: false) }
                #expect(try await state.entries() == [Samples.lamp])
                try await state.replace(with: [Samples.bare], vendorID: nil, overwriting: true)
                #expect(try await state.entries() == [Samples.bare])
                #expect(try await state.snapshot().vendorID == 29)

                try await state.begin(Samples.run(run.rawValue), operations: [Samples.operation(.create, "a")])
                _ = try await state.record(fact(1, .sent(.create, highWater: nil)))
                await fails(.unresolved) { try await state.replace(with: [], vendorID: nil, overwriting: true) }
                #expect(try await state.entries() == [Samples.bare])
            }
        }
    }

    // MARK: - The journal

    @Test(arguments: Kind.allCases)
    func `a run is announced with all its operations, under a name of its own`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "apply") { (state) async throws in
                let before = try await state.now
                let operations = [Samples.operation(.create, "a"), Samples.operation(.delete, "b", id: 7)]
                try await state.begin(Samples.run(run.rawValue), operations: operations)
                await fails(.conflict) {
                    try await state.begin(Samples.run(run.rawValue), operations: [Samples.operation(.create, "c")])
                }
                let journalled = try await state.operations(of: run)
                #expect(journalled.map(\.operation) == operations)
                #expect(journalled.map(\.status) == [.intended, .intended])
                #expect(journalled.map(\.sequence) == [0, 1])
                #expect(try await state.unresolved().isEmpty)
                let summary = try #require(try await state.runs(limit: 9).first)
                #expect(summary.record == Samples.run(run.rawValue))
                #expect(summary.startedAt >= before, "the backend stamps the times")
                let now = try await state.now
                #expect(summary.startedAt <= now)
                #expect(summary.finishedAt == nil)
                #expect(summary.operations == 2)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `each fact is read back, with the times of the backend`(kind: Kind) async throws {
        let facts: [[JournalEvent.Fact]] = [
            [.sent(.create, highWater: 41)],
            [.sent(.create, highWater: 41), .advanced(.create, created: 42), .sent(.deleteKey, highWater: nil)],
            [.sent(.update, highWater: nil), .succeeded(43)],
            [.sent(.delete, highWater: nil), .failed("refused: \"no\"")],
            [.sent(.delete, highWater: nil), .unknown(.delete, "the reply was lost")],
            [.skipped("stale")],
        ]
        try await kind.test { backend in
            try await backend.holding(scope, for: "apply") { (state) async throws in
                let before = try await state.now
                let operations = facts.indices.map { Samples.operation(.replace, "key-\($0)", id: 5) }
                try await state.begin(Samples.run(run.rawValue), operations: operations)
                for (sequence, facts) in facts.enumerated() {
                    for (index, one) in facts.enumerated() {
                        #expect(try await state.record(fact(index + 1, one, of: sequence)) == .proceed)
                    }
                }
                let journalled = try await state.operations(of: run)
                #expect(journalled.map(\.status) == [.sent, .sent, .succeeded, .failed, .unknown, .skipped])
                #expect(journalled.map(\.step) == [.create, .deleteKey, .update, .delete, .delete, nil])
                #expect(journalled.map(\.product) == [nil, 42, 43, nil, nil, nil])
                #expect(
                    journalled.map(\.message) == [nil, nil, nil, "refused: \"no\"", "the reply was lost", "stale"]
                )
                let after = try await state.now
                for operation in journalled.prefix(5) {
                    let sentAt = try #require(operation.sentAt)
                    #expect(before <= sentAt && sentAt <= after)
                }
                #expect(journalled[5].sentAt == nil)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a market's whole memory reads the same from the state that it was put into, which goes on from there`(
        kind: Kind
    ) async throws {
        let lamp = Samples.operation(.create, "desk-lamp")
        let steps: [[JournalEvent.Fact]] = [
            [.sent(.create, highWater: nil), .succeeded(193)],
            [
                .sent(
                    .create,
                    highWater: 41,
                    fingerprint: RequestFingerprint(idempotencyKey: "k", digest: Samples.digest(4))
                )
            ],
            [.sent(.create, highWater: 41), .advanced(.create, created: 42), .sent(.deleteKey, highWater: nil)],
            [.sent(.create, highWater: 41), .advanced(.create, created: 43)],
            [.sent(.create, highWater: 41), .unknown(.create, "it is another one", answered: 44)],
            [.sent(.update, highWater: nil), .failed("no")], [.skipped("stale")], [],
        ]
        let source = MemoryState()
        try await source.holding(scope, for: "apply") { (state) async throws in
            try await state.accept(Samples.digest(7))
            try await state.begin(Samples.run("closed"), operations: [lamp])
            try await state.finish(RunID(rawValue: "closed"), totals: RunTotals(), interrupted: true)
            let operations = [lamp] + (1..<steps.count).map { Samples.operation(.replace, "key-\($0)", id: 5) }
            try await state.begin(Samples.run(run.rawValue), operations: operations)
            for (sequence, facts) in steps.enumerated() {
                for (index, one) in facts.enumerated() {
                    let mutations = one == .succeeded(193) ? [StateMutation.put(Samples.lamp), .vendor(29)] : []
                    _ = try await state.record(fact(index + 1, one, of: sequence, mutations: mutations))
                }
            }
        }
        let held = try await source.hold(scope, for: "test", waiting: .zero)
        let archive = try await StateArchive(of: held)
        #expect(archive.unresolved.map(\.facts) == [1, 3, 2, 2])
        try await kind.test { backend in
            try await backend.holding(scope, for: "state copy") { (state) async throws in
                try await state.apply([.put(Samples.bare)])
                await fails(.conflict) { try await state.fill(with: archive) }
                #expect(try await state.entries() == [Samples.bare])
                try await state.forget("bare")
                try await state.fill(with: archive)
                #expect(try await StateArchive(of: state).isSame(as: archive))
                await fails(.conflict) { try await state.fill(with: archive) }
                #expect(try await state.movedTo() == nil)
                _ = try await state.record(fact(4, .failed("settled"), of: 2))
                #expect(try await state.history(of: "key-2", runs: 9).map(\.status) == [.failed])
                try await state.retire(to: StateLocation("postgresql://a:secret@db/shop"))
            }
            #expect(
                try await backend.reading(scope) { try await $0.movedTo() }?.description == "postgresql://a@db/shop"
            )
            let error = await #expect(throws: StateError.self) {
                _ = try await backend.hold(scope, for: "apply", waiting: .zero)
            }
            #expect(error?.code == .moved)
            #expect(error?.message.contains("postgresql://a@db/shop") == true)
        }
        await held.close()
    }

    @Test(arguments: Kind.allCases)
    func `facts of an operation are numbered, and each number is written once`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "apply") { (state) async throws in
                try await state.begin(Samples.run(run.rawValue), operations: [Samples.operation(.create, "desk-lamp")])
                await fails(.conflict) { _ = try await state.record(fact(2, .succeeded(1))) }
                await fails(.conflict) { _ = try await state.record(fact(0, .succeeded(1))) }
                _ = try await state.record(fact(1, .sent(.create, highWater: 41)))
                await fails(.conflict) { _ = try await state.record(fact(1, .skipped("another one"))) }
                await fails(.conflict) { _ = try await state.record(fact(1, .succeeded(1))) }
                await fails(.conflict) { _ = try await state.record(fact(3, .succeeded(1))) }

                let done = fact(2, .succeeded(193), mutations: [.put(Samples.lamp)])
                #expect(try await state.record(done) == .proceed)
                try await state.apply([.remove(key: "desk-lamp")])
                #expect(try await state.record(done) == .proceed, "the same call repeated")
                #expect(try await state.entries().isEmpty, "what it meant was not done a second time")
                await fails(.conflict) { _ = try await state.record(fact(1, .succeeded(193))) }
                await fails(.conflict) { _ = try await state.record(fact(1, .sent(.create, highWater: 41))) }
                await fails(.conflict) { _ = try await state.record(fact(1, .succeeded(1), of: 1)) }
                #expect(try await state.operations(of: run).map(\.status) == [.succeeded])
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a fact and the state that it means come together or not at all`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "apply") { (state) async throws in
                try await state.apply([.put(Samples.bare), .put(Samples.empty)])
                try await state.begin(Samples.run(run.rawValue), operations: [Samples.operation(.create, "desk-lamp")])
                let torn = fact(
                    1,
                    .succeeded(193),
                    mutations: [.put(Samples.lamp), .rename(from: "bare", to: "empty")]
                )
                await fails(.conflict) { _ = try await state.record(torn) }
                #expect(try await state.entry("desk-lamp") == nil)
                #expect(try await state.operations(of: run).map(\.status) == [.intended])
                let whole = fact(
                    1,
                    .succeeded(193),
                    mutations: [
                        .put(Samples.lamp), .remove(key: "bare"), .rename(from: "empty", to: "e"), .vendor(29),
                    ]
                )
                _ = try await state.record(whole)
                #expect(try await state.entry("desk-lamp") == Samples.lamp)
                #expect(try await state.entries().map(\.key) == ["desk-lamp", "e"])
                #expect(try await state.snapshot().vendorID == 29)
                #expect(try await state.operations(of: run).map(\.status) == [.succeeded])
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `many callers record at once, and each gets its own outcome`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "apply") { (state) async throws in
                let count = 50
                try await state.begin(
                    Samples.run(run.rawValue),
                    operations: (0..<count).map { Samples.operation(.create, "key-\($0)") }
                )
                let failures = await withTaskGroup(of: Int?.self) { group in
                    for sequence in 0..<(count + 5) {
                        group.addTask {
                            let id = MarketID(Int64(1000 + sequence))
                            let entry = StateEntry(key: "key-\(sequence)", id: id, applied: ProductValues())
                            do {
                                _ = try await state.record(
                                    fact(1, .succeeded(id), of: sequence, mutations: [.put(entry)])
                                )
                                return nil
                            } catch {
                                return sequence
                            }
                        }
                    }
                    var failures: [Int] = []
                    for await case let sequence? in group { failures.append(sequence) }
                    return failures
                }
                #expect(failures.sorted() == Array(count..<(count + 5)), "only those of operations that do not exist")
                #expect(try await state.entries().count == count)
                #expect(try await state.operations(of: run).allSatisfy { $0.status == .succeeded })
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `what a dead session left is unresolved for the next, which writes on where it stopped`(
        kind: Kind
    ) async throws {
        try await kind.test { backend in
            let operations = (0..<3).map { Samples.operation(.replace, "key-\($0)", id: 5) }
            let begun = try await backend.holding(scope, for: "apply") { (state) async throws in
                try await state.begin(Samples.run(run.rawValue), operations: operations)
                _ = try await state.record(fact(1, .sent(.create, highWater: 41), of: 1))
                _ = try await state.record(fact(1, .sent(.create, highWater: 41), of: 2))
                _ = try await state.record(fact(2, .advanced(.create, created: 42), of: 2))
                return try await state.operations(of: run)
            }
            try await backend.holding(scope, for: "apply") { (state) async throws in
                let open = try await state.unresolved()
                #expect(
                    open == [
                        UnresolvedOperation(
                            run: run,
                            sequence: 1,
                            facts: 1,
                            operation: operations[1],
                            step: .create,
                            stepSucceeded: false,
                            highWater: 41,
                            created: nil,
                            sentAt: try #require(begun[1].sentAt)
                        ),
                        UnresolvedOperation(
                            run: run,
                            sequence: 2,
                            facts: 2,
                            operation: operations[2],
                            step: .create,
                            stepSucceeded: true,
                            highWater: 41,
                            created: 42,
                            sentAt: try #require(begun[2].sentAt)
                        ),
                    ]
                )
                #expect(try await state.basis().unresolved == open)
                _ = try await state.record(fact(2, .failed("never happened"), of: 1))
                #expect(try await state.unresolved().map(\.sequence) == [2])
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `what a create can be sent again with is kept, and since when its key is known`(kind: Kind) async throws {
        try await kind.test { backend in
            let first = RequestFingerprint(
                idempotencyKey: "5f1c",
                digest: ContentDigest(bytes: repeatElement(7, count: 32)),
                references: ["up/1", "up\"2"]
            )
            let sent = JournalEvent.Fact.sent(.create, highWater: 41, fingerprint: first)
            try await backend.holding(scope, for: "apply") { (state) async throws in
                let operations = (0..<2).map { Samples.operation(.create, "key-\($0)") }
                try await state.begin(Samples.run(run.rawValue), operations: operations)
                _ = try await state.record(fact(1, sent))
                _ = try await state.record(fact(1, .sent(.create, highWater: 41), of: 1))
            }
            try await backend.holding(scope, for: "apply") { (state) async throws in
                let open = try await state.unresolved()
                #expect(open.map(\.fingerprint) == [first, nil])
                #expect(open.map(\.firstSentAt) == [open[0].sentAt, nil])
                // Sent again as it was: what was known of its key and of the newest id stays.
                _ = try await state.record(fact(2, .unknown(.create, "lost")))
                await passing(open[0].sentAt)
                _ = try await state.record(fact(3, .sent(.create, highWater: nil, fingerprint: first)))
                let again = try await state.unresolved()[0]
                #expect(again.fingerprint == first)
                #expect(again.firstSentAt == open[0].firstSentAt)
                #expect(again.sentAt > open[0].sentAt)
                #expect(again.highWater == 41)
                // Another key is known since it was sent.
                let second = RequestFingerprint(idempotencyKey: "77aa", references: ["up/3"])
                _ = try await state.record(fact(4, .sent(.create, highWater: 42, fingerprint: second)))
                let other = try await state.unresolved()[0]
                #expect(other.fingerprint == second)
                #expect(other.firstSentAt == other.sentAt)
                // A run that ended listens no longer, unless a later one sends the request again.
                try await state.finish(run, totals: RunTotals(), interrupted: false)
                let finishedAt = try #require(try await state.runs(limit: 1).first?.finishedAt)
                #expect(try await state.unresolved().map(\.runEndedAt) == [finishedAt, finishedAt])
                await passing(finishedAt)
                _ = try await state.record(fact(5, .sent(.create, highWater: nil, fingerprint: second)))
                #expect(try await state.unresolved().map(\.runEndedAt) == [nil, finishedAt])
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a closed run has its totals and its end, and keeps what is unknown`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "apply") { (state) async throws in
                try await state.begin(Samples.run(run.rawValue), operations: [Samples.operation(.create, "a")])
                _ = try await state.record(fact(1, .sent(.create, highWater: nil)))
                #expect(try await state.unresolved().isEmpty)
                var totals = RunTotals()
                (totals.done, totals.failed, totals.stale, totals.skipped, totals.unknown) = (1, 2, 3, 4, 5)
                try await state.finish(run, totals: totals, interrupted: true)
                let summary = try #require(try await state.runs(limit: 1).first)
                #expect(try await state.run(run) == summary)
                #expect(summary.totals == totals)
                #expect(summary.interrupted)
                #expect(summary.unresolved == 1)
                let finishedAt = try #require(summary.finishedAt)
                #expect(finishedAt >= summary.startedAt)
                #expect(try await state.unresolved().map(\.runEndedAt) == [finishedAt])
                await fails(.conflict) {
                    try await state.finish(RunID(rawValue: "other"), totals: totals, interrupted: false)
                }
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `what was allowed and decided for a run is kept with it`(kind: Kind) async throws {
        try await kind.test { backend in
            let decisions = RunDecisions(by: "미나 \"m\"", rejected: 3, file: Samples.digest(7))
            let approvals = [
                nil, RunApproval(policies: ["max_delete"], reason: "sale", user: "me"),
                RunApproval(policies: [], reason: nil, user: "me", decisions: decisions),
            ]
            try await backend.holding(scope, for: "apply") { (state) async throws in
                for (number, approval) in approvals.enumerated() {
                    var run = Samples.run("run-\(number)")
                    run.approval = approval
                    try await state.begin(run, operations: [])
                }
                #expect(try await state.runs(limit: 9).map(\.record.approval) == approvals.reversed())
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `runs come the newest first, and a key's history too`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "apply") { (state) async throws in
                for (number, name) in ["one", "two", "three"].enumerated() {
                    try await state.begin(
                        Samples.run(name),
                        operations: [
                            Samples.operation(.update, number == 1 ? "chair" : Spellings.korean.composed, id: 1),
                            Samples.operation(.delete, "x", id: 2),
                        ]
                    )
                }
                #expect(try await state.runs(limit: 2).map(\.record.id.rawValue) == ["three", "two"])
                let runs = try await state.runs(limit: .max)
                for summary in runs { #expect(try await state.run(summary.record.id) == summary) }
                #expect(try await state.run(RunID(rawValue: "four")) == nil)
                for spelling in Spellings.korean.both {
                    let history = try await state.history(of: spelling, runs: .max)
                    #expect(history.map(\.run.rawValue) == ["three", "one"])
                    #expect(history[0].operation == Samples.operation(.update, Spellings.korean.composed, id: 1))
                    #expect(history[0].startedAt >= history[1].startedAt)
                    #expect(try await state.history(of: spelling, runs: 1) == Array(history.prefix(1)))
                }
                #expect(try await state.history(of: "x", runs: .max).map(\.sequence) == [1, 1, 1])
                #expect(try await state.history(of: "chair", runs: 1).map(\.run.rawValue) == ["two"])
                #expect(try await state.history(of: "x", runs: 2).map(\.run.rawValue) == ["three", "two"])
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a key's history has all of a run that it was in twice`(kind: Kind) async throws {
        try await kind.test { backend in
            try await backend.holding(scope, for: "apply") { (state) async throws in
                for name in ["one", "two"] {
                    let operations = [
                        Samples.operation(.delete, "x", id: 2), Samples.operation(.create, "y"),
                        Samples.operation(.create, "x"),
                    ]
                    try await state.begin(Samples.run(name), operations: operations)
                }
                let history = try await state.history(of: "x", runs: 1)
                #expect(history.map(\.run.rawValue) == ["two", "two"])
                #expect(history.map(\.sequence) == [2, 0])
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `of a run's operations those that went wrong come first, as many as are wanted`(kind: Kind) async throws {
        let facts: [JournalEvent.Fact?] = [
            .skipped("stale"), .succeeded(1), nil, .unknown(.delete, "lost"), .failed("no"),
            .sent(.delete, highWater: nil), .succeeded(2), .failed("never"), .advanced(.create, created: 3),
        ]
        try await kind.test { backend in
            try await backend.holding(scope, for: "apply") { (state) async throws in
                try await state.begin(Samples.run("other"), operations: [Samples.operation(.delete, "x", id: 2)])
                let operations = facts.indices.map { Samples.operation(.delete, "key-\($0)", id: 5) }
                try await state.begin(Samples.run(run.rawValue), operations: operations)
                for case let (sequence, one?) in facts.enumerated() {
                    _ = try await state.record(fact(1, one, of: sequence))
                }
                let all = try await state.operations(of: run)
                #expect(all.map(\.sequence) == Array(facts.indices))
                let sorted = [4, 7, 3, 5, 8, 1, 6, 0, 2].map { all[$0] }
                for limit in [0, 1, 4, 9, .max] {
                    #expect(try await state.operations(of: run, troublesFirst: limit) == Array(sorted.prefix(limit)))
                }
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `what was done since a run is known as long as the runs since are kept`(kind: Kind) async throws {
        try await kind.test(keptRuns: 3) { backend in
            try await backend.holding(Samples.production, for: "apply") { (state) async throws in
                try await state.begin(Samples.run("elsewhere"), operations: [Samples.operation(.delete, "z", id: 2)])
                _ = try await state.record(fact(1, .succeeded(2), run: RunID(rawValue: "elsewhere")))
            }
            try await backend.holding(scope, for: "apply") { (state) async throws in
                func run(_ name: String, _ facts: [(String, JournalEvent.Fact)]) async throws {
                    let id = RunID(rawValue: name)
                    let operations = facts.map { Samples.operation(.delete, $0.0, id: 2) }
                    try await state.begin(Samples.run(name), operations: operations)
                    for (sequence, one) in facts.enumerated() {
                        _ = try await state.record(fact(1, one.1, of: sequence, run: id))
                    }
                    try await state.finish(id, totals: RunTotals(), interrupted: false)
                }
                func done(since name: String?) async throws -> Set<String>? {
                    try await state.keysDone(since: name.map(RunID.init(rawValue:)))
                }
                try await run("one", [("a", .succeeded(2)), ("b", .failed("no"))])
                try await run("two", [("c", .succeeded(2)), ("d", .skipped("stale"))])
                try await run("three", [("a", .succeeded(2)), (Spellings.korean.composed, .succeeded(3))])
                let newest: Set = ["a", Spellings.korean.composed]
                #expect(try await done(since: "three") == [])
                #expect(try await done(since: "two") == newest)
                #expect(try await done(since: "one") == newest.union(["c"]))
                for unknown in [nil, "elsewhere", "nothing"] {
                    #expect(try await done(since: unknown) == newest.union(["c"]), "since \(unknown ?? "ever")")
                }
                // The operations of the first run go.
                try await run("four", [("e", .succeeded(2))])
                #expect(try await done(since: "one") == newest.union(["c", "e"]))
                #expect(try await done(since: nil) == nil)
                try await run("five", [])
                #expect(try await done(since: "four") == nil, "as if they were not kept")
                #expect(try await done(since: "five") == [])
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `what deletes and replaces took away is kept after they succeeded`(kind: Kind) async throws {
        let live = Samples.lamp.applied
        let pictures = LivePictures(
            thumbnailURL: "https://images.example/thumb/352.png",
            images: [.init(id: 352, url: "https://images.example/352.png"), .init(id: nil, url: "/353.png")]
        )
        var delete = Samples.operation(.delete, "a")
        delete.work = .delete(.init(id: 5, live: live, livePictures: pictures))
        let wanted = FieldValue.images([.digest(Samples.digest(4))])
        let changes = [
            FieldChange(field: .images, kind: .change, base: nil, live: live[.images], manifest: wanted)
        ]
        func replace(_ values: ProductValues, _ live: ProductValues) -> PlannedOperation {
            var operation = Samples.operation(.replace, "b")
            let product = NewProduct(values: values, isProtected: true)
            operation.work = .replace(
                .init(id: 6, changes: changes, product: product, live: live, livePictures: pictures)
            )
            return operation
        }
        var desired = live
        desired[.images] = wanted
        // The name is shown, and the changed fields are kept.
        var (keptWanted, keptLive) = (ProductValues(), ProductValues(name: live.name))
        (keptWanted[.images], keptLive[.images]) = (wanted, live[.images])
        let kept = [delete, replace(keptWanted, keptLive)]
        try await kind.test { backend in
            try await backend.holding(scope, for: "apply") { (state) async throws in
                try await state.begin(Samples.run(run.rawValue), operations: [delete, replace(desired, live)])
                for sequence in 0..<2 { _ = try await state.record(fact(1, .succeeded(nil), of: sequence)) }
                try await state.finish(run, totals: RunTotals(), interrupted: false)
                let operations = try await state.operations(of: run).map(\.operation)
                #expect(operations.first == delete)
                guard kind == .file else { return }
                #expect(operations == kept)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `of old runs the line stays, and the operations while one is unresolved`(kind: Kind) async throws {
        try await kind.test(keptRuns: 2) { backend in
            try await backend.holding(scope, for: "apply") { (state) async throws in
                for number in 1...4 {
                    let id = RunID(rawValue: "run-\(number)")
                    let operations = [Samples.operation(.update, "key", id: 5)]
                    try await state.begin(Samples.run(id.rawValue), operations: operations)
                    let outcome = number == 1 ? JournalEvent.Fact.unknown(.update, "lost") : .succeeded(5)
                    _ = try await state.record(fact(1, outcome, run: id))
                    try await state.finish(id, totals: RunTotals(), interrupted: false)
                }
                #expect(try await state.runs(limit: .max).map(\.operations) == [1, 1, 0, 1])
                #expect(try await state.unresolved().map(\.run.rawValue) == ["run-1"])
            }
        }
    }
}

private let run = RunID(rawValue: "20261121T093000Z-4f2a91")

private func fact(
    _ number: Int,
    _ fact: JournalEvent.Fact,
    of sequence: Int = 0,
    run: RunID = run,
    mutations: [StateMutation] = []
) -> JournalEvent {
    JournalEvent(run: run, sequence: sequence, number: number, fact: fact, mutations: mutations)
}

/// Expects a failure of a kind.
private func fails(
    _ code: StateError.Code,
    sourceLocation: Testing.SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    let error = await #expect(throws: StateError.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
}

extension StateEntry {
    fileprivate func listed(by file: String) -> StateEntry {
        var entry = self
        entry.origin = file
        return entry
    }
}
