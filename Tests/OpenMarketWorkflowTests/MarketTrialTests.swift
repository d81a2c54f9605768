import OpenMarket
import OpenMarketApply
import OpenMarketDescription
import OpenMarketTestSupport
import Synchronization
import Testing

@testable import OpenMarketWorkflow

/// A trial of writing leaves nothing on the market, and touches nothing that is not its own.
struct MarketTrialTests {
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

    /// A shop that knows repeated creates, unless it has a quirk.
    private final class Shelf: Market {
        enum Quirk { case none, forgetsRepeats, answersWithAnother, losesReplies, keepsNoTexts }

        struct Content {
            var products: [MarketID: LiveProduct] = [
                MarketID(1): LiveProduct(id: MarketID(1), values: ProductValues(name: "Another seller's"))
            ]
            var next: Int64 = 2
            var made: [String: MarketID] = [:]
            var writes: [WriteRequest] = []
        }

        let profile: MarketProfile
        let quirk: Quirk
        let content = Mutex(Content())

        init(_ quirk: Quirk) throws {
            profile = try MarketProfile(document: Array(MarketTrialTests.document.utf8))
            self.quirk = quirk
        }

        func requireProfile() async throws {}

        func walk(
            details: Bool,
            row: (LiveProduct) async throws -> Void,
            problem: (RowProblem) async throws -> Void
        ) async throws -> CatalogSummary {
            for product in content.withLock({ Array($0.products.values) }) { try await row(product) }
            var summary = CatalogSummary()
            summary.completeness = .proved(.whole)
            return summary
        }

        func product(_ id: MarketID) async throws -> LiveProduct? { content.withLock { $0.products[id] } }
        func picture(at url: String) async throws -> FetchedPicture { throw MarketError(.refused, "no picture") }
        func pictureDigest(at url: String) async throws -> ContentDigest { throw MarketError(.refused, "no picture") }

        func perform(_ request: WriteRequest) async -> WriteOutcome {
            content.withLock { content in
                content.writes.append(request)
                switch request.kind {
                case .create(var values, _):
                    if quirk == .keepsNoTexts { values.description = nil }
                    if quirk != .forgetsRepeats, let key = request.repeatKey, let id = content.made[key] {
                        return .succeeded(WriteReply(product: content.products[id]))
                    }
                    let product = LiveProduct(id: MarketID(content.next), values: values)
                    content.products[product.id] = product
                    content.next += 1
                    if let key = request.repeatKey { content.made[key] = product.id }
                    if quirk == .losesReplies { return .uncertain(WriteTrouble("the connection broke")) }
                    return .succeeded(
                        WriteReply(product: quirk == .answersWithAnother ? content.products[MarketID(1)] : product)
                    )
                case .update(let id, let update):
                    for field in update.changed where !(quirk == .keepsNoTexts && field == .description) {
                        content.products[id]?.values[field] = update.desired[field]
                    }
                    return .succeeded(WriteReply(product: content.products[id]))
                case .delete(let id, _):
                    content.products[id] = nil
                    return .succeeded(WriteReply())
                default: return .refused(WriteRefusal(.other, status: 405, message: "no such request"))
                }
            }
        }
    }

    /// A clock on which nothing waits.
    private struct InstantClock: Clock {
        typealias Instant = ContinuousClock.Instant
        var now: Instant { ContinuousClock.now }
        var minimumResolution: Duration { .nanoseconds(1) }
        func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
    }

    private static let environment = ExecutionEnvironment(
        clock: InstantClock(),
        wallTime: { Timestamp(rawValue: 1000) }
    )

    private static func tried(_ shelf: Shelf, _ state: MemoryState = MemoryState()) async throws -> MarketTrial {
        let scope = MarketScope(url: "https://a.example", profile: shelf.profile, identifier: nil)
        return try await state.holding(scope, for: "test") { held in
            let session = Session(
                market: shelf,
                holding: held,
                acceptedDescription: shelf.profile.digest,
                tool: "test",
                environment: environment
            )
            return try await session.tryWriting()
        }
    }

    private static func requireAlone(_ shelf: Shelf) {
        let products = shelf.content.withLock { $0.products }
        #expect(products.map(\.key) == [MarketID(1)])
        #expect(products[MarketID(1)]?.name == "Another seller's")
    }

    @Test func `a repeated create that is carried out once is as described`() async throws {
        let shelf = try Shelf(.none)
        let trial = try await Self.tried(shelf)
        #expect(trial.isSound, "\(trial)")
        let creates = shelf.content.withLock { $0.writes }.filter { $0.step == .create }
        #expect(creates.count == 2 && creates[0] == creates[1] && creates[0].repeatKey != nil)
        #expect(trial.fields.map(\.field) == [.name, .description, .price])
        #expect(trial.fields.allSatisfy { $0.created == .asSent && $0.changed == .asSent })
        Self.requireAlone(shelf)
    }

    @Test func `a second product is found and removed, too, and the line is named`() async throws {
        let shelf = try Shelf(.forgetsRepeats)
        let trial = try await Self.tried(shelf)
        #expect(trial.faults.map(\.path) == ["identity.repeat"])
        #expect(trial.faults.first?.position == SourcePosition(line: 5, column: 3))
        #expect(trial.remains == nil)
        Self.requireAlone(shelf)
    }

    @Test func `a product that an answer names is not deleted unless it shows the mark`() async throws {
        let shelf = try Shelf(.answersWithAnother)
        let trial = try await Self.tried(shelf)
        #expect(!trial.isSound)
        let deleted = shelf.content.withLock { $0.writes }.compactMap { request -> MarketID? in
            if case .delete(let id, _) = request.kind { id } else { nil }
        }
        #expect(deleted == [MarketID(2)])
        let changed = shelf.content.withLock { $0.writes }.contains { $0.step == .update }
        #expect(!changed, "another seller's product was changed")
        Self.requireAlone(shelf)
    }

    @Test func `a product whose reply was lost is removed`() async throws {
        let shelf = try Shelf(.losesReplies)
        let trial = try await Self.tried(shelf)
        #expect(!trial.isSound && trial.remains == nil)
        Self.requireAlone(shelf)
    }

    @Test func `a field that is not kept is named once for each request that said it`() async throws {
        let shelf = try Shelf(.keepsNoTexts)
        let trial = try await Self.tried(shelf)
        #expect(Set(trial.faults.map(\.path)) == ["fields.description"])
        #expect(trial.fields.first { $0.field == .description }?.created == .missing)
        Self.requireAlone(shelf)
    }

    @Test(arguments: 1..<30) func `whatever commit of the journal is the last one, the next trial clears up`(last: Int)
        async throws
    {
        struct Crash: Error {}
        let shelf = try Shelf(.none)
        let commits = Mutex(0)
        let state = MemoryState(wallTime: { Timestamp(rawValue: 1000) }) { isDone, _ in
            let isOver = commits.withLock { count in
                if !isDone { count += 1 }
                return count > last
            }
            if isOver { throw Crash() }
        }
        let first = try? await Self.tried(shelf, state)
        commits.withLock { $0 = .min }
        _ = try await Self.tried(shelf, state)
        Self.requireAlone(shelf)
        if first == nil { #expect(shelf.content.withLock { $0.writes }.contains { $0.step == .delete }) }
    }
}
