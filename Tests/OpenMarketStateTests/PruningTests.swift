import GRDB
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketState

/// Rule 11: what the state does not need any more does not stay.
struct PruningTests: ~Copyable {
    let directory = try! TemporaryDirectory()
    var path: String { directory.path + "/state.db" }

    /// A run of one operation for each fact, closed.
    private func run(_ number: Int, _ facts: [JournalEvent.Fact?], _ store: StateStore, text: String = "") async throws
    {
        let run = RunID(rawValue: "run-\(number)")
        let operation = Samples.operation(.update, "key").with { $0.desired.description = text }
        try await store.begin(
            Samples.run(run.rawValue),
            operations: facts.map { _ in operation }
        )
        for (sequence, fact) in facts.enumerated() {
            guard let fact else { continue }
            _ = try await store.record(
                JournalEvent(run: run, sequence: sequence, number: 1, fact: fact)
            )
        }
        try await store.finish(run, totals: RunTotals(), interrupted: false)
    }

    private func size() throws -> Int { try directory.read("state.db").count }

    @Test func `rule 11: of older runs the line stays, and what is open stays whole`() async throws {
        let lock = try await StateLock.acquire(path, command: "apply")
        let store = try StateStore.writing(path, scope: Samples.staging, lock: lock, keptRuns: 2)
        let other = try StateStore.writing(path, scope: Samples.production, lock: lock, keptRuns: 2)
        let open = JournalEvent.Fact.unknown(.update, "the reply was lost")
        try await run(0, [.succeeded(5)], other)
        try await run(1, [.succeeded(5), open], store)
        try await run(2, [.succeeded(5), .failed("no"), nil], store)
        try await run(3, [.succeeded(5)], store)
        #expect(try await store.operations(of: RunID(rawValue: "run-2")).count == 3)
        try await run(4, [.succeeded(5)], store)
        #expect(try await store.runs().map(\.record.id.rawValue) == ["run-4", "run-3", "run-2", "run-1"])
        #expect(try await store.runs().map(\.operations) == [1, 1, 0, 2])
        #expect(try await other.runs().map(\.operations) == [1])

        let unresolved = try await store.unresolved()
        #expect(unresolved.map(\.operation) == [Samples.operation(.update, "key").with { $0.desired.description = "" }])
        _ = try await store.record(
            JournalEvent(
                run: RunID(rawValue: "run-1"),
                sequence: 1,
                number: 2,
                fact: .succeeded(5)
            )
        )
        try await run(5, [.succeeded(5)], store)
        #expect(try await store.runs().map(\.operations) == [1, 1, 0, 0, 0])
    }

    @Test func `rule 11: what is over keeps what history shows and undo may need`() async throws {
        let store = try await open(path)
        let picture = Samples.picture
        let images = FieldChange(
            field: .images,
            kind: .change,
            base: nil,
            live: nil,
            manifest: .images([.digest(picture.digest)])
        )
        let create = PlannedOperation(
            key: "new",
            reason: "new",
            source: SourceLocation(file: "a"),
            work: .create(NewProduct(values: Samples.lamp.applied, pictures: [picture], isProtected: true))
        )
        var update = Samples.operation(.update, "old").with {
            $0.changes.append(images)
            $0.pictures = [picture]
        }
        let id = RunID(rawValue: "r")
        try await store.begin(Samples.run("r"), operations: [create, update, create])
        for sequence in 0..<2 {
            _ = try await store.record(
                JournalEvent(run: id, sequence: sequence, number: 1, fact: .succeeded(5))
            )
        }
        // What was sent, and not how.
        var created = create
        created.work = .create(NewProduct(values: Samples.lamp.applied, pictures: [picture]))
        update = update.with { $0.desired = ProductValues(price: 35000, images: [.digest(picture.digest)]) }
        update.secret = nil
        #expect(try await store.operations(of: id).map(\.operation) == [created, update, create])
        try await store.finish(id, totals: RunTotals(), interrupted: true)
        #expect(try await store.operations(of: id).map(\.operation) == [created, update, created])
    }

    @Test func `a create is in the file once, and is shown the same whatever becomes of its entry`() async throws {
        let store = try await open(path)
        let picture = Samples.picture
        let keys = ["kept", "changed", "forgotten", "released", "renamed", "edited on the market", "imported"]
        let entries = keys.enumerated().map { index, key in
            var entry = Samples.lamp
            entry.key = key
            entry.id = MarketID(Int64(200 + index))
            entry.applied.images = [.digest(picture.digest)]
            return entry
        }
        let creates = zip(keys, entries).map { key, entry in
            var values = entry.applied
            if key == "edited on the market" { values.price = 1 }
            let product = NewProduct(values: values, pictures: [picture])
            return PlannedOperation(key: key, reason: "new in the manifest", work: .create(product))
        }
        let id = RunID(rawValue: "r")
        try await store.begin(Samples.run("r"), operations: creates)
        for (sequence, entry) in entries.enumerated() {
            let mutations = [StateMutation.put(entry)]
            _ = try await store.record(
                JournalEvent(run: id, sequence: sequence, number: 1, fact: .succeeded(entry.id), mutations: mutations)
            )
        }
        func contents() throws -> Int? {
            try store.database?.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM contents") }
        }
        func described() async throws -> [ProductValues?] {
            try await store.operations(of: id).map { $0.operation.newProduct?.values }
        }
        #expect(try contents() == 1, "only of the one that the market made otherwise")
        let wanted = creates.map { $0.newProduct?.values }
        #expect(try await described() == wanted)
        // Of what was sent, a picture's name and hash are kept.
        let paths = try await store.operations(of: id).map { $0.operation.pictures.map(\.path) }
        #expect(paths == keys.map { _ in [picture.path] })
        #expect(try await store.operations(of: id)[0].operation.pictures.map(\.digest) == [picture.digest])

        var changed = entries[1]
        changed.applied.price = 2
        let next = RunID(rawValue: "next")
        try await store.begin(Samples.run("next"), operations: [Samples.operation(.update, "changed")])
        let fact = JournalEvent.Fact.succeeded(changed.id)
        _ = try await store.record(
            JournalEvent(run: next, sequence: 0, number: 1, fact: fact, mutations: [.put(changed)])
        )
        try store.apply([.remove(key: "forgotten"), .release(key: "released", id: entries[3].id)])
        #expect(try await described() == wanted)
        try await store.move(from: "renamed", to: "new name")
        try store.apply([.put(changed)])
        #expect(try await described() == wanted)
        #expect(try contents() == 5)
        try await store.replace(with: [Samples.bare], vendorID: nil, overwriting: true)
        #expect(try await described() == wanted)
        #expect(try await store.history(of: "kept").map(\.operation.name) == ["Desk lamp \"warm\" 탁상등"])
    }

    @Test func `rule 11: the file grows with what is kept, not with what was done`() async throws {
        let lock = try await StateLock.acquire(path, command: "apply")
        let store = try StateStore.writing(path, scope: Samples.staging, lock: lock, keptRuns: 3)
        let text = String(repeating: "x", count: 2000)
        func work(_ numbers: Range<Int>) async throws -> Int {
            for number in numbers {
                try await run(number, Array(repeating: .succeeded(5), count: 100), store, text: text)
            }
            _ = try await store.database?.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            return try size()
        }
        let after10 = try await work(0..<10)
        let after40 = try await work(10..<40)
        #expect(after40 <= after10 + after10 / 4, "\(after10) \(after40)")
        // One run alone brings more than 200 kB with it; a file without any has as much, a page for each table.
        #expect(after40 < 600_000)
    }

    @Test func `rule 11: of a large state the products are looked at, and all of it after a kill`() async throws {
        let lock = try await StateLock.acquire(path, command: "apply")
        let store = try StateStore.writing(path, scope: Samples.staging, lock: lock)
        try store.apply([.put(Samples.lamp)])
        // Open, so it stays: 20 MB of journal.
        let text = String(repeating: "journal ", count: 50_000)
        try await run(1, Array(repeating: .unknown(.update, "?"), count: 50), store, text: text)
        store.closeFile()
        let whole = try directory.read("state.db")
        #expect(whole.count > 20_000_000)

        // As the header says in two bytes.
        let pageSize = Int(whole[16]) << 8 | Int(whole[17])
        func open(damaging words: String, log: Bool = false) throws {
            var bytes = whole
            let place = try #require(bytes.firstRange(of: Array(words.utf8))).lowerBound / pageSize * pageSize
            // The pointers in a page's head lead nowhere.
            bytes.replaceSubrange(place..<(place + 64), with: Array(repeating: 0xFF, count: 64))
            try directory.write("state.db", bytes)
            if log { try directory.write("state.db-wal", Array(repeating: 0, count: 32)) }
            try StateStore.writing(path, scope: Samples.staging, lock: lock).closeFile()
        }
        #expect(throws: StateError.self) { try open(damaging: "images.example/thumb") }
        try directory.write("state.db", whole)
        try StateStore.writing(path, scope: Samples.staging, lock: lock).closeFile()
        // The last pages are the journal's.
        var cut = whole
        cut.removeLast(pageSize)
        try directory.write("state.db", cut)
        #expect(throws: StateError.self) { try StateStore.writing(path, scope: Samples.staging, lock: lock) }
        #expect(throws: StateError.self) { try open(damaging: "new in the manifest", log: true) }
    }

    @Test func `rule 11: keys are found by product without the rest of the state`() async throws {
        let store = try await open(path)
        let entries = (0..<500).map { number in
            StateEntry(key: "한지등-\(number)", id: MarketID(Int64(1000 - number)), applied: ProductValues(name: "n"))
        }
        try store.apply(entries.map { .put($0) })
        let keys = try store.keys()
        for entry in entries { #expect(keys[entry.id] == entry.key) }
        for id in [Int64.min, 0, 500, 1001, .max] { #expect(keys[MarketID(id)] == nil) }
        #expect(try StateStore.reading(directory.path + "/none.db", scope: Samples.staging).keys()[1] == nil)
    }
}

extension PlannedOperation {
    /// The update, changed.
    fileprivate func with(_ change: (inout Update) -> Void) -> PlannedOperation {
        guard case .update(var update) = work else { return self }
        change(&update)
        var copy = self
        copy.work = .update(update)
        return copy
    }
}
