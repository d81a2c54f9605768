@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketTestSupport
import Testing

/// Several sessions in one run, in PostgreSQL.
@Suite(.enabled(if: PostgreSQLServer.isAvailable, "no PostgreSQL server is installed"), .timeLimit(.minutes(3)))
struct PostgreSQLSharingTests {
    private let scope = Samples.staging
    private let chunks = [
        RunChunk(phase: 0, sequences: [0, 2]), RunChunk(phase: 0, sequences: [1]),
        RunChunk(phase: 1, sequences: [3, 4]),
    ]

    private func operations() -> [PlannedOperation] {
        (0..<5).map { Samples.operation(.create, "key-\($0)") }
    }

    private func chunk(_ claim: RunClaim) throws -> ClaimedChunk {
        guard case .chunk(let chunk) = claim else { throw NoChunk(claim: "\(claim)") }
        return chunk
    }

    private struct NoChunk: Error {
        var claim: String
    }

    private func others(_ claim: RunClaim) -> Int? { if case .none(let others) = claim { others } else { nil } }

    private func waits(_ claim: RunClaim) -> Bool { if case .wait = claim { true } else { false } }

    /// The server's statistics know the first run, and of the second one that there is none.
    @Test func `a run that the server's statistics do not know is as fast as the one before`() async throws {
        let (server, schema, count) = (try await PostgreSQLServer.shared, String.fresh, 1000)
        let state = try PostgreSQLState(StateLocation(server.url(schema: schema)))
        let session = try await state.hold(scope, for: "apply", waiting: .zero)
        let operations = (0..<count).map { Samples.operation(.create, "key-\($0)") }
        let chunks = stride(from: 0, to: count, by: 250).map {
            RunChunk(phase: 0, sequences: Array($0..<$0 + 250))
        }
        for name in ["first", "second"] {
            let run = RunID(rawValue: name)
            try await session.begin(Samples.run(name), operations: operations, chunks: chunks)
            for _ in chunks {
                let chunk = try chunk(await session.claim())
                for fact in [JournalEvent.Fact.sent(.create, highWater: nil), .succeeded(1)] {
                    let events = chunk.operations.map { operation in
                        let number = fact == .succeeded(1) ? 2 : 1
                        return JournalEvent(run: run, sequence: operation.sequence, number: number, fact: fact)
                    }
                    _ = try await session.record(events)
                }
                try await session.finish(chunk.number, as: .final)
            }
            #expect(try await others(session.claim()) == 0)
            #expect(
                try await session.operations(of: run, troublesFirst: 5).map(\.status)
                    == Array(repeating: .succeeded, count: 5)
            )
            try await session.finish(run, totals: RunTotals(), interrupted: false)
            try await server.sql("ANALYZE")
        }
        await session.close()
    }

    @Test func `the lowest rate that a session was given holds for all sessions of the run`() async throws {
        let state = try PostgreSQLState(StateLocation(await PostgreSQLServer.shared.url(schema: .fresh)))
        let run = RunID(rawValue: "r")
        let first = try await state.hold(scope, for: "apply", waiting: .zero)
        try await first.begin(Samples.run("r"), operations: operations(), chunks: chunks)
        try await first.order(.limit(.milliseconds(200)), in: run)
        let second = try #require(try await state.join(scope, for: "work"))
        let sequence = try chunk(await second.claim()).operations[0].sequence
        func orders(to session: any StateSession, _ number: Int, _ fact: JournalEvent.Fact) async throws
            -> StateDirectives
        {
            try await session.record(JournalEvent(run: run, sequence: sequence, number: number, fact: fact))
        }
        let sent = try await orders(to: second, 1, .sent(.create, highWater: nil))
        #expect(sent.peers == 2 && sent.interval == .milliseconds(200))
        try await second.order(.limit(.milliseconds(500)), in: run)
        try await first.order(.limit(.microseconds(10)), in: run)
        #expect(try await orders(to: second, 2, .succeeded(1)).interval == .milliseconds(500))
        await second.close()
        await first.close()
    }

    @Test func `sessions claim chunks phase by phase, and the last one to leave closes the run`() async throws {
        let (server, schema) = (try await PostgreSQLServer.shared, String.fresh)
        let state = try PostgreSQLState(StateLocation(server.url(schema: schema)))
        #expect(try await state.join(scope, for: "work") == nil)
        let first = try await state.hold(scope, for: "apply", waiting: .zero)
        #expect(first.sharesRuns)
        #expect(first.takeoverDelay == .seconds(20))
        try await first.begin(Samples.run("alone"), operations: operations())
        #expect(try await state.join(scope, for: "work") == nil, "a run without chunks is one session's")
        try await first.finish(RunID(rawValue: "alone"), totals: RunTotals(), interrupted: false)
        try await first.begin(Samples.run("r"), operations: operations(), chunks: chunks)
        let second = try #require(try await state.join(scope, for: "work"))
        #expect(try await second.lease.number > first.lease.number)

        let one = try chunk(await first.claim())
        #expect((one.number, one.phase, one.isTakenOver) == (0, 0, false))
        #expect(one.operations.map(\.sequence) == [0, 2])
        #expect(one.operations.map(\.operation) == [0, 2].map { operations()[$0] })
        let two = try chunk(await second.claim())
        #expect(two.number == 1)
        #expect(try await waits(first.claim()))

        _ = try await second.record(event(1, 1, .unknown(.create, "lost")))
        #expect(try await first.record(event(0, 1, .sent(.create, highWater: 41))).peers == 2)
        _ = try await first.record(event(0, 2, .succeeded(193), [.put(Samples.lamp)]))
        _ = try await first.record(event(2, 1, .skipped("stale")))
        await #expect(throws: StateError.self, "a fact is one session's") {
            _ = try await second.record(event(2, 1, .failed("no")))
        }
        try await second.finish(1, as: .known)
        #expect(try await waits(second.claim()), "the next phase opens when all before it have an outcome")
        try await first.finish(0, as: .final)
        await #expect(throws: StateError.self) { try await second.finish(0, as: .final) }

        // A session that is over leaves its chunk to another one, with what it wrote.
        let three = try chunk(await second.claim())
        #expect((three.number, three.phase) == (2, 1))
        _ = try await second.record(event(3, 1, .sent(.create, highWater: 50)))
        try await server.sql(
            "UPDATE \(schema).sessions SET ended_at = clock_timestamp() WHERE id = \(second.lease.number)"
        )
        let taken = try chunk(await first.claim())
        #expect((taken.number, taken.isTakenOver) == (2, true))
        #expect(taken.operations.map(\.facts) == [1, 0])
        #expect(taken.operations.map(\.unresolved?.highWater) == [50, nil])
        await #expect(throws: StateError.self) { _ = try await second.record(event(3, 2, .succeeded(7))) }
        _ = try await first.record(event(3, 2, .succeeded(51)))
        try await first.finish(2, as: .returned)
        #expect(try await !chunk(first.claim()).isTakenOver)
        _ = try await first.record(event(4, 1, .failed("no")))
        try await first.finish(2, as: .final)
        #expect(try await chunk(first.claim()).number == 1, "with what its session left unknown")
        try await first.finish(1, as: .known)
        #expect(try await others(first.claim()) == 0)

        let under = try #require(try await state.reading(scope) { try await $0.runUnderWay() })
        #expect(under.record == Samples.run("r"))
        #expect(under.operations == 5)
        #expect(under.participants.map(\.command) == ["apply", "work"])
        #expect(under.participants.map { $0.endedAt == nil } == [true, false])

        let third = try #require(try await state.join(scope, for: "work"))
        var totals = RunTotals()
        totals.stale = 1
        try await first.finish(run, totals: totals, interrupted: false)
        #expect(try await state.reading(scope) { try await $0.runs(limit: 1) }.first?.finishedAt == nil)
        try await third.finish(run, totals: RunTotals(), interrupted: false)
        let summary = try #require(try await state.reading(scope) { try await $0.runs(limit: 1) }.first)
        #expect(summary.finishedAt != nil)
        totals.done = 2
        totals.failed = 1
        totals.unknown = 1
        #expect(summary.totals == totals)
        #expect(try await state.reading(scope) { try await $0.runUnderWay() } == nil)
        for session in [first, second, third] { await session.close() }
    }

    @Test func `what a lost session left unknown is settled by another one, and not what one that left did`()
        async throws
    {
        let (server, schema) = (try await PostgreSQLServer.shared, String.fresh)
        let state = try PostgreSQLState(StateLocation(server.url(schema: schema)))
        let first = try await state.hold(scope, for: "apply", waiting: .zero)
        let chunks = [RunChunk(phase: 1, sequences: [0, 1])]
        try await first.begin(Samples.run("r"), operations: operations(), chunks: chunks)
        let second = try #require(try await state.join(scope, for: "work"))
        _ = try chunk(await second.claim())
        _ = try await second.record(event(0, 1, .sent(.create, highWater: 41)))
        _ = try await second.record(event(0, 2, .unknown(.create, "lost")))
        _ = try await second.record(event(1, 1, .failed("no")))
        try await second.finish(0, as: .known)
        #expect(try await others(first.claim()) == 1, "its session settles it")

        try await server.sql(
            "UPDATE \(schema).sessions SET ended_at = clock_timestamp() WHERE id = \(second.lease.number)"
        )
        let taken = try chunk(await first.claim())
        #expect((taken.number, taken.phase, taken.isTakenOver) == (0, 1, true))
        #expect(taken.operations.map(\.unresolved?.highWater) == [41, nil])
        try await first.finish(0, as: .known)
        #expect(try await others(first.claim()) == 0)

        let third = try #require(try await state.join(scope, for: "work"))
        try await first.finish(run, totals: RunTotals(), interrupted: false)
        #expect(try await others(third.claim()) == 0)
        for session in [first, second, third] { await session.close() }
    }

    /// A lease may run out between the statement that ends sessions and the next one: here nothing can end this session.
    @Test func `what a session has is given away only once it is ended, not when its lease has run out`() async throws {
        let (server, schema) = (try await PostgreSQLServer.shared, String.fresh)
        let state = try PostgreSQLState(StateLocation(server.url(schema: schema, "&lease=600")))
        let first = try await state.hold(scope, for: "apply", waiting: .zero)
        let chunks = [RunChunk(phase: 0, sequences: [0]), RunChunk(phase: 1, sequences: [1])]
        try await first.begin(Samples.run("r"), operations: operations(), chunks: chunks)
        let second = try #require(try await state.join(scope, for: "work"))
        _ = try chunk(await first.claim())
        let number = try await first.lease.number
        for statement in [
            "CREATE FUNCTION \(schema).keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
            """
            CREATE TRIGGER kept BEFORE UPDATE ON \(schema).sessions FOR EACH ROW
            WHEN (NEW.id = \(number) AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION \(schema).keep()
            """,
            "UPDATE \(schema).sessions SET expires_at = clock_timestamp() - interval '1 s' WHERE id = \(number)",
        ] {
            try await server.sql(statement)
        }
        #expect(try await waits(second.claim()))
        _ = try await first.record(event(0, 1, .sent(.create, highWater: nil)))
        try await first.finish(0, as: .known)

        try await server.sql(
            "UPDATE \(schema).sessions SET expires_at = clock_timestamp() - interval '1 s' WHERE id = \(number)"
        )
        #expect(try await chunk(second.claim()).number == 1, "of a later phase, and not the one that is through")
        try await second.finish(1, as: .final)
        #expect(try await others(second.claim()) == 1)
        try await second.finish(run, totals: RunTotals(), interrupted: false)
        await second.close()
        try await server.sql(
            "UPDATE \(schema).sessions SET expires_at = clock_timestamp() - interval '1 s' WHERE ended_at IS NULL"
        )
        await #expect(throws: StateError.self) { _ = try await state.hold(scope, for: "apply", waiting: .zero) }
        #expect(try await state.reading(scope) { try await $0.runs(limit: 1) }.first?.finishedAt == nil)

        try await server.sql("DROP TRIGGER kept ON \(schema).sessions")
        let third = try await state.hold(scope, for: "apply", waiting: .zero)
        await #expect(throws: StateError.self) { _ = try await first.record(event(0, 2, .succeeded(7))) }
        await third.close()
        await first.close()
    }

    /// The server compares a chunk that another session took in the meantime with the sessions as they were before.
    @Test func `sessions that claim at the same moment get each chunk once`() async throws {
        let (server, schema, count) = (try await PostgreSQLServer.shared, String.fresh, 400)
        let state = try PostgreSQLState(StateLocation(server.url(schema: schema)))
        let first = try await state.hold(scope, for: "apply", waiting: .zero)
        try await first.begin(
            Samples.run("r"),
            operations: (0..<count).map { Samples.operation(.create, "key-\($0)") },
            chunks: (0..<count).map { RunChunk(phase: 0, sequences: [$0]) }
        )
        var sessions = [first]
        for _ in 1..<8 { sessions.append(try #require(try await state.join(scope, for: "work"))) }
        let claimed = try await withThrowingTaskGroup(of: [Int].self) { group in
            for session in sessions {
                group.addTask {
                    var numbers: [Int] = []
                    while case .chunk(let chunk) = try await session.claim() { numbers.append(chunk.number) }
                    return numbers
                }
            }
            return try await group.reduce(into: [Int]()) { $0 += $1 }
        }
        #expect(claimed.sorted() == Array(0..<count))
        for session in sessions { await session.close() }
    }

    @Test func `a session that is frozen in the middle of a change keeps no other one waiting`() async throws {
        let (server, schema) = (try await PostgreSQLServer.shared, String.fresh)
        let state = try PostgreSQLState(StateLocation(server.url(schema: schema, "&lease=600")))
        let first = try await state.hold(scope, for: "apply", waiting: .zero)
        try await first.begin(Samples.run("r"), operations: operations(), chunks: chunks)
        let second = try #require(try await state.join(scope, for: "work"))
        _ = try chunk(await first.claim())
        let number = try await first.lease.number
        try await server.sql(
            "UPDATE \(schema).sessions SET expires_at = clock_timestamp() - interval '1 s' WHERE id = \(number)"
        )
        try await server.locking("FROM \(schema).sessions WHERE id = \(number)") {
            // Of the two that are open the other session's stays its own.
            guard case .chunk(let chunk) = try await second.claim() else { throw NoChunk(claim: "none") }
            #expect(chunk.number == 1)
            #expect(try await second.record(event(1, 1, .sent(.create, highWater: nil))).peers == 1)
            await #expect(throws: StateError.self) { _ = try await state.hold(scope, for: "apply", waiting: .zero) }
        }
        try await second.finish(1, as: .known)
        let taken = try chunk(await second.claim())
        #expect((taken.number, taken.isTakenOver) == (0, true))
        for session in [first, second] { await session.close() }
    }

    @Test func `a change sees what was committed before it, and ends where its process does nothing`() async throws {
        let (server, schema) = (try await PostgreSQLServer.shared, String.fresh)
        let options = "&options=-c%20default_transaction_isolation%3Drepeatable%5C%20read"
        let state = try PostgreSQLState(StateLocation(server.url(schema: schema, "&lease=7" + options)))
        let session = try await state.hold(scope, for: "apply", waiting: .zero)
        try await session.begin(Samples.run("r"), operations: operations(), chunks: chunks)
        for statement in [
            "CREATE TABLE \(schema).seen (isolation text, idle text)",
            """
            CREATE FUNCTION \(schema).see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO \(schema).seen VALUES
                    (current_setting('transaction_isolation'), current_setting('idle_in_transaction_session_timeout'));
                RETURN NEW;
            END $$
            """,
            "CREATE TRIGGER seen BEFORE UPDATE ON \(schema).chunks FOR EACH ROW EXECUTE FUNCTION \(schema).see()",
            "CREATE TRIGGER seen BEFORE INSERT ON \(schema).sessions FOR EACH ROW EXECUTE FUNCTION \(schema).see()",
        ] {
            try await server.sql(statement)
        }
        _ = try chunk(await session.claim())
        let second = try #require(try await state.join(scope, for: "work"))
        #expect(try await server.sql("TABLE \(schema).seen") == ["read committed|7s", "read committed|30s"])
        for session in [session, second] { await session.close() }
    }

    @Test func `of calls that share a commit only the one that contradicts fails`() async throws {
        let (server, schema) = (try await PostgreSQLServer.shared, String.fresh)
        let state = try PostgreSQLState(StateLocation(server.url(schema: schema)))
        let first = try await state.hold(scope, for: "apply", waiting: .zero)
        try await first.apply([.put(Samples.lamp)])
        try await first.begin(Samples.run("r"), operations: operations(), chunks: chunks)
        let number = try await first.lease.number
        let thief = StateEntry(key: "another", id: Samples.lamp.id, applied: ProductValues())
        // While the first call waits for the session's row, the others gather behind it.
        let calls = try await server.locking("FROM \(schema).sessions WHERE id = \(number)") {
            let calls = (0..<5).map { sequence in
                Task {
                    let put: [StateMutation] = sequence == 2 ? [.put(thief)] : []
                    do {
                        _ = try await first.record(event(sequence, 1, .skipped("stale"), put))
                        return true
                    } catch is StateError {
                        return false
                    }
                }
            }
            for _ in 0..<100 { await Task.yield() }
            return calls
        }
        var isWritten: [Bool] = []
        for call in calls { isWritten.append(try await call.value) }
        #expect(isWritten == [true, true, false, true, true])
        let facts = try await server.sql("SELECT sequence FROM \(schema).events ORDER BY sequence")
        #expect(facts == ["0", "1", "3", "4"])
        await first.close()
    }

    @Test(.enabled(if: Python.isAvailable, "python3 is not installed"))
    func `four sessions whose connections break carry out each operation once, also of two that are gone`()
        async throws
    {
        let (server, schema, count) = (try await PostgreSQLServer.shared, String.fresh, 200)
        let operations = (0..<count).map { Samples.operation(.create, "key-\($0)") }
        let chunks = (0..<count / 5).map { RunChunk(phase: $0 % 2, sequences: Array($0 * 5..<$0 * 5 + 5)) }
        try await PostgreSQLProxy.running(before: server, .cut) { proxy in
            let state = try PostgreSQLState(StateLocation(proxy.url(schema: schema, "&lease=3")))
            let first = try await state.hold(scope, for: "apply", waiting: .zero)
            try await first.begin(Samples.run("r"), operations: operations, chunks: chunks)
            try await withThrowingTaskGroup { group in
                for worker in 0..<4 {
                    group.addTask {
                        let joined = worker == 0 ? first : try await state.join(scope, for: "work")
                        // A session that is dropped is not renewed any more.
                        try await work(#require(joined), leavingAfter: worker < 2 ? .max : 12 * worker)
                    }
                }
                try await group.waitForAll()
            }
            let summary = try #require(try await state.reading(scope) { try await $0.run(run) })
            #expect(summary.finishedAt != nil)
            #expect(summary.totals.done == count)
            #expect(try await state.reading(scope) { try await $0.entries().count } == count)
            let cuts = try proxy.cuts()
            #expect(cuts.count == 3, "\(cuts)")
        }
        // Each was sent once and ended once, whoever did it.
        let facts =
            "SELECT status, count(*), count(DISTINCT sequence) FROM \(schema).events GROUP BY status ORDER BY status"
        #expect(try await server.sql(facts) == ["sent|200|200", "succeeded|200|200"])
    }

    /// Carries out chunks until there are none, or until so many operations were sent.
    private func work(_ session: any StateSession, leavingAfter limit: Int) async throws {
        var sent = 0
        while true {
            switch try await session.claim() {
            case .wait: await Task.yield()
            case .none:
                try await session.finish(run, totals: RunTotals(), interrupted: false)
                await session.close()
                return
            case .chunk(let chunk):
                for operation in chunk.operations where operation.facts < 2 {
                    let sequence = operation.sequence
                    if operation.unresolved == nil {
                        _ = try await session.record(event(sequence, 1, .sent(.create, highWater: nil)))
                        sent += 1
                        if sent == limit { return }
                    }
                    let id = MarketID(Int64(1000 + sequence))
                    let entry = StateEntry(key: "key-\(sequence)", id: id, applied: ProductValues())
                    _ = try await session.record(event(sequence, 2, .succeeded(id), [.put(entry)]))
                }
                try await session.finish(chunk.number, as: .final)
            }
        }
    }

    @Test func `a stop reaches all sessions of a run, and what was not started is skipped`() async throws {
        let state = try PostgreSQLState(
            StateLocation(await PostgreSQLServer.shared.url(schema: .fresh, "&lease=2"))
        )
        let first = try await state.hold(scope, for: "apply", waiting: .zero)
        try await first.begin(Samples.run("r"), operations: operations(), chunks: chunks)
        let second = try #require(try await state.join(scope, for: "work"))
        _ = try chunk(await second.claim())
        try await second.order(.pause(.seconds(60)), in: run)
        #expect(try await second.record(event(0, 1, .sent(.create, highWater: nil))).pause > .seconds(50))
        try await first.order(.stop("interrupted"), in: run)
        try await first.order(.stop("another reason"), in: run)
        #expect(await first.waitForStop() == "interrupted")
        #expect(await second.waitForStop() == "interrupted")
        #expect(try await second.record(event(0, 2, .failed("not sent"))).stop == "interrupted")
        #expect(try await others(second.claim()) == 1)
        try await second.finish(run, totals: RunTotals(), interrupted: true)
        try await first.finish(run, totals: RunTotals(), interrupted: true)
        let operations = try await first.operations(of: run)
        #expect(operations.map(\.status) == [.failed, .skipped, .skipped, .skipped, .skipped])
        #expect(operations.last?.message == "not started: interrupted")
        await second.close()
        await first.close()
    }

    @Test func `a product that a session made after its end is written down by it, and dropped by a later one`()
        async throws
    {
        let state = try PostgreSQLState(
            StateLocation(await PostgreSQLServer.shared.url(schema: .fresh, "&lease=2")),
            keptRuns: 1
        )
        let first = try await state.hold(scope, for: "apply", waiting: .zero)
        try await first.begin(Samples.run("r"), operations: operations())
        _ = try await state.unlock(scope, force: true)
        for _ in 0..<2 { try await first.recordOrphan(77, of: 3, in: run) }
        try await first.recordOrphan(#require(MarketID(text: "a-17")), of: 4, in: run)
        let second = try await state.hold(scope, for: "apply", waiting: .seconds(60))
        for name in ["s", "t"] {
            try await second.begin(Samples.run(name), operations: operations())
            try await second.finish(RunID(rawValue: name), totals: RunTotals(), interrupted: false)
        }
        let orphan = OrphanedProduct(id: 77, run: run, sequence: 3, operation: operations()[3])
        #expect(try await second.orphans().first == orphan)
        #expect(try await second.orphans().map(\.id) == [77, MarketID(text: "a-17")])
        try await second.dropOrphans([77])
        #expect(try await second.orphans().map(\.id) == [MarketID(text: "a-17")])
        await second.close()
        await first.close()
    }
}

private let run = RunID(rawValue: "r")

private func event(
    _ sequence: Int,
    _ number: Int,
    _ fact: JournalEvent.Fact,
    _ mutations: [StateMutation] = []
) -> JournalEvent {
    JournalEvent(run: run, sequence: sequence, number: number, fact: fact, mutations: mutations)
}
