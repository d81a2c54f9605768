import OpenMarket
import OpenMarketApply
import OpenMarketDescription
import OpenMarketTestSupport
import Synchronization
import Testing

@testable import OpenMarketWorkflow

/// A trial of writing tries pictures, keys that change, and what is said of a product that is gone.
struct MarketTrialPictureTests {
    private static let document = """
        market: 1
        name: rack
        identity:
          id: {at: /id, as: integer, order: rising}
          key: {at: /sku, unique: unenforced, find: {query: {sku: "{key}"}}, for: [create, update]}
        fields:
          name: {at: /name}
        pictures:
          style: base64
          write: {at: /images}
          read: {at: /images, id: /id, url: /url}
          change: in_place
          clear: "[]"
        list: {path: /items, page: {by: none}, rows: "", complete: whole}
        operations:
          detail: {path: "/items/{id}"}
          create: {method: POST, path: /items, body: json, hidden: {/shown: false}}
          update: {method: PATCH, path: "/items/{id}", body: json}
          delete: {method: DELETE, path: "/items/{id}"}
        """

    private enum Quirk: CaseIterable {
        case none, holdsOne, keepsPictures, keepsKeys, findsFormerKeys, failsForMissing
    }

    /// A market in memory that does what its description says, but for a quirk.
    private final class Rack: Market {
        struct Content {
            var products: [MarketID: LiveProduct] = [:]
            var keys: [MarketID: Set<String>] = [:]
            var next: Int64 = 1
            var writes: [WriteRequest] = []
        }

        let profile: MarketProfile
        let quirk: Quirk
        let content = Mutex(Content())

        init(_ quirk: Quirk, _ document: String) throws {
            profile = try MarketProfile(document: Array(document.utf8))
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

        func product(_ id: MarketID) async throws -> LiveProduct? {
            let product = content.withLock { $0.products[id] }
            guard product == nil, quirk == .failsForMissing else { return product }
            throw MarketError(.refused, "410 Gone", status: 410)
        }

        func products(withKey key: String) async throws -> [LiveProduct] {
            content.withLock { content in
                content.products.values.filter { product in
                    product.key == key
                        || quirk == .findsFormerKeys && content.keys[product.id]?.contains(key) == true
                }
            }
        }

        func picture(at url: String) async throws -> FetchedPicture { throw MarketError(.refused, "no picture") }
        func pictureDigest(at url: String) async throws -> ContentDigest { throw MarketError(.refused, "no picture") }

        private static func images(_ count: Int) -> [LiveProduct.Image] {
            (0..<count).map { LiveProduct.Image(id: MarketID(Int64($0 + 1)), url: "/\($0)") }
        }

        func perform(_ request: WriteRequest) async -> WriteOutcome {
            content.withLock { content in
                content.writes.append(request)
                switch request.kind {
                case .create(let values, let pictures):
                    var product = LiveProduct(id: MarketID(content.next), values: values)
                    product.images = Self.images(pictures.count)
                    product.key = request.key
                    content.products[product.id] = product
                    content.keys[product.id] = request.key.map { [$0] } ?? []
                    content.next += 1
                    return .succeeded(WriteReply(product: product))
                case .update(let id, let update):
                    for field in update.changed { content.products[id]?.values[field] = update.desired[field] }
                    if update.changed.contains(.images), !(quirk == .keepsPictures && update.pictures.isEmpty) {
                        let count = quirk == .holdsOne ? min(1, update.pictures.count) : update.pictures.count
                        content.products[id]?.images = Self.images(count)
                    }
                    if update.changesKey, quirk != .keepsKeys { content.products[id]?.key = request.key }
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

    private static func tried(
        _ quirk: Quirk,
        _ document: String = document,
        addresses: [String] = []
    ) async throws -> (trial: MarketTrial, writes: [WriteRequest]) {
        let rack = try Rack(quirk, document)
        let scope = MarketScope(url: "https://a.example", profile: rack.profile, identifier: nil)
        let trial = try await MemoryState().holding(scope, for: "test") { held in
            let session = Session(
                market: rack,
                holding: held,
                acceptedDescription: rack.profile.digest,
                tool: "test",
                environment: ExecutionEnvironment(
                    clock: InstantClock(),
                    wallTime: { Timestamp(rawValue: 1000) }
                )
            )
            return try await TrialPicture.withFiles { pictures in
                try await session.tryWriting(pictures: pictures + addresses.map { TrialPicture.fetched(from: $0) })
            }
        }
        #expect(rack.content.withLock { $0.products.isEmpty }, "the product is left")
        return (trial, rack.content.withLock { $0.writes })
    }

    private static func pictures(_ writes: [WriteRequest]) -> [[Picture]] {
        writes.compactMap { write in
            switch write.kind {
            case .create(_, let pictures): pictures
            case .update(_, let update): update.changed.contains(.images) ? update.pictures : nil
            default: nil
            }
        }
    }

    @Test func `a second picture is put beside the first, and both are taken away`() async throws {
        let (trial, writes) = try await Self.tried(.none)
        #expect(trial.isSound, "\(trial)")
        let images = try #require(trial.fields.first { $0.field == .images })
        #expect(images.created == .asSent && images.changed == .asSent && images.cleared == .asSent)
        #expect(Self.pictures(writes).map(\.count) == [1, 2, 0])
        #expect(Set(Self.pictures(writes).joined().map(\.digest)).count == 2)
        #expect(trial.steps.map(\.name) == ["create", "find", "change key", "delete", "read again"])
    }

    @Test(arguments: [
        (Quirk.holdsOne, "pictures"), (.keepsPictures, "pictures"), (.keepsKeys, "identity.key.for"),
        (.findsFormerKeys, "identity.key.for"), (.failsForMissing, "operations.detail.missing"),
    ])
    private func `what is not as described is named at its line`(quirk: Quirk, path: String) async throws {
        let (trial, _) = try await Self.tried(quirk)
        #expect(!trial.isSound)
        #expect(trial.faults.map(\.path) == [path], "\(trial.faults)")
        #expect(trial.remains == nil)
    }

    @Test func `where there is room for one picture, no second one is sent`() async throws {
        let one = Self.document.replacing("write: {at: /images}", with: "write: {at: /images, one: true}")
            .replacing("clear: \"[]\"", with: "clear: null")
        let (trial, writes) = try await Self.tried(.holdsOne, one)
        #expect(trial.isSound, "\(trial)")
        #expect(trial.fields.first { $0.field == .images }?.changed == .untried("one picture"))
        #expect(Self.pictures(writes).map(\.count) == [1, 0])
    }

    @Test func `a market that fetches pictures is given addresses, and no files`() async throws {
        let fetching = Self.document.replacing("style: base64", with: "style: url")
        let addresses = ["https://pictures.example/a.png", "https://pictures.example/b.png"]
        let (trial, writes) = try await Self.tried(.none, fetching, addresses: addresses)
        #expect(trial.isSound, "\(trial)")
        #expect(Self.pictures(writes).map { $0.compactMap(\.address) } == [[addresses[0]], addresses, []])
        let (without, none) = try await Self.tried(.none, fetching)
        #expect(without.isSound && Self.pictures(none).allSatisfy(\.isEmpty))
    }
}
