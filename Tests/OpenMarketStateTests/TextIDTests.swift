@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// A state whose market calls products by texts.
struct TextIDTests {
    private static let scope = MarketScope(url: "https://shop.example", name: "shop", parameters: [:], identifier: nil)
    private static let ids = ["prod_1", "007", "7", "7.0", "1e3", "\u{E9}", "e\u{301}", "상품", "it's \"one\""]
        .map(MarketID.text)
    private static let entries = ids.enumerated().map { number, id in
        StateEntry(key: "k\(number)", id: id, applied: ProductValues(name: "Lamp", price: 5), issuedAt: "now")
    }

    @Test(arguments: ConformanceTests.Kind.allCases)
    func `texts stay what they are in entries, in the journal, and through an export`(
        _ kind: ConformanceTests.Kind
    ) async throws {
        try await kind.test { backend in
            let text = try await backend.holding(Self.scope, for: "test") { state in
                try await state.apply(Self.entries.map(StateMutation.put))
                for entry in Self.entries {
                    #expect(try await state.entry(entry.key) == entry)
                    #expect(try await state.keys()[entry.id] == entry.key)
                }
                #expect(try await Set(state.snapshot().entries.ids) == Set(Self.ids))
                // "7" is released, and neither 007 nor 7.0.
                try await state.apply([.release(key: "k1", id: .text("7")), .release(key: "k2", id: .text("7"))])
                #expect(try await state.entry("k1") != nil)
                #expect(try await state.entry("k2") == nil)
                try await state.apply([.put(Self.entries[2])])

                let run = RunID(rawValue: "r")
                try await state.begin(Samples.run("r"), operations: [Samples.operation(.create, "new")])
                _ = try await state.record(
                    JournalEvent(run: run, sequence: 0, number: 1, fact: .sent(.create, highWater: nil))
                )
                _ = try await state.record(
                    JournalEvent(run: run, sequence: 0, number: 2, fact: .advanced(.create, created: .text("007")))
                )
                var text = ""
                try await StateDocument.export(state) { text += String(decoding: $0, as: UTF8.self) }
                return text
            }
            try await backend.reading(Self.scope) { (state) async throws in
                #expect(try await state.unresolved().map(\.created) == [.text("007")])
            }
            try await ConformanceTests.Kind.memory.test { other in
                try await other.holding(Self.scope, for: "test") { state in
                    let count = try await StateDocument.import(text, into: state)
                    #expect(count == Self.entries.count)
                    let ids = try await state.snapshot().entries.ids
                    #expect(Set(ids) == Set(Self.ids))
                }
            }
        }
    }
}
