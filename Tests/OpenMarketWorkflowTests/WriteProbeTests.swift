@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketWorkflow

/// A trial of writing leaves nothing on the market, and touches nothing that is not its own.
struct WriteProbeTests {
    private static let document = """
        market: 1
        name: shelf
        identity:
          id: {at: /id, as: integer, order: rising}
          repeat: {header: Once, hours: 24, replays: errors, for: [create]}
        fields:
          name: {at: /name}
          description: {at: /text}
          price: {at: /price, as: number}
        list:
          path: /items
          page: {by: none}
          rows: ""
          complete: whole
        operations:
          detail: {path: "/items/{id}"}
          create: {method: POST, path: /items, body: json, hidden: {/shown: false}}
          update: {method: PATCH, path: "/items/{id}", body: json}
          delete: {method: DELETE, path: "/items/{id}"}
        """

    private static func tried(
        _ quirk: TrialMarket.Quirk,
        _ document: String = document
    ) async throws -> (WriteProbe, TrialMarket) {
        let market = try TrialMarket(quirk, document)
        let trial = try await market.tried()
        #expect(market.isAsBefore)
        return (trial, market)
    }

    private static let keyed = document.replacing(
        "  repeat:",
        with: "  key: {at: /sku, unique: enforced, find: {query: {sku: \"{key}\"}}}\n  repeat:"
    )

    @Test func `a repeated create that is carried out once is as described`() async throws {
        let (trial, market) = try await Self.tried(.none)
        #expect(trial.isSound, "\(trial)")
        let creates = market.writes.filter { $0.step == .create }
        #expect(creates.count == 2 && creates[0] == creates[1] && creates[0].idempotencyKey != nil)
        #expect(trial.fields.map(\.field) == [.name, .description, .price])
        #expect(trial.fields.allSatisfy { $0.created == .asSent && $0.changed == .asSent })
    }

    @Test func `what is left counts more than an unreadable market, and that more than a wrong description`() throws {
        var trial = WriteProbe(source: [], key: "trial")
        try trial.requireSound()
        trial.steps = [WriteProbe.Step(name: "create", outcome: "400", isSound: false)]
        #expect(throws: CommandFailure(.invalidInput, "the market differs from its description")) {
            try trial.requireSound()
        }
        trial.failure = MarketError(.unreachable, "down")
        #expect(throws: MarketError.self) { try trial.requireSound() }
        trial.remains = "product 7 is still there"
        let left = #expect(throws: CommandFailure.self) { try trial.requireSound() }
        #expect(left?.status == .partialFailure && left?.message == "product 7 is still there")
    }

    @Test func `what a field would show again hides no product, and nothing is sent`() async throws {
        let market = try TrialMarket(.none, Self.document.replacing("{/shown: false}", with: "{/price: 0}"))
        await expectAsyncEnd(.refused, "'create' has two values at '/price': 'hidden' and 'price'") {
            _ = try await market.tried()
        }
        #expect(market.writes.isEmpty)
    }

    @Test func `a second product is found and removed, too, and the line is named`() async throws {
        let (trial, _) = try await Self.tried(.forgetsRepeats)
        #expect(trial.faults.map(\.path) == ["identity.repeat"])
        #expect(trial.faults.first?.position == SourcePosition(line: 5, column: 3))
        #expect(trial.remains == nil)
        // It has the former key still once the first one has another.
        let shared = Self.keyed.replacing("unique: enforced", with: "unique: unenforced")
            .replacing("{key}\"}}}", with: "{key}\"}}, for: [create, update]}")
        let (changed, _) = try await Self.tried(.forgetsRepeats, shared)
        #expect(changed.faults.map(\.path) == ["identity.repeat"], "\(changed.faults)")
        #expect(changed.steps.contains { $0.name == "change key" && $0.isSound })
    }

    @Test func `a repeated create and a unique key are tried apart from each other`() async throws {
        let (sound, market) = try await Self.tried(.none, Self.keyed)
        #expect(sound.isSound, "\(sound)")
        let creates = market.writes.filter { $0.step == .create }
        #expect(creates.count == 3 && creates[0] == creates[1] && Set(creates.map(\.idempotencyKey)).count == 2)
        #expect(Set(creates.map(\.key)).count == 1)
        let (twice, _) = try await Self.tried(.takesKeysTwice, Self.keyed)
        #expect(twice.faults.map(\.path) == ["identity.key.unique"], "\(twice.faults)")
        let (forgotten, _) = try await Self.tried(.forgetsRepeats, Self.keyed)
        #expect(forgotten.faults.map(\.path) == ["identity.repeat"], "\(forgotten.faults)")
    }

    @Test func `once nothing is known of a second create, nothing more is sent but what removes it`() async throws {
        let (trial, market) = try await Self.tried(.losesRepeats)
        #expect(trial.faults.map(\.path) == ["identity.repeat"] && trial.remains == nil)
        let steps = market.writes.map(\.step)
        #expect(steps == [.create, .create, .delete, .delete])
    }

    @Test func `a product that an answer names is not deleted unless it shows the mark`() async throws {
        let (trial, market) = try await Self.tried(.answersWithAnother)
        #expect(!trial.isSound)
        let deleted = market.writes.compactMap { request -> MarketID? in
            if case .delete(let id, _) = request.kind { id } else { nil }
        }
        #expect(deleted == [MarketID(2)])
        #expect(!market.writes.contains { $0.step == .update }, "another seller's product was changed")
    }

    @Test func `a product whose reply was lost is removed`() async throws {
        let (trial, _) = try await Self.tried(.losesReplies)
        #expect(!trial.isSound && trial.remains == nil)
    }

    @Test func `a market that asks to wait is not blamed for it`() async throws {
        let (trial, _) = try await Self.tried(.asksToWait, Self.keyed)
        #expect(trial.isSound, "\(trial)")
    }

    @Test func `a field that is not kept is named once for each request that said it`() async throws {
        let (trial, _) = try await Self.tried(.keepsNoTexts)
        #expect(Set(trial.faults.map(\.path)) == ["fields.description"])
        #expect(trial.fields.first { $0.field == .description }?.created == .missing)
    }

    @Test func `a key that is not shown, and a product that is only listed, are named at their lines`() async throws {
        let (keyless, _) = try await Self.tried(.hidesKeys, Self.keyed)
        #expect(keyless.faults.map(\.path) == ["identity.key.at"], "\(keyless.faults)")
        let (listed, _) = try await Self.tried(.hidesDetails)
        #expect(listed.faults.map(\.path) == ["operations.detail"] && listed.remains == nil, "\(listed.faults)")
    }

    @Test func `where no change is carried out, that is not for the lines of the fields`() async throws {
        let (trial, _) = try await Self.tried(.refusesChanges)
        #expect(trial.faults.map(\.path) == ["operations.update"], "\(trial.faults)")
    }

    @Test func `where we choose the ids, the product has one of the trial's`() async throws {
        let chosen = Self.document.replacing("as: integer, order: rising", with: "as: text, chosen_by: us")
            .replacing("method: POST, path: /items,", with: "method: PUT, path: \"/items/{id}\",")
        let (trial, market) = try await Self.tried(.none, chosen)
        #expect(trial.isSound, "\(trial)")
        #expect(trial.product == MarketID(text: trial.key))
        #expect(Set(market.writes.map(\.key)).contains(trial.key))
    }

    @Test(arguments: 1..<30) func `whatever commit of the journal is the last one, the next trial clears up`(last: Int)
        async throws
    {
        struct Crash: Error {}
        let market = try TrialMarket(.none, Self.document)
        let commits = Mutex(0)
        let state = MemoryState(wallTime: { Timestamp(rawValue: 1000) }) { isDone, _ in
            let isOver = commits.withLock { count in
                if !isDone { count += 1 }
                return count > last
            }
            if isOver { throw Crash() }
        }
        let first = try? await market.tried(state)
        commits.withLock { $0 = .min }
        _ = try await market.tried(state)
        #expect(market.isAsBefore)
        if first == nil { #expect(market.writes.contains { $0.step == .delete }) }
    }
}
