import FoundationEssentials
import GRDB
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketState

struct OpeningTests: ~Copyable {
    let directory = try! TemporaryDirectory()
    var path: String { directory.path + "/state.db" }

    /// A schema with one step more than any released one.
    private var next: StateSchema {
        StateSchema(
            steps: StateSchema.current.steps + [
                "ALTER TABLE entries ADD COLUMN color TEXT; UPDATE entries SET stock = 99"
            ]
        )
    }

    @Test(arguments: ["garbage", "text after a true header", "nothing at all", "a cut off end", "a page of noise"])
    func `a damaged file is refused before anything is sent, and not touched`(damage: String) async throws {
        let lock = try await filled()
        let whole = try directory.read("state.db")
        let bytes: [UInt8] =
            switch damage {
            case "garbage": Array(repeating: 0xA5, count: 20_000)
            case "text after a true header": Array("SQLite format 3\0".utf8) + Array(repeating: 0x41, count: 9_000)
            case "nothing at all": []
            case "a cut off end": Array(whole.prefix(whole.count / 2 / 4096 * 4096))
            default:
                Array(whole.prefix(4096 * 3)) + Array(repeating: 0xFF, count: 4096) + Array(whole.dropFirst(4096 * 4))
            }
        try directory.write("state.db", bytes)
        let error = try #require(throws: StateError.self) {
            try StateStore.writing(path, scope: Samples.staging, lock: lock)
        }
        #expect(error.code == .damaged)
        #expect(error.message.contains(directory.path))
        if bytes.isEmpty { #expect(error.message.contains("it is empty")) }
        #expect(try directory.read("state.db") == bytes)
        // A reader need not look at every page, but what it gives is never made up.
        if damage != "a page of noise" {
            let read = await #expect(throws: StateError.self) {
                _ = try await StateStore.reading(path, scope: Samples.staging).snapshot()
            }
            #expect(read?.code == .damaged)
            #expect(try directory.read("state.db") == bytes)
        }
    }

    @Test func `a log whose state is gone is not a new state`() async throws {
        let lock = try await filled()
        try FileManager.default.removeItem(atPath: path)
        try directory.write("state.db-wal", [UInt8](repeating: 1, count: 5000))
        let error = #expect(throws: StateError.self) {
            try StateStore.writing(path, scope: Samples.staging, lock: lock)
        }
        #expect(error?.code == .damaged)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `another program's database is refused and not touched`() async throws {
        let lock = try await filled()
        var bytes = try directory.read("state.db")
        // The application's number in SQLite's header.
        bytes.replaceSubrange(68..<72, with: [0, 0, 0, 0])
        try directory.write("state.db", bytes)
        let error = #expect(throws: StateError.self) {
            try StateStore.writing(path, scope: Samples.staging, lock: lock)
        }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("not an openmarket state") == true)
        #expect(try directory.read("state.db") == bytes)
    }

    @Test func `a newer version's file is refused and not touched`() async throws {
        let lock = try await filled()
        let newer = try StateStore.writing(path, scope: Samples.staging, lock: lock, schema: next)
        newer.closeFile()
        let bytes = try directory.read("state.db")
        for _ in 0..<2 {
            let writing = #expect(throws: StateError.self) {
                try StateStore.writing(path, scope: Samples.staging, lock: lock)
            }
            #expect(writing?.code == .otherVersion)
            #expect(
                writing?.message.contains("has version \(next.version) and was written by a newer openmarket") == true
            )
            let reading = #expect(throws: StateError.self) { try StateStore.reading(path, scope: Samples.staging) }
            #expect(reading?.code == .otherVersion)
        }
        #expect(try directory.read("state.db") == bytes)
    }

    @Test func `a product's id that is a text in the file is never made a number of`() async throws {
        let lock = try await filled()
        let store = try StateStore.writing(path, scope: Samples.staging, lock: lock)
        let run = RunID(rawValue: "r")
        try await store.begin(Samples.run("r"), operations: [Samples.operation(.create, "new")])
        let sent = JournalEvent.Fact.sent(.create, highWater: 7)
        _ = try await store.record(JournalEvent(run: run, sequence: 0, number: 1, fact: sent))
        store.closeFile()
        let columns = [("entries", "id"), ("operations", "high_water"), ("operations", "created")]
        for (table, column) in columns {
            let whole = try directory.read("state.db")
            for value in ["'0193'", "x'0193'", "1.5"] {
                let queue = try DatabaseQueue(path: path)
                try await queue.write { try $0.execute(sql: "UPDATE \(table) SET \(column) = \(value)") }
                try queue.close()
                let store = try StateStore.writing(path, scope: Samples.staging, lock: lock)
                if value == "'0193'" {
                    let open = try await store.unresolved()
                    let ids = Set(try await store.snapshot().entries.ids)
                    let found: [MarketID] = [ids.first, open.first?.highWater, open.first?.created].compactMap(\.self)
                    #expect(found.contains(.text("0193")), "\(column)")
                    if table == "entries" { #expect(try store.keys()[.text("0193")] == "desk-lamp") }
                } else {
                    let error = await #expect(throws: StateError.self, "\(column)") {
                        _ = try await store.snapshot()
                        _ = try await store.unresolved()
                    }
                    #expect(error?.code == .damaged)
                    #expect(error?.message.contains("neither a number nor a text") == true)
                }
                store.closeFile()
                try directory.write("state.db", whole)
            }
        }
    }

    @Test func `an older file is copied before it is migrated with all that it holds`() async throws {
        let lock = try await filled()
        let store = try StateStore.writing(path, scope: Samples.staging, lock: lock, schema: next)
        var lamp = Samples.lamp
        lamp.applied.stock = 99
        #expect(try await store.snapshot().entries == ["desk-lamp": lamp])
        #expect(try await store.database?.read { try $0.stateVersion() } == next.version)
        store.closeFile()

        let backup = path + ".before-v\(next.version)"
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(names == ["state.db", "state.db.before-v\(next.version)", "state.db.lock"])
        #expect(fileMode(backup) == 0o600)
        #expect(
            try await StateStore.reading(backup, scope: Samples.staging).snapshot().entries == [
                "desk-lamp": Samples.lamp
            ]
        )

        // Nothing is left to migrate: no second copy.
        let before = try directory.read("state.db.before-v\(next.version)")
        try StateStore.writing(path, scope: Samples.staging, lock: lock, schema: next).closeFile()
        #expect(try directory.read("state.db.before-v\(next.version)") == before)
    }

    @Test func `a migration that fails leaves the file as it was, and its copy`() async throws {
        let lock = try await filled()
        let broken = StateSchema(steps: StateSchema.current.steps + ["DELETE FROM entries; SELECT * FROM nowhere"])
        #expect(throws: StateError.self) {
            try StateStore.writing(path, scope: Samples.staging, lock: lock, schema: broken)
        }
        #expect(
            try await StateStore.reading(path, scope: Samples.staging).snapshot().entries == ["desk-lamp": Samples.lamp]
        )
        #expect(FileManager.default.fileExists(atPath: path + ".before-v\(next.version)"))
    }

    @Test func `an older file is read through a copy and stays as it is`() async throws {
        _ = try await filled()
        let before = try directory.read("state.db")
        let store = try StateStore.reading(path, scope: Samples.staging, schema: next)
        #expect(try store.entry("desk-lamp")?.applied.stock == 99)
        #expect(try directory.read("state.db") == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == [
                "state.db", "state.db.lock",
            ]
        )
    }

    /// How many pages the file has, as its header says in four bytes.
    private func pageCount() throws -> Int {
        try directory.read("state.db")[28..<32].reduce(0) { $0 << 8 | Int($1) }
    }

    @Test func `a full disk is reported to every caller who shared the commit, and loses nothing`() async throws {
        let lock = try await filled()
        let run = RunID(rawValue: "r")
        let count = 64
        let roomy = try StateStore.writing(path, scope: Samples.staging, lock: lock)
        try await roomy.begin(Samples.run("r"), operations: (0..<count).map { Samples.operation(.create, "key-\($0)") })
        roomy.closeFile()
        let pages = try pageCount()
        let store = try StateStore.writing(
            path,
            scope: Samples.staging,
            lock: lock,
            schema: .current,
            maximumPages: pages + 3
        )
        @Sendable func record(_ number: Int) async -> (Int, StateError.Code?) {
            var entry = Samples.bare
            entry.key = "new-\(number)"
            entry.applied.description = String(repeating: "x", count: 1000)
            let fact = JournalEvent.Fact.unknown(.create, "lost")
            do {
                _ = try await store.record(
                    JournalEvent(run: run, sequence: number, number: 1, fact: fact, mutations: [.put(entry)])
                )
                return (number, nil)
            } catch {
                return (number, (error as? StateError)?.code ?? .io)
            }
        }
        // One fits; those at the same time share a commit that does not.
        let alone = await record(0)
        let outcomes = await withTaskGroup(of: (Int, StateError.Code?).self) { group in
            for number in 1..<count {
                group.addTask { await record(number) }
            }
            var outcomes: [Int: StateError.Code?] = [alone.0: alone.1]
            for await (number, code) in group { outcomes[number] = .some(code) }
            return outcomes
        }
        #expect(Set(outcomes.values) == [nil, .diskFull])
        let kept = Set(outcomes.filter { $0.value == nil }.keys.map { "new-\($0)" })
        #expect(
            Set(try await store.entries().map(\.key)) == kept.union(["desk-lamp"]),
            "what was reported is true, for every caller"
        )

        await #expect(throws: StateError.self, "a run that does not fit is refused before its first request") {
            try await store.begin(
                Samples.run("large"),
                operations: (0..<200).map { Samples.operation(.create, "key-\($0)") }
            )
        }
        #expect(try await store.runs().count == 1)
        store.closeFile()
        let again = try StateStore.writing(path, scope: Samples.staging, lock: lock)
        #expect(Set(try await again.entries().map(\.key)) == kept.union(["desk-lamp"]))
    }

    @Test func `a migration that the disk has no room for changes nothing`() async throws {
        let lock = try await filled()
        let pages = try pageCount()
        let larger = StateSchema(
            steps: StateSchema.current.steps + [(0..<9).map { "CREATE TABLE more\($0) (x);" }.joined()]
        )
        let error = #expect(throws: StateError.self) {
            try StateStore.writing(path, scope: Samples.staging, lock: lock, schema: larger, maximumPages: pages)
        }
        #expect(error?.code == .diskFull)
        #expect(
            try await StateStore.reading(path, scope: Samples.staging).snapshot().entries == ["desk-lamp": Samples.lamp]
        )
    }

    @Test func `a state that cannot be made whole is not there at all`() async throws {
        let lock = try await StateLock.acquire(path, command: "apply")
        let broken = StateSchema(steps: StateSchema.current.steps + ["SELECT * FROM nowhere"])
        #expect(throws: StateError.self) {
            try StateStore.writing(path, scope: Samples.staging, lock: lock, schema: broken)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["state.db.lock"])
    }

    @Test func `a folder that cannot be written is found at once`() async throws {
        let lock = try await filled()
        lock.release()
        setFileMode(directory.path, 0o500)
        defer { setFileMode(directory.path, 0o700) }
        // The superuser may write everywhere, so there is nothing to see.
        guard !FileManager.default.isWritableFile(atPath: directory.path) else { return }
        let error = await #expect(throws: StateError.self) {
            try await StateLock.acquire(directory.path + "/deeper/state.db", command: "apply")
        }
        #expect(error?.code == .readOnly)
        #expect(try await StateStore.reading(path, scope: Samples.staging).snapshot().entries.count == 1)
    }

    @Test func `a folder where the file should be, and a file where the folder should be, are reported`() async throws {
        let folder = directory.path + "/folder"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let lock = try await StateLock.acquire(folder, command: "apply")
        let error = #expect(throws: StateError.self) {
            try StateStore.writing(folder, scope: Samples.staging, lock: lock)
        }
        #expect(error?.code == .io)
        #expect(throws: StateError.self) { try StateStore.reading(folder, scope: Samples.staging) }

        try directory.write("file", "text")
        await #expect(throws: StateError.self) {
            try await StateLock.acquire(directory.path + "/file/state.db", command: "apply")
        }
        #expect(try directory.read("file") == Array("text".utf8))
    }

    @Test func `writing takes the lock of this very file`() async throws {
        let other = try await StateLock.acquire(directory.path + "/other.db", command: "apply")
        #expect(throws: StateError.self) { try StateStore.writing(path, scope: Samples.staging, lock: other) }
        let released = try await StateLock.acquire(path, command: "apply")
        released.release()
        #expect(throws: StateError.self) { try StateStore.writing(path, scope: Samples.staging, lock: released) }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `what a kill left of a state in the making does not matter`() async throws {
        for name in ["state.db.new", "state.db.new-journal", "state.db.new-wal"] {
            try directory.write(name, "half of it")
        }
        let store = try await open(path)
        #expect(try await store.snapshot().entries.isEmpty)
        store.closeFile()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(names == ["state.db", "state.db.lock"])
    }

    @Test(arguments: ["state.db", "state.db-wal", "state.db-shm"])
    func `a state of which a file has two names is refused under each, and not touched`(name: String) async throws {
        let lock = try await filled()
        if name != "state.db" { try directory.write(name, []) }
        let whole = try directory.read("state.db")
        let copy = directory.path + "/copy" + name.dropFirst("state".count)
        try FileManager.default.linkItem(atPath: directory.path + "/" + name, toPath: copy)
        let error = #expect(throws: StateError.self) {
            try StateStore.writing(path, scope: Samples.staging, lock: lock)
        }
        #expect(error?.code == .io)
        #expect(error?.message.contains("cannot use \(StateFiles(path).path)\(name.dropFirst(8)) as a state") == true)
        #expect(throws: StateError.self) { try StateStore.reading(path, scope: Samples.staging) }
        if name == "state.db" {
            await #expect(throws: StateError.self) {
                try await StateFile(StateLocation(copy)).hold(Samples.staging, for: "apply", waiting: .zero)
            }
        }
        #expect(try directory.read("state.db") == whole)
        try FileManager.default.removeItem(atPath: copy)
        try StateStore.writing(path, scope: Samples.staging, lock: lock).closeFile()
    }

    enum Loss: CaseIterable {
        case folderMoved, folderDeleted, fileDeleted, fileReplaced, logDeleted
    }

    @Test(arguments: Loss.allCases)
    func `a state that goes from its place while it is open takes no fact as written`(loss: Loss) async throws {
        let files = FileManager.default
        let folder = directory.path + "/shop"
        let store = try await open(folder + "/state.db")
        let run = RunID(rawValue: "r")
        try await store.begin(Samples.run("r"), operations: [Samples.operation(.create, "new")])
        switch loss {
        case .folderMoved: try files.moveItem(atPath: folder, toPath: directory.path + "/elsewhere")
        case .folderDeleted: try files.removeItem(atPath: folder)
        case .fileDeleted: try files.removeItem(atPath: folder + "/state.db")
        case .fileReplaced:
            try files.copyItem(atPath: folder + "/state.db", toPath: folder + "/copy")
            try files.removeItem(atPath: folder + "/state.db")
            try files.moveItem(atPath: folder + "/copy", toPath: folder + "/state.db")
        case .logDeleted: try files.removeItem(atPath: folder + "/state.db-wal")
        }
        let sent = JournalEvent(run: run, sequence: 0, number: 1, fact: .sent(.create, highWater: nil))
        let errors = [
            await #expect(throws: StateError.self) { _ = try await store.record(sent) },
            await #expect(throws: StateError.self) {
                try await store.finish(run, totals: RunTotals(), interrupted: false)
            },
            #expect(throws: StateError.self) { try store.apply([.put(Samples.bare)]) },
        ]
        for error in errors {
            #expect(error?.code == .io)
            #expect(error?.message.contains("was moved, replaced or deleted") == true)
        }
        store.closeFile()
    }

    @Test func `a path keeps its letters in a URI`() {
        #expect(StateStore.immutableURI("/한 50%?#/state.db") == "file:/한 50%25%3F%23/state.db?immutable=1")
    }

    @Test func `a log beside a file that it does not continue is refused, and nothing is touched`() async throws {
        let lock = try await filled()
        var whole: [[UInt8]] = []
        var id: Int64 = 100
        func write(_ key: String) throws -> StateStore {
            let store = try StateStore.writing(path, scope: Samples.staging, lock: lock)
            var entry = Samples.bare
            id += 1
            (entry.key, entry.id) = (key, MarketID(id))
            try store.apply([.put(entry)])
            return store
        }
        for key in ["a", "b", "c"] {
            try write(key).closeFile()
            whole.append(try directory.read("state.db"))
        }
        let open = try write("d")
        // What a kill leaves: the file as it was, and the log.
        let killed = try directory.read("state.db")
        let log = try directory.read("state.db-wal")
        open.closeFile()
        let finished = try directory.read("state.db")
        try write("e").closeFile()
        let later = try directory.read("state.db")
        for (file, isOwn) in [
            (whole[0], false), (whole[1], false), (whole[2], true), (killed, true), (finished, true), (later, false),
        ] {
            try directory.write("state.db", file)
            try directory.write("state.db-wal", log)
            if isOwn {
                let store = try StateStore.writing(path, scope: Samples.staging, lock: lock)
                #expect(try await Set(store.snapshot().entries.keys) == ["desk-lamp", "a", "b", "c", "d"])
                store.closeFile()
                continue
            }
            let errors = [
                #expect(throws: StateError.self) { try StateStore.reading(path, scope: Samples.staging) },
                #expect(throws: StateError.self) { try StateStore.writing(path, scope: Samples.staging, lock: lock) },
            ]
            for error in errors {
                #expect(error?.code == .damaged)
                #expect(error?.message.contains("belongs to another file") == true)
            }
            #expect(try directory.read("state.db") == file)
            #expect(try directory.read("state.db-wal") == log)
        }
    }

    /// A state with one product, closed.
    private func filled() async throws -> StateLock {
        let store = try await open(path)
        try store.apply([.put(Samples.lamp)])
        store.closeFile()
        return try #require(store.lock)
    }
}
