import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketState

extension String {
    /// The name of a schema that no other test has.
    static var fresh: String { "test_" + UUID().uuidString.prefix(8).lowercased() }
}

/// What is PostgreSQL's own, beside ``ConformanceTests``.
@Suite(.enabled(if: PostgreSQLServer.isAvailable, "no PostgreSQL server is installed"), .timeLimit(.minutes(3)))
struct PostgreSQLTests {
    private let scope = Samples.staging

    private func state(_ schema: String = .fresh, lease: Int = 30) async throws -> PostgreSQLState {
        try PostgreSQLState(StateLocation(await PostgreSQLServer.shared.url(schema: schema, "&lease=\(lease)")))
    }

    /// A state whose tables have one step more than any released one.
    private func newer(_ url: String) throws -> PostgreSQLState {
        var state = try PostgreSQLState(StateLocation(url))
        state.settings.tables.steps.append {
            ["ALTER TABLE \($0.entries) ADD COLUMN color text;", "UPDATE \($0.entries) SET stock = stock + 1;"]
        }
        return state
    }

    private func operations(_ count: Int) -> [PlannedOperation] {
        (0..<count).map { Samples.operation(.create, "key-\($0)") }
    }

    /// Waits until something is so.
    private func until(_ isSo: () async throws -> Bool) async throws {
        while try await !isSo() { await Task.yield() }
    }

    // MARK: - Opening

    @Test func `texts with NUL are kept without it`() async throws {
        let state = try await state()
        try await state.holding(scope, for: "test") { (session) async throws in
            var entry = Samples.lamp
            entry.applied.name = "a\0b"
            try await session.begin(Samples.run("r"), operations: [Samples.operation(.create, "desk-lamp")])
            let facts: [JournalEvent.Fact] = [.sent(.create, highWater: nil), .failed("no\0 {\"x\\\\y\"} \n NULL")]
            for (index, fact) in facts.enumerated() {
                _ = try await session.record(event(index + 1, fact, mutations: [.put(entry)]))
            }
            #expect(try await session.entry("desk-lamp")?.applied.name == "a\u{FFFD}b")
            let operations = try await session.operations(of: run)
            #expect(operations.map(\.message) == ["no\u{FFFD} {\"x\\\\y\"} \n NULL"])
        }
    }

    @Test func `ids that are texts are kept as they are, and a product has one key`() async throws {
        let ids = ["a-17", "17", "\"", "a\\", "{}", "é", "'", "NULL"].compactMap(MarketID.init(text:)) + [17]
        let state = try await state()
        try await state.holding(scope, for: "test") { (session) async throws in
            let entries = ids.enumerated().map { StateEntry(key: "k\($0)", id: $1, applied: ProductValues()) }
            try await session.apply(entries.map { .put($0) })
            #expect(try await Set(session.entries().map(\.id)) == Set(ids))
            let keys = try await session.keys()
            #expect(ids.map { keys[$0] } == entries.map(\.key))
            // From one key to another within one statement.
            try await session.apply([
                .put(StateEntry(key: "new", id: 17, applied: ProductValues())), .remove(key: "k8"),
            ])
            let error = await #expect(throws: StateError.self) {
                try await session.apply([.put(StateEntry(key: "second", id: 17, applied: ProductValues()))])
            }
            #expect(error?.code == .taken)
            #expect(try await session.keys()[17] == "new")
        }
    }

    @Test func `an administrator's SQL makes what the first session makes, after which rows are enough`() async throws {
        let server = try await PostgreSQLServer.shared
        let (own, made) = (String.fresh, String.fresh)
        try await server.sql(#require(PostgreSQLState(StateLocation(server.url(schema: made))).definition))
        try await server.sql(
            """
            CREATE ROLE \(made) LOGIN;
            GRANT USAGE ON SCHEMA \(made) TO \(made);
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(made) TO \(made)
            """
        )
        try await state(own).holding(scope, for: "test") { try await $0.apply([.put(Samples.lamp)]) }
        let columns = """
            SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
            WHERE table_schema =
            """
        let order = "ORDER BY table_name, ordinal_position"
        #expect(try await server.sql("\(columns) '\(own)' \(order)") == server.sql("\(columns) '\(made)' \(order)"))

        let nowhere = server.url(schema: .fresh).replacing("openmarket@", with: "\(made)@")
        let refused = await #expect(throws: StateError.self) {
            _ = try await PostgreSQLState(StateLocation(nowhere)).hold(scope, for: "test", waiting: .zero)
        }
        #expect(refused?.code == .readOnly)
        #expect(refused?.message.contains("An administrator creates them once") == true)
        let url = server.url(schema: made).replacing("openmarket@", with: "\(made)@")
        let limited = try PostgreSQLState(StateLocation(url), keptRuns: 1)
        try await limited.holding(scope, for: "test") { (session) async throws in
            for name in ["one", "two"] {
                let id = RunID(rawValue: name)
                try await session.begin(Samples.run(name), operations: operations(3))
                _ = try await session.record(
                    JournalEvent(
                        run: id,
                        sequence: 0,
                        number: 1,
                        fact: .succeeded(193),
                        mutations: [.put(Samples.lamp), .vendor(2)]
                    )
                )
                try await session.finish(id, totals: RunTotals(), interrupted: false)
            }
            #expect(try await session.runs(limit: 9).map(\.operations) == [3, 0])
        }
        #expect(try await server.sql("SELECT count(*) FROM \(made).events") == ["1"])
    }

    @Test func `older tables are upgraded by whoever may, with all that they hold`() async throws {
        let server = try await PostgreSQLServer.shared
        let (schema, account) = (String.fresh, String.fresh)
        let state = try await state(schema)
        try await state.holding(scope, for: "test") { try await $0.apply([.put(Samples.lamp)]) }
        try await server.sql(
            """
            DROP FUNCTION \(schema).record, \(schema).add_facts, \(schema).change_entries;
            CREATE ROLE \(account) LOGIN;
            GRANT USAGE ON SCHEMA \(schema) TO \(account);
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(account)
            """
        )
        let url = server.url(schema: schema)
        let (next, limited) = (try newer(url), try newer(url.replacing("openmarket@", with: "\(account)@")))
        let version = "SELECT string_agg(schema_version::text, ' ') FROM \(schema).version"
        let refused = await #expect(throws: StateError.self) {
            _ = try await limited.hold(scope, for: "test", waiting: .zero)
        }
        #expect(refused?.code == .readOnly)
        #expect(refused?.message.contains("An administrator does with `openmarket state init`") == true)
        #expect(try await server.sql(version) == ["\(state.settings.tables.version)"])

        // Of two at the same time one upgrades.
        async let first: Void = next.prepare()
        async let second: Void = next.prepare()
        _ = try await (first, second)
        #expect(try await server.sql(version) == ["\(next.settings.tables.version)"])
        var lamp = Samples.lamp
        lamp.applied.stock = 13
        try await limited.holding(scope, for: "test") { [lamp] (session) async throws in
            #expect(try await session.entries() == [lamp])
            try await session.apply([.remove(key: lamp.key)])
            #expect(try await session.entries().isEmpty)
        }
        let older = await #expect(throws: StateError.self) { try await state.prepare() }
        #expect(older?.code == .otherVersion)
    }

    @Test func `a server that may lose what it confirms is refused, and tables of a newer version`() async throws {
        try await PostgreSQLServer.running { server in
            let schema = String.fresh
            let state = try PostgreSQLState(StateLocation(server.url(schema: schema)))
            func refusal() async -> StateError? {
                await #expect(throws: StateError.self) { try await state.holding(scope, for: "test") { _ in } }
            }
            try await server.sql("ALTER ROLE openmarket SET synchronous_commit = off")
            #expect(await refusal()?.message.contains("synchronous_commit = off") == true)
            try await server.sql("ALTER ROLE openmarket RESET synchronous_commit")
            try await state.holding(scope, for: "test") { try await $0.apply([.put(Samples.lamp)]) }
            try await server.sql("UPDATE \(schema).version SET schema_version = schema_version + 1")
            #expect(await refusal()?.code == .otherVersion)
            let reading = await #expect(throws: StateError.self) {
                try await state.reading(scope) { (reader) async throws in _ = try await reader.snapshot() }
            }
            #expect(reading?.code == .otherVersion)
            let joining = await #expect(throws: StateError.self) { _ = try await state.join(scope, for: "work") }
            #expect(joining?.code == .otherVersion)
            for force in [false, true] {
                let unlocking = await #expect(throws: StateError.self) {
                    _ = try await state.unlock(scope, force: force)
                }
                #expect(unlocking?.code == .otherVersion)
            }
            try await server.sql("UPDATE \(schema).version SET schema_version = schema_version - 1")
            #expect(try await state.reading(scope) { try await $0.entries() } == [Samples.lamp])
            try await server.crash()
            try await server.start(["fsync=off"])
            #expect(await refusal()?.message.contains("fsync = off") == true)
        }
    }

    // MARK: - Commits whose answer is lost

    @Test(.enabled(if: Python.isAvailable, "python3 is not installed"))
    func `of 600 commits of which many break off, none is lost or doubled`() async throws {
        let server = try await PostgreSQLServer.shared
        let schema = String.fresh
        try await PostgreSQLProxy.running(before: server, .cut) { proxy in
            let state = try PostgreSQLState(StateLocation(proxy.url(schema: schema)))
            try await state.holding(scope, for: "apply") { (session) async throws in
                try await session.begin(Samples.run(run.rawValue), operations: operations(600))
                for sequence in 0..<600 {
                    var entry = Samples.bare
                    entry.key = "key-\(sequence)"
                    entry.id = MarketID(Int64(1000 + sequence))
                    let fact = event(1, .succeeded(entry.id), of: sequence, mutations: [.put(entry)])
                    #expect(try await session.record(fact).stop == nil)
                }
                #expect(try await session.keys().newest(1000).count == 600)
                #expect(try await session.operations(of: run).allSatisfy { $0.status == .succeeded })
            }
            let cuts = try proxy.cuts()
            #expect(cuts.values.reduce(0, +) >= 200, "\(cuts)")
            #expect(cuts.count == 3)
        }
        // One change to begin with, and one for each fact.
        #expect(try await server.sql("SELECT max(batch) FROM \(schema).sessions") == ["601"])
        #expect(try await server.sql("SELECT count(*) FROM \(schema).events") == ["600"])
    }

    @Test func `a server that is killed and started again takes up where it was`() async throws {
        try await PostgreSQLServer.running { server in
            let state = try PostgreSQLState(StateLocation(server.url(schema: .fresh)))
            try await state.holding(scope, for: "apply") { (session) async throws in
                try await session.begin(Samples.run(run.rawValue), operations: operations(400))
                let written = Written()
                try await withThrowingTaskGroup { group in
                    for worker in 0..<4 {
                        group.addTask {
                            for sequence in stride(from: worker, to: 400, by: 4) {
                                _ = try await session.record(event(1, .sent(.create, highWater: 7), of: sequence))
                                written.count.withLock { $0 += 1 }
                            }
                        }
                    }
                    for crash in 1...2 {
                        try await until { written.count.withLock { $0 } >= crash * 100 }
                        try await server.crash()
                        try await server.start()
                    }
                    try await group.waitForAll()
                }
                #expect(try await session.operations(of: run).allSatisfy { $0.status == .sent })
            }
        }
    }

    @Test func `a commit that the server warns of ends the session`() async throws {
        try await PostgreSQLServer.running { server in
            let state = try PostgreSQLState(StateLocation(server.url(schema: .fresh)))
            let session = try await state.hold(scope, for: "apply", waiting: .zero)
            try await server.sql("ALTER SYSTEM SET synchronous_standby_names = 'missing'")
            try await server.sql("SELECT pg_reload_conf()")
            async let write: Void = session.apply([.put(Samples.lamp)])
            try await until {
                try await server.sql(
                    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                ) == ["t"]
            }
            do {
                try await write
                Issue.record("it was taken for written")
            } catch let error as StateError {
                #expect(error.code == .io)
                #expect(error.message.contains("synchronous replication"), "\(error)")
            }
            #expect(session.timeToSend == .zero)
            // Also where the server warns of nothing any more.
            try await server.sql("ALTER SYSTEM RESET synchronous_standby_names")
            try await server.sql("SELECT pg_reload_conf()")
            for _ in 1...2 {
                await #expect(throws: StateError.self) { try await session.apply([.put(Samples.bare)]) }
            }
            await session.close()
        }
    }

    @Test(arguments: [true, false])
    func `a standby takes over, and what it does not have ends the session`(isSynchronous: Bool) async throws {
        try await PostgreSQLServer.running { server in
            let standby = try await server.standby()
            let schema = String.fresh
            let url = server.url(schema: schema).replacing(server.folder, with: "\(server.folder),\(standby.folder)")
            let state = try PostgreSQLState(StateLocation(url))
            let session = try await state.hold(scope, for: "apply", waiting: .zero)
            try await session.begin(Samples.run(run.rawValue), operations: operations(20))
            if isSynchronous {
                try await server.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
                try await server.sql("SELECT pg_reload_conf()")
                try await until { try await server.sql("SELECT sync_state FROM pg_stat_replication") == ["sync"] }
            } else {
                // It has the run, and nothing of what follows.
                let isThere = "SELECT replay_lsn = pg_current_wal_lsn() FROM pg_stat_replication"
                try await until { try await server.sql(isThere) == ["t"] }
                try await standby.sql("ALTER SYSTEM SET primary_conninfo = ''")
                try await standby.sql("SELECT pg_reload_conf()")
                try await until { try await server.sql("SELECT count(*) FROM pg_stat_replication") == ["0"] }
            }
            for sequence in 0..<10 {
                _ = try await session.record(event(1, .sent(.create, highWater: nil), of: sequence))
            }
            try await server.crash()
            try await standby.promote()
            func goOn() async throws {
                for sequence in 10..<20 {
                    _ = try await session.record(event(1, .sent(.create, highWater: nil), of: sequence))
                }
            }
            if isSynchronous {
                try await goOn()
                #expect(try await session.operations(of: run).allSatisfy { $0.status == .sent })
                #expect(try await standby.sql("SELECT batch FROM \(schema).sessions") == ["21"])
            } else {
                let error = await #expect(throws: StateError.self) { try await goOn() }
                #expect(error?.code == .io)
                #expect(
                    error?.message.contains("lost data that it acknowledged") == true,
                    "\(String(describing: error))"
                )
                #expect(session.timeToSend == .zero)
                #expect(try await standby.sql("SELECT count(*) FROM \(schema).events") == ["0"])
            }
            await session.close()
        }
    }

    @Test func `a database that was put back to an earlier moment ends the session`() async throws {
        let (server, schema) = (try await PostgreSQLServer.shared, String.fresh)
        let session = try await state(schema, lease: 2).hold(scope, for: "apply", waiting: .zero)
        try await session.apply([.put(Samples.lamp)])
        try await server.sql("UPDATE \(schema).sessions SET batch = 0")
        let reason = await session.waitForStop()
        #expect(reason?.contains("lost data that it acknowledged") == true)
        let error = await #expect(throws: StateError.self) { try await session.apply([.remove(key: "desk-lamp")]) }
        #expect(error?.code == .io)
        await session.close()
    }

    // MARK: - Leases

    @Test func `a session renews itself, and is fenced by force only`() async throws {
        let state = try await state(lease: 2)
        let first = try await state.hold(scope, for: "apply", waiting: .zero)
        let lease = try await first.lease
        #expect(try #require(first.timeToSend) <= .milliseconds(1334))
        // Renewed without being used.
        try await until { try await first.lease.deadline != lease.deadline }
        let locked = await #expect(throws: StateError.self) { try await state.unlock(scope, force: false) }
        #expect(locked?.code == .locked)

        let holder = try #require(try await state.unlock(scope, force: true))
        #expect(holder.contains("apply") && holder.contains("session \(lease.number)"))
        #expect(await first.waitForStop()?.contains("session \(lease.number)") == true)
        #expect(first.timeToSend == .zero)
        let superseded = await #expect(throws: StateError.self) { try await first.apply([.put(Samples.lamp)]) }
        #expect(superseded?.code == .superseded)

        let second = try await state.hold(scope, for: "apply", waiting: .seconds(60))
        #expect(try await second.lease.number > lease.number)
        try await second.apply([.put(Samples.bare)])
        await first.close()
        try await second.apply([.put(Samples.empty)])
        #expect(try await second.entries() == [Samples.bare, Samples.empty])
        await second.close()
    }

    @Test func `a place is free only when what a session that was ended sent cannot be under way`() async throws {
        let state = try await state()
        let first = try await state.hold(scope, for: "apply", waiting: .zero)
        #expect(try await state.unlock(scope, force: true) != nil)
        #expect(try await state.unlock(scope, force: true) == nil)
        let error = await #expect(throws: StateError.self) {
            _ = try await state.hold(scope, for: "apply", waiting: .zero)
        }
        #expect(error?.message.contains("under way for") == true)
        await first.close()
    }

    @Test func `a server's clock that jumps ends sessions, or keeps a place until that is ended by force`() async throws
    {
        let (server, schema) = (try await PostgreSQLServer.shared, String.fresh)
        let url = server.url(schema: schema, "&lease=2").replacing("openmarket@", with: "\(schema)@")
        let state = try PostgreSQLState(StateLocation(url))
        try await server.sql("CREATE ROLE \(schema) SUPERUSER LOGIN")
        /// Shifts the clock for those who connect from now on.
        func jump(_ interval: String) async throws {
            let name = String.fresh
            try await server.sql(
                """
                CREATE SCHEMA \(name);
                CREATE FUNCTION \(name).clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
                    AS $$ SELECT pg_catalog.clock_timestamp() + interval '\(interval)' $$;
                ALTER ROLE \(schema) SET search_path = \(name), pg_catalog
                """
            )
        }
        let first = try await state.hold(scope, for: "apply", waiting: .zero)
        let lease = try await first.lease
        // It connects for its first renewal; one that connected after the jump would be renewed by the other clock.
        try await until { try await first.lease.deadline != lease.deadline }
        try await jump("1 hour")
        // A session that is being renewed just then is not ended at the first attempt.
        let second = try await state.hold(scope, for: "apply", waiting: .seconds(60))
        let error = await #expect(throws: StateError.self) { try await first.apply([.put(Samples.lamp)]) }
        #expect(error?.code == .superseded)
        try await second.apply([.put(Samples.bare)])
        try await jump("-1 hour")
        let locked = await #expect(throws: StateError.self) {
            _ = try await state.hold(scope, for: "apply", waiting: .zero)
        }
        #expect(locked?.message.contains("since ") == true)
        #expect(try await state.unlock(scope, force: true) != nil)
        let third = try await state.hold(scope, for: "apply", waiting: .seconds(60))
        #expect(try await third.entries() == [Samples.bare])
        for session in [first, second, third] { await session.close() }
    }

    @Test func `a run that another session orders to stop is stopped, and still writes down what becomes of it`()
        async throws
    {
        let (server, schema) = (try await PostgreSQLServer.shared, String.fresh)
        try await state(schema, lease: 2).holding(scope, for: "apply") { (session) async throws in
            try await session.begin(Samples.run(run.rawValue), operations: operations(1))
            let waiting = Task { await session.waitForStop() }
            try await server.sql("UPDATE \(schema).runs SET stop = 'maintenance'")
            #expect(await waiting.value == "maintenance")
            #expect(try await session.record(event(1, .sent(.create, highWater: nil))).stop == "maintenance")
            #expect(try await session.record(event(2, .failed("not sent"))).stop == "maintenance")
        }
    }

    @Test func `waiting for orders ends with its task`() async throws {
        try await state().holding(scope, for: "apply") { (session) async throws in
            let waiting = Task { await session.waitForStop() }
            waiting.cancel()
            #expect(await waiting.value == nil)
        }
    }

    @Test(.enabled(if: Python.isAvailable, "python3 is not installed"))
    func `a database that does not answer ends the session at its deadline, and its place is free behind it`()
        async throws
    {
        let server = try await PostgreSQLServer.shared
        let schema = String.fresh
        try await PostgreSQLProxy.running(before: server, .silence) { proxy in
            let state = try PostgreSQLState(StateLocation(proxy.url(schema: schema, "&lease=2")))
            let session = try await state.hold(scope, for: "apply", waiting: .zero)
            try proxy.silence(true)
            #expect(await session.waitForStop()?.contains("does not answer") == true)
            #expect(session.timeToSend == .zero)
            let error = await #expect(throws: StateError.self) { try await session.apply([.put(Samples.lamp)]) }
            #expect(error?.code == .io)
            let next = try await self.state(schema, lease: 2).hold(scope, for: "apply", waiting: .seconds(60))
            try proxy.silence(false)
            await #expect(throws: StateError.self) { try await session.apply([.put(Samples.lamp)]) }
            #expect(try await next.entries().isEmpty)
            await next.close()
            await session.close()
        }
    }

    @Test func `who waits hears who has the market, since when and how far that is`() async throws {
        let state = try await state()
        try await state.holding(scope, for: "apply") { (session) async throws in
            try await session.begin(Samples.run(run.rawValue), operations: operations(3))
            _ = try await session.record(event(1, .succeeded(1)))
            _ = try await session.record(event(1, .sent(.create, highWater: nil), of: 1))
            let error = await #expect(throws: StateError.self) {
                _ = try await state.hold(scope, for: "state move", waiting: .zero)
            }
            #expect(error?.message.contains("1 of 3 operations of run r done") == true, "\(String(describing: error))")
            #expect(error?.message.contains("process \(ProcessInfo.processInfo.processIdentifier) on ") == true)
        }
    }
}

/// How much is written so far.
private final class Written: Sendable {
    let count = Mutex(0)
}

private let run = RunID(rawValue: "r")

private func event(
    _ number: Int,
    _ fact: JournalEvent.Fact,
    of sequence: Int = 0,
    mutations: [StateMutation] = []
) -> JournalEvent {
    JournalEvent(run: run, sequence: sequence, number: number, fact: fact, mutations: mutations)
}
