import FoundationEssentials
import GRDB
import OpenMarket
import OpenMarketTestSupport
import OpenMarketWorkflow
import Testing

@testable import OpenMarketState

/// A key has one spelling in a state, also in one that an older version wrote.
@Suite(.timeLimit(.minutes(1)))
struct StateSpellingTests: ~Copyable {
    let directory = try! TemporaryDirectory()
    var path: String { directory.path + "/state.db" }

    /// Writes a file of the last version that knew keys by their bytes: what it knows of some markets, in that order.
    private func writeOld(
        _ path: String,
        _ markets: [(MarketScope, [StateEntry])],
        further: (Database) throws -> Void = { _ in }
    ) throws {
        let queue = try DatabaseQueue(path: path)
        try StateSchema(steps: Array(StateSchema.current.steps.prefix(2))).migrator.migrate(queue)
        try queue.write { db in
            for (scope, entries) in markets {
                let id = try db.addScope(scope)
                for entry in entries { try EntryRow.write(entry, scope: id, in: db) }
            }
            try further(db)
        }
        try queue.close()
    }

    private static func entry(_ key: String, _ id: Int64, name: String? = nil) -> StateEntry {
        StateEntry(key: key, id: ProductID(id), applied: ProductValues(name: name))
    }

    /// Writes an old state, in the order given, and opens it as this version does.
    private func migrated(_ entries: [StateEntry], file: String = "state.db") async throws -> StateStore {
        let path = directory.path + "/" + file
        let lock = try await StateLock.acquire(path, command: "test")
        try writeOld(path, [(Samples.staging, entries)])
        // What only reads sees the same as what migrates.
        let reading = try StateStore.reading(path, scope: Samples.staging)
        let seen = try reading.snapshot().entries
        reading.closeFile()
        let store = try StateStore.writing(path, scope: Samples.staging, lock: lock)
        #expect(try store.snapshot().entries == seen)
        #expect(try await store.entries().count == seen.count)
        return store
    }

    @Test(arguments: Spellings.all)
    func `a migration spells every key in composed form`(spellings: Spellings) async throws {
        let store = try await migrated([Self.entry(spellings.decomposed, 1), Self.entry("plain", 2)])
        #expect(
            try store.snapshot().entries == [
                spellings.composed: Self.entry(spellings.composed, 1), "plain": Self.entry("plain", 2),
            ]
        )
        #expect(FileManager.default.fileExists(atPath: path + ".before-v3"))
    }

    @Test(arguments: Spellings.all)
    func `two spellings of one product's key become one, as it was written last`(spellings: Spellings) async throws {
        for (file, both) in [("a.db", spellings.both), ("b.db", spellings.both.reversed())] {
            let entries = [Self.entry(both[0], 1, name: "before"), Self.entry(both[1], 1, name: "after")]
            let store = try await migrated(entries, file: file)
            #expect(
                try store.snapshot().entries == [
                    spellings.composed: Self.entry(spellings.composed, 1, name: "after")
                ]
            )
        }
    }

    @Test(arguments: Spellings.all)
    func `of two products the one written last keeps the key, and the other is set aside and protected`(
        spellings: Spellings
    ) async throws {
        for (file, both) in [("a.db", spellings.both), ("b.db", spellings.both.reversed())] {
            let entries = [Self.entry(both[0], 1), Self.entry("plain", 3), Self.entry(both[1], 2)]
            let store = try await migrated(entries, file: file)
            var aside = Self.entry("\(spellings.composed) (product 1, another spelling)", 1)
            aside.isProtected = true
            #expect(
                try store.snapshot().entries == [
                    spellings.composed: Self.entry(spellings.composed, 2), "plain": Self.entry("plain", 3),
                    aside.key: aside,
                ]
            )
            // Nothing but the user stops managing it.
            #expect(try store.forget(aside.key).id == 1)
        }
    }

    @Test func `another market's key of the same spelling has nothing to do with it`() async throws {
        let lock = try await StateLock.acquire(path, command: "test")
        let spellings = Spellings.korean
        try writeOld(
            path,
            [(Samples.staging, spellings.composed), (Samples.production, spellings.decomposed)].map {
                ($0, [Self.entry($1, 1)])
            }
        )
        for scope in [Samples.staging, Samples.production] {
            let store = try StateStore.writing(path, scope: scope, lock: lock)
            #expect(
                try store.snapshot().entries == [spellings.composed: Self.entry(spellings.composed, 1)]
            )
            store.closeFile()
        }
        lock.release()
    }

    @Test func `many keys are migrated, each to its own`() async throws {
        let entries = (0..<2_000).map { Self.entry("\(Spellings.korean.both[$0 % 2])-\($0 / 2)", Int64($0)) }
        let lock = try await StateLock.acquire(path, command: "test")
        try writeOld(path, [(Samples.staging, entries)])
        let store = try StateStore.writing(path, scope: Samples.staging, lock: lock)
        #expect(try store.snapshot().entries.count == 2_000)
        #expect(try store.entry("\(Spellings.korean.composed)-77")?.id == 155)
        store.closeFile()
        lock.release()
    }

    @Test(arguments: Spellings.all)
    func `an open operation of before is open under the composed key, and its history is there`(
        spellings: Spellings
    ) async throws {
        let lock = try await StateLock.acquire(path, command: "test")
        // As versions before 5 wrote them.
        let key = spellings.decomposed
        let operations = [
            (
                "create", #"{"action":"create","key":"\#(key)","reason":"new"}"#,
                #"{"desired":["text:Lamp",null,"number:1",null,null,null,null,null]}"#
            ),
            (
                "adopt", #"{"action":"adopt","id":1,"key":"\#(key)","reason":"ours"}"#,
                #"{"entry":{"key":"\#(key)","id":1,"name":"Lamp"}}"#
            ),
        ]
        try writeOld(path, [(Samples.staging, [Self.entry(spellings.decomposed, 1)])]) { db in
            try db.execute(
                sql:
                    "INSERT INTO runs (scope, id, started_at, tool, finished_at, interrupted) VALUES (1, 'r1', 1, 'x', 2, 1)"
            )
            for (sequence, (action, payload, details)) in operations.enumerated() {
                try db.execute(
                    sql: """
                        INSERT INTO operations (run, sequence, action, key, status, step, sent_at, payload)
                        VALUES (1, ?, ?, ?, 'sent', 'create', 1, ?)
                        """,
                    arguments: [sequence, action, key, payload]
                )
                try db.execute(
                    sql: "INSERT INTO details (run, sequence, details) VALUES (1, ?, ?)",
                    arguments: [sequence, details]
                )
            }
        }

        let store = try StateStore.writing(path, scope: Samples.staging, lock: lock)
        let open = try await store.unsettled().map(\.operation)
        #expect(open.map { ExactText($0.key) } == [ExactText(spellings.composed), ExactText(spellings.composed)])
        guard case .adopt(let entry, _) = open[1].work else {
            Issue.record("\(open[1])")
            return
        }
        #expect(entry.key.isExactly(spellings.composed))
        for spelling in spellings.both {
            #expect(try store.history(of: spelling).count == 2)
            let refused = #expect(throws: StateError.self) { try store.forget(spelling) }
            #expect(refused?.code == .unsettled)
        }
        store.closeFile()
        lock.release()
    }

    @Test(arguments: Spellings.all)
    func `every command finds a key in either spelling`(spellings: Spellings) async throws {
        let store = try await migrated([Self.entry(spellings.composed, 1)])
        for spelling in spellings.both {
            #expect(try store.entry(spelling)?.id == 1)
            #expect(Glob(spelling).matches(try await store.entries()[0].key))
        }
        try store.move(from: spellings.decomposed, to: "x-" + spellings.decomposed)
        #expect(try await store.entries().map { ExactText($0.key) } == [ExactText("x-" + spellings.composed)])
        // The same key is no other key.
        try store.move(from: "x-" + spellings.composed, to: "x-" + spellings.decomposed)
        #expect(try store.forget("x-" + spellings.decomposed).id == 1)
        #expect(try await store.entries() == [])
    }

    @Test(arguments: Spellings.all)
    func `a state goes out and in again, whichever way a line spells a key`(spellings: Spellings) async throws {
        let store = try await migrated([Self.entry(spellings.decomposed, 1), Self.entry("plain", 2)])
        var text = ""
        try await StateDocument.export(store) { text += $0 }
        #expect(text.contains(spellings.composed))
        let before = try await store.entries()
        for spelling in spellings.both {
            let line = text.replacing(spellings.composed, with: spelling)
            #expect(try await StateDocument.import(line, into: store, replacing: true) == 2)
            #expect(try await store.entries() == before)
        }
    }

    @Test(arguments: Spellings.all)
    func `lines of two spellings are one product, or a question`(spellings: Spellings) async throws {
        let store = try await migrated([Self.entry("plain", 9)])
        var header = ""
        try await StateDocument.export(store) { if header.isEmpty { header = $0 } }
        header = header.replacing("\"products\":1", with: "\"products\":2")
        func lines(_ ids: (Int, Int)) -> String {
            header + "{\"id\":\(ids.0),\"key\":\"\(spellings.decomposed)\"}\n"
                + "{\"id\":\(ids.1),\"key\":\"\(spellings.composed)\"}\n"
        }
        #expect(try await StateDocument.import(lines((7, 7)), into: store, replacing: true) == 1)
        #expect(try await store.entries() == [Self.entry(spellings.composed, 7)])
        let error = await #expect(throws: StateError.self) {
            try await StateDocument.import(lines((7, 8)), into: store, replacing: true)
        }
        #expect(error?.code == .input)
        #expect(
            error?.message == """
                line 3: the key "\(spellings.composed)" is there twice, in two spellings: as product 7 in line 2, and \
                as product 8 here; give the one that the manifest does not mean another key
                """
        )
        #expect(try await store.entries() == [Self.entry(spellings.composed, 7)])
    }
}
