@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
@testable import OpenMarketWorkflow

/// A market in memory that a trial writes to: it does what its description says, but for a quirk.
final class TrialMarket: Sendable {
    enum Quirk {
        case none
        /// Of creates.
        case forgetsRepeats, takesKeysTwice, answersWithAnother, losesReplies, losesRepeats, asksToWait
        /// Of what is shown.
        case keepsNoTexts, hidesKeys, hidesDetails, failsForMissing
        /// Of pictures.
        case holdsOne, addsPictures, keepsPictures
        /// Of changes.
        case refusesChanges, keepsKeys, findsFormerKeys
    }

    struct Content {
        var products: [MarketID: LiveProduct] = [:]
        var keys: [MarketID: Set<String>] = [:]
        var next: Int64 = 1
        var made: [String: MarketID] = [:]
        var writes: [WriteRequest] = []
        var attempts = 0
    }

    let profile: MarketProfile
    let quirk: Quirk
    let content = Mutex(Content())

    /// A market that has one product of another seller.
    init(_ quirk: Quirk, _ document: String) throws {
        profile = try MarketProfile(document: Array(document.utf8))
        self.quirk = quirk
        content.withLock { _ = Self.insert(ProductValues(name: "Another seller's"), MarketID(1), into: &$0) }
    }

    /// Whether nothing is left of the trial, and the product of another seller is as it was.
    var isAsBefore: Bool {
        let products = content.withLock { $0.products }
        return products.count == 1 && products[MarketID(1)]?.name == "Another seller's"
    }

    var writes: [WriteRequest] { content.withLock { $0.writes } }

    private static func insert(_ values: ProductValues, _ id: MarketID, into content: inout Content) -> LiveProduct {
        let product = LiveProduct(id: id, values: values)
        content.products[id] = product
        content.next += 1
        return product
    }

    var market: StandInMarket {
        StandInMarket(
            profile: profile,
            onWalk: { list in list = self.content.withLock { Array($0.products.values) } },
            onDetail: product,
            onKey: products,
            onWrite: perform
        )
    }

    private func product(_ id: MarketID) throws -> LiveProduct? {
        let product = quirk == .hidesDetails ? nil : content.withLock { $0.products[id] }
        guard product == nil, quirk == .failsForMissing else { return product }
        throw MarketError(.unreadable, "the market's answer is not one of its API (HTTP 404)", status: 404)
    }

    private func products(withKey key: String) -> [LiveProduct] {
        content.withLock { content in
            content.products.values.filter { product in
                product.key == key || quirk == .findsFormerKeys && content.keys[product.id]?.contains(key) == true
            }
        }
    }

    private static func images(_ count: Int) -> [LiveProduct.Image] {
        (0..<count).map { LiveProduct.Image(id: MarketID(Int64($0 + 1)), url: "/\($0)") }
    }

    private func perform(_ request: WriteRequest) -> WriteOutcome {
        content.withLock { content in
            content.attempts += 1
            // Every second request has to wait.
            if quirk == .asksToWait, content.attempts.isMultiple(of: 2) { return .notSent(WriteTrouble("429")) }
            content.writes.append(request)
            switch request.kind {
            case .create(let values, let pictures): return create(values, pictures, request, &content)
            case .update(let id, let update): return change(id, update, request, &content)
            case .delete(let id, _):
                content.products[id] = nil
                return .succeeded(WriteReply())
            default: return .refused(WriteRefusal(.other, status: 405, message: "no such request"))
            }
        }
    }

    private func create(
        _ values: ProductValues,
        _ pictures: [Picture],
        _ request: WriteRequest,
        _ content: inout Content
    ) -> WriteOutcome {
        var values = values
        if quirk == .keepsNoTexts { values.description = nil }
        let earlier = request.idempotencyKey.flatMap { content.made[$0] }
        if let earlier, quirk != .forgetsRepeats, quirk != .losesRepeats {
            return .succeeded(WriteReply(product: content.products[earlier]))
        }
        let isUnique = profile.capabilities.key?.uniqueness == .enforced && quirk != .takesKeysTwice
        if isUnique, let key = request.key, content.products.values.contains(where: { $0.key == key }) {
            return .refused(WriteRefusal(.duplicate, status: 409, message: "the key is taken"))
        }
        var id = MarketID(content.next)
        if profile.capabilities.choosesIDs {
            guard let chosen = request.key.flatMap({ MarketID(text: $0) }) else {
                return .refused(WriteRefusal(.other, status: 400, message: "no id"))
            }
            id = chosen
        }
        var product = Self.insert(values, id, into: &content)
        product.images = Self.images(pictures.count)
        if quirk != .hidesKeys, profile.capabilities.key != nil { product.key = request.key }
        content.products[id] = product
        content.keys[id] = request.key.map { [$0] } ?? []
        if let key = request.idempotencyKey { content.made[key] = id }
        if quirk == .losesReplies || quirk == .losesRepeats && earlier != nil {
            return .uncertain(WriteTrouble("the connection broke"))
        }
        return .succeeded(WriteReply(product: quirk == .answersWithAnother ? content.products[MarketID(1)] : product))
    }

    private func change(
        _ id: MarketID,
        _ update: ProductUpdate,
        _ request: WriteRequest,
        _ content: inout Content
    ) -> WriteOutcome {
        guard quirk != .refusesChanges else {
            return .refused(WriteRefusal(.other, status: 405, message: "no such request"))
        }
        for field in update.changed where !(quirk == .keepsNoTexts && field == .description) {
            content.products[id]?.values[field] = update.desired[field]
        }
        if update.changed.contains(.images), !(quirk == .keepsPictures && update.pictures.isEmpty) {
            var count = update.pictures.count
            if quirk == .addsPictures, count > 0 { count += content.products[id]?.images?.count ?? 0 }
            content.products[id]?.images = Self.images(quirk == .holdsOne ? min(1, count) : count)
        }
        if update.changesKey, quirk != .keepsKeys { content.products[id]?.key = request.key }
        return .succeeded(WriteReply(product: content.products[id]))
    }
}

/// A clock on which nothing waits.
struct InstantClock: Clock {
    typealias Instant = ContinuousClock.Instant
    var now: Instant { ContinuousClock.now }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}

extension TrialMarket {
    /// Tries to write to it, with a journal in the state; the market fetches pictures at the addresses itself.
    func tried(_ state: MemoryState = MemoryState(), addresses: [String] = []) async throws -> WriteProbe {
        let scope = MarketScope(url: "https://a.example", profile: profile, identifier: nil)
        return try await state.holding(scope, for: "test") { held in
            let session = Session(
                market: market,
                reading: held,
                holding: held,
                accepting: profile.digest,
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
    }
}
