@testable import OpenMarket
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing
@testable import OpenMarketState

/// A key has one spelling in a state.
@Suite(.timeLimit(.minutes(1)))
struct StateSpellingTests: ~Copyable {
    let directory = try! TemporaryDirectory()

    private static func entry(_ key: String, _ id: Int64, name: String? = nil) -> StateEntry {
        StateEntry(key: key, id: MarketID(id), applied: ProductValues(name: name))
    }

    /// A state of products with these keys, numbered from 1.
    private func state(_ keys: [String]) async throws -> StateStore {
        let store = try await open(directory.path + "/state.db")
        try store.apply(keys.enumerated().map { .put(Self.entry($1, Int64($0 + 1))) })
        return store
    }

    @Test(arguments: Spellings.all)
    func `every command finds a key in either spelling`(spellings: Spellings) async throws {
        let store = try await state([spellings.composed])
        for spelling in spellings.both {
            #expect(try store.entry(spelling)?.id == 1)
            #expect(Glob(spelling).matches(try await store.entries()[0].key))
        }
        try await store.move(from: spellings.decomposed, to: "x-" + spellings.decomposed)
        #expect(try await store.entries().map { ExactText($0.key) } == [ExactText("x-" + spellings.composed)])
        // The same key is not another key.
        try await store.move(from: "x-" + spellings.composed, to: "x-" + spellings.decomposed)
        #expect(try await store.forget("x-" + spellings.decomposed).id == 1)
        #expect(try await store.entries() == [])
    }

    @Test(arguments: Spellings.all)
    func `a state goes out and in again, whichever way a line spells a key`(spellings: Spellings) async throws {
        let store = try await state([spellings.composed, "plain"])
        var text = ""
        try await StateDocument.export(store) { text += String(decoding: $0, as: UTF8.self) }
        #expect(text.contains(spellings.composed))
        let before = try await store.entries()
        for spelling in spellings.both {
            let line = text.replacing(spellings.composed, with: spelling)
            #expect(try await StateDocument.import(line, into: store, replacing: true) == 2)
            #expect(try await store.entries() == before)
        }
    }

    @Test(arguments: Spellings.all)
    func `two spellings of a key are one key, and may not be there twice`(spellings: Spellings) async throws {
        let store = try await state(["plain"])
        var text = ""
        try await StateDocument.export(store) { text += String(decoding: $0, as: UTF8.self) }
        let header = text.prefix { $0 != "\n" } + "\n"
        let lines = spellings.both.enumerated().map { "{\"id\":\($0 + 7),\"key\":\"\($1)\",\"applied\":{}}\n" }.joined()
        let error = await #expect(throws: StateError.self) {
            try await StateDocument.import(
                header.replacing("\"products\":1", with: "\"products\":2") + lines,
                into: store,
                replacing: true
            )
        }
        #expect(error?.code == .input)
        #expect(error?.message == "line 3: the key \"\(spellings.composed)\" is there twice")
        #expect(try await store.entries() == [Self.entry("plain", 1)])
    }
}
