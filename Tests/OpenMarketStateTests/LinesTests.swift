@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

struct LinesTests: ~Copyable {
    let directory = try! TemporaryDirectory()
    var path: String { directory.path + "/state.db" }

    @Test func `an export is the same bytes for the same state, and comes back whole`() async throws {
        let store = try await open(path)
        try store.apply([.put(Samples.lamp), .put(Samples.empty), .put(Samples.bare), .vendor(29)])
        let text = try await export(store)
        expectGolden(text.utf8, "state.jsonl")

        let other = try await open(directory.path + "/other/state.db")
        #expect(try await StateDocument.import(text, into: other) == 3)
        #expect(try await other.snapshot().entries == store.snapshot().entries)
        #expect(try await other.snapshot().vendorID == 29)
        #expect(try await export(other) == text)
    }

    @Test func `importing replaces what is there only when asked to`() async throws {
        let store = try await open(path)
        try store.apply([.put(Samples.lamp)])
        let text = try await export(store)
        try store.apply([.put(Samples.bare)])
        let error = await #expect(throws: StateError.self) { try await StateDocument.import(text, into: store) }
        #expect(error?.code == .conflict)
        #expect(try await store.entries().count == 2)
        try await StateDocument.import(text, into: store, replacing: true)
        #expect(try await store.entries() == [Samples.lamp])
    }

    @Test func `a file that was cut between two lines is noticed`() async throws {
        let store = try await open(path)
        try store.apply([.put(Samples.lamp)])
        let header = try await export(store).split(separator: "\n")[0] + "\n"
        let error = await #expect(throws: StateError.self) {
            try await StateDocument.import(String(header), into: store, replacing: true)
        }
        #expect(error?.code == .input)
        #expect(error?.message == "the file holds 0 of its 1 product: it is not whole")
        #expect(try await store.entries() == [Samples.lamp])
    }

    @Test func `another market's state is rejected unless accepted, and then its vendor is not taken`() async throws {
        let store = try await open(path)
        try store.apply([.put(Samples.lamp), .vendor(29)])
        let text = try await export(store)
        let other = try await open(directory.path + "/other.db", scope: Samples.production)
        let error = await #expect(throws: StateError.self) { try await StateDocument.import(text, into: other) }
        #expect(error?.code == .otherMarket)
        #expect(
            error?.message
                == "line 1: this is the state of http://127.0.0.1:8080 (v2b), not of https://openmarket.example (v2b) as the same vendor"
        )
        #expect(try await StateDocument.import(text, into: other, acceptingOtherMarket: true) == 1)
        #expect(try await other.snapshot().entries == ["desk-lamp": Samples.lamp])
        #expect(try await other.snapshot().vendorID == nil)
    }

    @Test(arguments: [
        ("", "line 1: this is not an exported state: it is not a JSON object without repeated members"),
        ("{}\n", "line 1: this is not an exported state"),
        (
            "{\"format\":\"x\",\"format_version\":1,\"market\":{\"url\":\"u\",\"profile\":\"v2b\"}}\n",
            "line 1: this is not an exported state"
        ),
        (
            "{\"format\":\"openmarket-state\",\"market\":{\"url\":\"u\",\"profile\":\"v2b\"}}\n",
            "line 1: this is not an exported state: \"format_version\" is missing"
        ),
        (
            "{\"format\":\"openmarket-state\",\"format_version\":2,\"market\":{\"url\":\"u\",\"profile\":\"v2b\"}}\n",
            "line 1: version 2 is unsupported; a newer openmarket wrote it"
        ),
        ("HEADER{\"id\":1}\n", "line 2: \"key\" is missing"),
        ("HEADER{\"key\":\"\",\"id\":1,\"applied\":{}}\n", "line 2: \"key\" is empty"),
        ("HEADER{\"key\":\"a\",\"id\":true}\n", "line 2: \"id\" is not a number or a text"),
        ("HEADER{\"key\":\"a\",\"id\":\"\"}\n", "line 2: \"id\" is not an id: it is empty"),
        ("HEADER{\"key\":\"a\",\"id\":0,\"applied\":{}}\n", "line 2: \"id\" is 0, which is not a product's id"),
        ("HEADER{\"key\":\"a\",\"id\":-7,\"applied\":{}}\n", "line 2: \"id\" is -7, which is not a product's id"),
        (
            "HEADER{\"key\":\"a\\nb\",\"id\":1,\"applied\":{}}\n",
            "line 2: \"key\" has a line break or another control character"
        ),
        (
            "HEADER{\"key\":\"a\\u001b[2J\",\"id\":1,\"applied\":{}}\n",
            "line 2: \"key\" has a line break or another control character"
        ),
        (
            "HEADER{\"key\":\"a\\u2028b\",\"id\":1,\"applied\":{}}\n",
            "line 2: \"key\" has a line break or another control character"
        ),
        (
            "HEADER{\"key\":\"\(String(repeating: "k", count: 201))\",\"id\":1,\"applied\":{}}\n",
            "line 2: \"key\" has 201 characters, and 200 is the most"
        ),
        ("HEADER{\"key\":\"\u{200B}\",\"id\":1,\"applied\":{}}\n", "line 2: \"key\" has no visible character"),
        (
            "HEADER{\"key\":\"a\",\"id\":1,\"applied\":{\"price\":-5}}\n",
            "line 2: \"applied.price\" is negative"
        ),
        (
            "HEADER{\"key\":\"a\",\"id\":1,\"applied\":{\"price\":5,\"sale_price\":6}}\n",
            "line 2: \"applied.sale_price\" is above the price"
        ),
        ("HEADER<<<<<<< HEAD\n", "line 2: a git conflict is not resolved: '<<<<<<<'"),
        ("HEADER{\"key\":\"a\",\"id\":1,\"id\":2}\n", "line 2: it is not a JSON object without repeated members"),
        (
            "HEADER{\"key\":\"a\",\"id\":1,\"sent_images\":[{\"sha256\":\"x\",\"sha256\":\"y\"}]}\n",
            "line 2: it is not a JSON object without repeated members"
        ),
        // What the market had is read, whatever its currency.
        (
            "HEADER{\"key\":\"a\",\"id\":1,\"applied\":{\"price\":1000.5,\"currency\":\"KRW\"}}\nnot json\n",
            "line 3: it is not a JSON object without repeated members"
        ),
        (
            "HEADER{\"key\":\"a\",\"id\":1,\"applied\":{}}\nnot json\n",
            "line 3: it is not a JSON object without repeated members"
        ),
        (
            "HEADER{\"key\":\"a\",\"id\":1,\"applied\":{}}\n{\"key\":\"a\",\"id\":2,\"applied\":{}}\n",
            "line 3: the key \"a\" is there twice"
        ),
        (
            "HEADER{\"key\":\"a\",\"id\":1,\"applied\":{}}\n{\"key\":\"b\",\"id\":1,\"applied\":{}}\n",
            "line 3: the id 1 is there twice"
        ),
        ("HEADER{\"key\":\"a\",\"id\":1}\n", "line 2: \"applied\" is missing"),
        (
            "HEADER{\"key\":\"a\",\"id\":1,\"applied\":{\"price\":\"1.5\"}}\n",
            "line 2: \"applied.price\" is not a number"
        ),
        (
            "HEADER{\"key\":\"a\",\"id\":1,\"applied\":{},\"colour\":\"red\"}\n",
            "line 2: \"colour\" is unknown to this version"
        ),
        (
            "HEADER{\"key\":\"a\",\"id\":1,\"applied\":{\"images\":[\"sha256:12\"]}}\n",
            "line 2: \"applied.images[0]\" is not a picture"
        ),
        (
            "HEADER{\"key\":\"a\",\"id\":1,\"applied\":{},\"secret\":\"hunter2\"}\n",
            "line 2: \"secret\" is not a reference to a secret"
        ),
    ])
    func `a faulty file is refused with its line, and nothing is written`(text: String, message: String) async throws {
        let store = try await open(path)
        try store.apply([.put(Samples.lamp)])
        let header = try #require(try await export(store).split(separator: "\n").first) + "\n"
        let faulty = text.hasPrefix("HEADER") ? header + String(text.dropFirst(6)) : text
        let error = await #expect(throws: StateError.self) {
            try await StateDocument.import(faulty, into: store, replacing: true)
        }
        #expect(error?.code == .input)
        #expect(error?.message == message)
        #expect(try await store.entries() == [Samples.lamp])
    }

    @Test func `what the writer of lines throws reaches the caller as it is`() async throws {
        struct Closed: Error {}
        let store = try await open(path)
        // More than is written at once.
        let description = String(repeating: "warm ", count: 4_000)
        let entries = (1...20).map { number in
            StateEntry(key: "\(number)", id: MarketID(number), applied: ProductValues(description: description))
        }
        try store.apply(entries.map { .put($0) })
        var pieces = 0
        await #expect(throws: Closed.self) {
            try await StateDocument.export(store) { _ in
                pieces += 1
                if pieces == 2 { throw Closed() }
            }
        }
        #expect(pieces == 2)
    }

    @Test func `where nothing is known of the market, nothing is exported`() async throws {
        let absent = try StateStore.reading(directory.path + "/absent.db", scope: Samples.staging)
        await #expect(throws: StateError(.missing, "the state \(absent.location) is missing")) {
            try await export(absent)
        }
        let store = try await open(path)
        let nothing = StateError(
            .missing,
            "the state \(store.location) does not have http://127.0.0.1:8080 (v2b) as this vendor"
        )
        await #expect(throws: nothing) { try await export(store) }
        // After a run that deleted everything, nothing is what is known.
        try store.apply([.put(Samples.lamp)])
        try await store.begin(Samples.run("r"), operations: [])
        try await store.forget("desk-lamp")
        #expect(try await export(store).contains("\"products\":0"))
    }

    private func export(_ store: StateStore) async throws -> String {
        var text = ""
        try await StateDocument.export(store) { text += String(decoding: $0, as: UTF8.self) }
        return text
    }
}
