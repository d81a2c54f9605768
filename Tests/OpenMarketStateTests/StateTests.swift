import FoundationEssentials
import GRDB
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketState
@testable import OpenMarketTestSupport
import Testing

struct StateTests: ~Copyable {
    let directory = try! TemporaryDirectory()
    var path: String { directory.path + "/shop/.openmarket/state.db" }

    @Test func `a market is found under every spelling of its address`() async throws {
        let store = try await open(path)
        try store.apply([.put(Samples.lamp)])
        store.closeFile()
        let scope = MarketScope(url: "HTTP://127.0.0.1:08080//", profile: .v2b, identifier: Samples.digest(1))
        #expect(scope == Samples.staging)
        let reading = try StateStore.reading(path, scope: scope)
        #expect(try await reading.snapshot().entries.count == 1)
        reading.closeFile()
        store.lock?.release()
        let writing = try await open(path, scope: scope)
        #expect(try await writing.snapshot().entries.count == 1)
        #expect(try StateFile(StateLocation(path)).markets().map(\.scope) == [Samples.staging])
    }

    @Test func `reading where there is no state gives an empty one and makes nothing`() async throws {
        let store = try StateStore.reading(path, scope: Samples.staging)
        #expect(try await store.snapshot().entries.isEmpty)
        #expect(try await store.entries().isEmpty)
        #expect(try store.entry("desk-lamp") == nil)
        #expect(try await store.runs().isEmpty)
        #expect(try await store.unresolved().isEmpty)
        #expect(try StateFile(StateLocation(path)).markets().isEmpty)
        #expect(try StateLock.currentHolder(of: path) == nil)
        #expect(try StateLock.unlock(path) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test func `reading a state leaves the folder and the file as they were`() async throws {
        let writing = try await open(path)
        try writing.apply([.put(Samples.lamp)])
        writing.closeFile()
        writing.lock?.release()
        let before = try files()

        let store = try StateStore.reading(path, scope: Samples.staging)
        #expect(try await store.snapshot().entries.count == 1)
        #expect(try await store.unresolved().isEmpty)
        await #expect(throws: StateError.self) { try await store.forget("desk-lamp") }
        await #expect(throws: StateError.self) { try await store.begin(Samples.run("r"), operations: []) }
        store.closeFile()
        #expect(try files() == before)
    }

    @Test func `the folder is 0700 and every file 0600, whatever was there`() async throws {
        let store = try await open(path)
        try store.apply([.put(Samples.lamp)])
        let folder = directory.path + "/shop/.openmarket"
        #expect(fileMode(folder) == 0o700)
        #expect(fileMode(directory.path + "/shop") == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names == ["state.db", "state.db-shm", "state.db-wal", "state.db.lock"])
        for name in names { #expect(fileMode(folder + "/" + name) == 0o600, "\(name)") }

        store.closeFile()
        setFileMode(path, 0o644)
        let again = try await open(path, lock: store.lock)
        #expect(fileMode(path) == 0o600)
        again.closeFile()
    }

    @Test func `every commit waits for the disk, and one connection keeps a write-ahead log`() async throws {
        let store = try await open(path)
        #expect(try store.pragma("synchronous") == "2")
        #expect(try store.pragma("journal_mode") == "wal")
        #expect(try store.pragma("foreign_keys") == "1")
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `any mutations leave what a dictionary would hold`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var store = try await open(path)
        var model = StateEntries()
        let keys = (0..<12).map { "key \($0)" }
        func key() -> String { keys.randomElement(using: &random) ?? "" }
        let samples = [Samples.lamp, Samples.bare, Samples.empty]
        for step in 0..<300 {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                var entry = samples.randomElement(using: &random) ?? Samples.bare
                entry.key = key()
                entry.id = MarketID(Int64(step))
                entry.applied.stock = Bool.random(using: &random) ? Int64(step) : nil
                model[entry.key] = entry
                try store.apply([.put(entry)])
            case 5..<7:
                let gone = key()
                model[gone] = nil
                try store.apply([.remove(key: gone)])
            case 7..<9:
                let (old, new) = (key(), key())
                if model[old] != nil, model[new] != nil, old != new {
                    #expect(
                        await conflict { try store.apply([.rename(from: old, to: new)]) },
                        "seed \(seed), step \(step)"
                    )
                } else {
                    if var moved = model.removeValue(forKey: old) {
                        moved.key = new
                        model[new] = moved
                    }
                    try store.apply([.rename(from: old, to: new)])
                }
            default:
                let lock = store.lock
                store.closeFile()
                store = try await open(path, lock: lock)
            }
            if step % 20 == 0 { #expect(try await store.snapshot().entries == model, "seed \(seed), step \(step)") }
        }
        #expect(try await store.snapshot().entries == model, "seed \(seed)")
    }

    // MARK: - Helpers

    private func conflict(_ body: () async throws -> Void) async -> Bool {
        do { try await body() } catch { return (error as? StateError)?.code == .conflict }
        return false
    }

    /// Names and bytes of everything in the state's folder.
    private func files() throws -> [String: Data] {
        let folder = directory.path + "/shop/.openmarket"
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
        }
        return files
    }
}

/// Opens a state for writing, under a lock of its own unless one is given.
func open(
    _ path: String,
    scope: MarketScope = Samples.staging,
    lock: StateLock? = nil,
    time: TestTime? = nil
) async throws -> StateStore {
    let held = if let lock { lock } else { try await StateLock.acquire(path, command: "apply") }
    guard let time else { return try StateStore.writing(path, scope: scope, lock: held) }
    return try StateStore.writing(path, scope: scope, lock: held, schema: .current) { time.now }
}

extension StateStore {
    func pragma(_ name: String) throws -> String? {
        try database?.read { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }
}
