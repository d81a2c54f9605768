import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketTestSupport
import Testing

struct JournalTests: ~Copyable {
    let directory = try! TemporaryDirectory()
    var path: String { directory.path + "/state.db" }

    @Test func `a killed run leaves exactly the operations whose outcome is open`() async throws {
        let facts: [[JournalEvent.Fact]] = [
            [],
            [.sent(.create, highWater: 41)],
            [.sent(.create, highWater: 41), .unknown(.create, "time ran out")],
            [.sent(.create, highWater: 41), .advanced(.create, created: 42)],
            [.sent(.create, highWater: 41), .advanced(.create, created: 43), .sent(.deleteKey, highWater: nil)],
            [.sent(.update, highWater: nil), .succeeded(5)],
            [.sent(.update, highWater: nil), .failed("404")],
            [.skipped("stopped")],
        ]
        let operations = facts.indices.map { Samples.operation(.replace, "key-\($0)", id: 5) }
        let copy = directory.path + "/copy"
        do {
            let time = TestTime()
            let store = try await open(path, time: time)
            try await store.begin(Samples.run(run.rawValue), operations: operations)
            for (sequence, facts) in facts.enumerated() {
                for (offset, fact) in facts.enumerated() {
                    time.set(Int64(sequence * 10 + offset))
                    _ = try await store.record(event(sequence, fact, number: offset + 1))
                }
            }
            #expect(try await store.unresolved().isEmpty, "the run goes on: nothing is left over from it")
            // What a kill leaves: the files as they are on the disk, the log not yet folded in.
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            for name in ["state.db", "state.db-wal"] {
                try directory.write("copy/" + name, directory.read(name))
            }
        }
        func left(
            _ sequence: Int,
            _ step: RequestStep,
            succeeded: Bool,
            created: MarketID?,
            at: Int64,
            highWater: MarketID? = 41
        )
            -> UnresolvedOperation
        {
            UnresolvedOperation(
                run: run,
                sequence: sequence,
                facts: facts[sequence].count,
                operation: operations[sequence],
                step: step,
                stepSucceeded: succeeded,
                highWater: highWater,
                created: created,
                sentAt: Timestamp(milliseconds: at)
            )
        }
        let expected = [
            left(1, .create, succeeded: false, created: nil, at: 10),
            left(2, .create, succeeded: false, created: nil, at: 20),
            left(3, .create, succeeded: true, created: 42, at: 30),
            left(4, .deleteKey, succeeded: false, created: 43, at: 42),
        ]
        let killed = try await open(copy + "/state.db")
        #expect(try await killed.unresolved() == expected)
        #expect(try await killed.runs().map(\.finishedAt) == [nil])
        #expect(try await killed.runs().map(\.unresolved) == [4])

        // A later run settles them, in the journal of the run that began them.
        try await killed.begin(Samples.run("second"), operations: [])
        _ = try await killed.record(event(1, .failed("not there"), number: 2))
        _ = try await killed.record(event(2, .succeeded(44), number: 3))
        #expect(try await killed.unresolved() == [expected[2], expected[3]])
    }

    @Test func `a reader does not take another process's run for a dead one`() async throws {
        let lock = try await StateLock.acquire(path, command: "apply") {
            LockHolder(host: "here", process: 1, command: $0, since: Timestamp(milliseconds: 5000))
        }
        let time = TestTime()
        let store = try await open(path, lock: lock, time: time)
        for (name, start) in [("killed", 4000), ("running", 6000)] as [(String, Int64)] {
            time.set(start)
            try await store.begin(Samples.run(name), operations: [Samples.operation(.create, "a")])
            _ = try await store.record(
                JournalEvent(
                    run: RunID(rawValue: name),
                    sequence: 0,
                    number: 1,
                    fact: .sent(.create, highWater: nil)
                )
            )
        }
        let reader = try StateStore.reading(path, scope: Samples.staging)
        #expect(try await reader.unresolved().map(\.run.rawValue) == ["killed"])
        lock.release()
        #expect(try await reader.unresolved().map(\.run.rawValue) == ["killed", "running"])
    }

    @Test func `facts that are handed over together come together or not at all`() async throws {
        let store = try await open(path)
        let operations = ["desk-lamp", "mug"].map { Samples.operation(.create, $0) }
        try await store.begin(Samples.run(run.rawValue), operations: operations)
        _ = try await store.record([event(0, .sent(.create, highWater: 41))])
        let done = event(0, .succeeded(193), number: 2, mutations: [.put(Samples.lamp)])
        await #expect(throws: StateError.self) {
            _ = try await store.record([done, event(1, .sent(.create, highWater: 41), number: 7)])
        }
        #expect(try store.entry("desk-lamp") == nil)
        #expect(try await store.operations(of: run).map(\.status) == [.sent, .intended])

        _ = try await store.record([done, event(1, .sent(.create, highWater: 193))])
        #expect(try store.entry("desk-lamp") == Samples.lamp)
        #expect(try await store.operations(of: run).map(\.status) == [.succeeded, .sent])
    }

    @Test func `a cancelled caller still writes down what is true`() async throws {
        let store = try await open(path)
        try await store.begin(
            Samples.run(run.rawValue),
            operations: (0..<50).map { Samples.operation(.create, "key-\($0)") }
        )
        await withTaskGroup(of: Void.self) { group in
            for sequence in 0..<50 {
                group.addTask {
                    withUnsafeCurrentTask { $0?.cancel() }
                    await #expect(throws: Never.self) { _ = try await store.record(event(sequence, .succeeded(1))) }
                }
            }
        }
        #expect(try await store.operations(of: run).allSatisfy { $0.status == .succeeded })
    }

    @Test func `the journal keeps every field of an operation`() async throws {
        let picture = Samples.picture
        let images = [PictureIdentity.digest(Samples.digest(2)), .unknown("a\nb:\\n")]
        let changes = [
            FieldChange(field: .name, kind: .drift, base: .text("="), live: .text(""), manifest: .text("=")),
            FieldChange(field: .price, kind: .change, base: .number(1), live: nil, manifest: .number(35000)),
            FieldChange(
                field: .salePrice,
                kind: .conflict,
                base: .sale(.fullPrice),
                live: .sale(.price(5)),
                manifest: nil
            ),
            FieldChange(field: .stock, kind: .change, base: nil, live: .integer(-7), manifest: .integer(12)),
            FieldChange(field: .images, kind: .change, base: .images([]), live: .images(images), manifest: nil),
            FieldChange(field: .thumbnail, kind: .change, base: .image(images[1]), live: nil, manifest: nil),
        ]
        var product = NewProduct(values: Samples.lamp.applied, pictures: [picture, picture], isProtected: true)
        var trial = NewProduct(values: Samples.lamp.applied)
        trial.isTrial = true
        var live = ProductValues(description: "Warm", currency: .krw)
        for change in changes {
            product.values[change.field] = change.manifest
            live[change.field] = change.live
        }
        let shown = LivePictures(thumbnailURL: "t", images: [.init(id: 11, url: "a b"), .init(id: nil, url: "")])
        let update = PlannedOperation.Update(
            id: 193,
            changes: changes,
            desired: product.values,
            ignored: [.description],
            live: live,
            livePictures: shown,
            pictures: [picture, picture],
            thumbnailImageID: 352,
            formerKey: "lamp-old",
            isProtected: true
        )
        let replacement = PlannedOperation.Replacement(
            id: 193,
            changes: changes,
            product: product,
            carriedOver: [.description, .currency],
            live: live,
            livePictures: shown,
            deletesFirst: true
        )
        let works: [PlannedOperation.Work] = [
            .adopt(Samples.lamp, name: "=lamp"), .adopt(Samples.bare, name: nil), .create(product),
            .create(NewProduct(values: ProductValues())), .create(trial), .update(update),
            .update(.init(id: 0, changes: [], desired: ProductValues(), live: ProductValues())),
            .replace(replacement), .delete(.init(id: 193, live: live, livePictures: shown)),
            .delete(.init(id: 0, live: ProductValues())),
            .forget(193, name: ""), .forget(0, name: nil), .rename(193, name: ""),
        ]
        let counts = [update as Any, replacement, product].map { Mirror(reflecting: $0).children.count }
        #expect(counts == [10, 7, 4], "a new field has to be kept, too, and to be named above")
        let sources = [
            SourceLocation(file: "a:b.yaml", position: SourcePosition(line: 3, column: 5)),
            SourceLocation(file: "a.csv", position: SourcePosition(line: 17, column: 1), table: .row),
            SourceLocation(file: "a.csv", position: SourcePosition(line: 17, column: 5), table: .cell(column: "price")),
        ]
        let full = works.flatMap { work in
            sources.map { source in
                var operation = PlannedOperation(
                    key: "desk-lamp",
                    reason: "pictures cannot change",
                    source: source,
                    secret: .manifest("/shop/openmarket.yaml", path: "products[2].secret"),
                    work: work
                )
                operation.renamedFrom = "lamp-old"
                return operation
            }
        }
        // All but `adjusted`, which only plans show.
        #expect(Mirror(reflecting: full[0].parts).children.count == 7)
        let least = PlannedOperation(
            key: "k",
            reason: "",
            source: SourceLocation(file: "a"),
            work: .forget(0, name: nil)
        )
        let store = try await open(path)
        try await store.begin(Samples.run(run.rawValue), operations: full + [least])
        #expect(try await store.operations(of: run).map(\.operation) == full + [least])
    }

    @Test func `no secret is in the bytes of the files, only how to find it`() async throws {
        let store = try await open(path)
        try await store.begin(Samples.run(run.rawValue), operations: [Samples.operation(.create, "a")])
        let secret = ResolvedSecret(reference: .environment("LAMP_SECRET"), value: Secret("hunter2-hunter2"))
        var entry = Samples.lamp
        entry.secret = secret.reference
        _ = try await store.record(event(0, .failed("refused with \(secret.value)"), mutations: [.put(entry)]))
        var bytes: [UInt8] = []
        for name in ["state.db", "state.db-wal", "state.db.lock"] { bytes += try directory.read(name) }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("LAMP_SECRET"))
        #expect(!text.contains("hunter2"))
    }
}

private let run = RunID(rawValue: "20261121T093000Z-4f2a91")

private func event(
    _ sequence: Int,
    _ fact: JournalEvent.Fact,
    number: Int = 1,
    mutations: [StateMutation] = []
) -> JournalEvent {
    JournalEvent(run: run, sequence: sequence, number: number, fact: fact, mutations: mutations)
}
