import FoundationEssentials
import OpenMarket
import OpenMarketState
import OpenMarketTestSupport
import Testing

/// A key has one spelling in a state, also in one that an older version wrote.
@Suite(.timeLimit(.minutes(1)))
struct SpellingTests: ~Copyable {
    let directory = try! TemporaryDirectory()
    var path: String { directory.path + "/state.db" }

    /// The last schema that knew keys by their bytes.
    private static let old = StateSchema(steps: Array(StateSchema.current.steps.prefix(2)))

    private static func entry(_ key: String, _ id: Int64, name: String? = nil) -> StateEntry {
        StateEntry(key: key, id: ProductID(id), applied: ProductValues(name: name))
    }

    /// Writes an old state, in the order given, and opens it as this version does.
    private func migrated(_ entries: [StateEntry], file: String = "state.db") async throws -> StateStore {
        let path = directory.path + "/" + file
        let lock = try await StateLock.acquire(path, command: "test")
        let old = try StateStore.writing(path, scope: Samples.staging, lock: lock, schema: Self.old)
        for entry in entries { try old.apply([.put(entry)]) }
        try old.close()
        // What only reads sees the same as what migrates.
        let reading = try StateStore.reading(path, scope: Samples.staging)
        let seen = try reading.snapshot().entries
        try reading.close()
        let store = try StateStore.writing(path, scope: Samples.staging, lock: lock)
        #expect(try store.snapshot().entries == seen)
        #expect(try store.entries().count == seen.count)
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
        for (scope, key) in [(Samples.staging, spellings.composed), (Samples.production, spellings.decomposed)] {
            let old = try StateStore.writing(path, scope: scope, lock: lock, schema: Self.old)
            try old.apply([.put(Self.entry(key, 1))])
            try old.close()
        }
        for scope in [Samples.staging, Samples.production] {
            let store = try StateStore.writing(path, scope: scope, lock: lock)
            #expect(
                try store.snapshot().entries == [spellings.composed: Self.entry(spellings.composed, 1)]
            )
            try store.close()
        }
        lock.release()
    }

    @Test func `many keys are migrated, each to its own`() async throws {
        let entries = (0..<2_000).map { Self.entry("\(Spellings.korean.both[$0 % 2])-\($0 / 2)", Int64($0)) }
        let lock = try await StateLock.acquire(path, command: "test")
        let old = try StateStore.writing(path, scope: Samples.staging, lock: lock, schema: Self.old)
        try old.apply(entries.map { .put($0) })
        try old.close()
        let store = try StateStore.writing(path, scope: Samples.staging, lock: lock)
        #expect(try store.snapshot().entries.count == 2_000)
        #expect(try store.entry("\(Spellings.korean.composed)-77")?.id == 155)
        try store.close()
        lock.release()
    }

    @Test(arguments: Spellings.all)
    func `an open operation of before is open under the composed key, and its history is there`(
        spellings: Spellings
    ) async throws {
        let run = Samples.run("r1")
        let lock = try await StateLock.acquire(path, command: "test")
        let old = try StateStore.writing(path, scope: Samples.staging, lock: lock, schema: Self.old)
        try old.apply([.put(Self.entry(spellings.decomposed, 1))])
        let adopt = Samples.operation(.adopt, spellings.decomposed, id: 1)
        try await old.begin(run, operations: [Samples.operation(.create, spellings.decomposed), adopt])
        for sequence in 0...1 {
            try await old.record(
                JournalEvent(
                    run: run.id,
                    sequence: sequence,
                    at: Timestamp(milliseconds: 1),
                    fact: .sent(.create, highWater: nil)
                )
            )
        }
        try await old.finish(run.id, totals: RunTotals(), interrupted: true)
        try old.close()

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
        try store.close()
        lock.release()
    }

    @Test(arguments: Spellings.all)
    func `every command finds a key in either spelling`(spellings: Spellings) async throws {
        let store = try await migrated([Self.entry(spellings.composed, 1)])
        for spelling in spellings.both {
            #expect(try store.entry(spelling)?.id == 1)
            #expect(try store.entries(matching: spelling).map(\.id) == [1])
        }
        try store.move(from: spellings.decomposed, to: "x-" + spellings.decomposed)
        #expect(try store.entries().map { ExactText($0.key) } == [ExactText("x-" + spellings.composed)])
        // The same key is no other key.
        try store.move(from: "x-" + spellings.composed, to: "x-" + spellings.decomposed)
        #expect(try store.forget("x-" + spellings.decomposed).id == 1)
        #expect(try store.entries() == [])
    }

    @Test(arguments: Spellings.all)
    func `a state goes out and in again, whichever way a line spells a key`(spellings: Spellings) async throws {
        let store = try await migrated([Self.entry(spellings.decomposed, 1), Self.entry("plain", 2)])
        var text = ""
        try store.exportLines { text += $0 }
        #expect(text.contains(spellings.composed))
        let before = try store.entries()
        for spelling in spellings.both {
            let line = text.replacing(spellings.composed, with: spelling)
            #expect(try store.importLines(line, replacing: true) == 2)
            #expect(try store.entries() == before)
        }
    }

    @Test(arguments: Spellings.all)
    func `lines of two spellings are one product, or a question`(spellings: Spellings) async throws {
        let store = try await migrated([Self.entry("plain", 9)])
        var header = ""
        try store.exportLines { if header.isEmpty { header = $0 } }
        header = header.replacing("\"products\":1", with: "\"products\":2")
        func lines(_ ids: (Int, Int)) -> String {
            header + "{\"id\":\(ids.0),\"key\":\"\(spellings.decomposed)\"}\n"
                + "{\"id\":\(ids.1),\"key\":\"\(spellings.composed)\"}\n"
        }
        #expect(try store.importLines(lines((7, 7)), replacing: true) == 1)
        #expect(try store.entries() == [Self.entry(spellings.composed, 7)])
        let error = #expect(throws: StateError.self) { try store.importLines(lines((7, 8)), replacing: true) }
        #expect(error?.code == .input)
        #expect(
            error?.message == """
                line 3: the key "\(spellings.composed)" is there twice, in two spellings: as product 7 in line 2, and \
                as product 8 here; give the one that the manifest does not mean another key
                """
        )
        #expect(try store.entries() == [Self.entry(spellings.composed, 7)])
    }
}
