import Foundation
@testable import OpenMarket
@testable import OpenMarketClient
@testable import OpenMarketTestSupport
import Synchronization

/// What is between a client and the model: latency, and the trouble that a seed draws.
///
/// What befalls a request depends on the seed, on what it asks and on how often it was asked, not on what else is under
/// way, so that a history stays the same where only the order of a dictionary differs.
final class ModelNetwork: Transport {
    private struct State {
        var market: ModelMarket
        var weather = Weather.calm
        var counts: [String: Int] = [:]
        var late: [(due: Duration, request: ModelRequest)] = []
        var writes = 0
        var day: Int
        var isDead = false
    }

    private let seed: UInt64
    private let scheduler: SimulatedScheduler
    private let clock: SimulatedClock
    private let state: Mutex<State>
    /// Called with every request and its outcome.
    private let onRequest: @Sendable (String) -> Void
    /// A moment at which the process may die; says whether it lives.
    private let survives: @Sendable () -> Bool

    init(
        market: ModelMarket,
        seed: UInt64,
        scheduler: SimulatedScheduler,
        day: Int = 19_311,
        survives: @escaping @Sendable () -> Bool = { true },
        onRequest: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.seed = seed
        self.scheduler = scheduler
        clock = SimulatedClock(scheduler: scheduler)
        state = Mutex(State(market: market, day: day))
        self.survives = survives
        self.onRequest = onRequest
    }

    /// The market as it is.
    var market: ModelMarket { state.withLock { $0.market } }
    var day: Int { state.withLock { $0.day } }

    /// Changes the market by other hands than ours.
    func change(_ body: (inout ModelMarket) -> Void) { state.withLock { body(&$0.market) } }

    func setWeather(_ weather: Weather) { state.withLock { $0.weather = weather } }

    /// The market's calendar jumps.
    func setDay(_ day: Int) { state.withLock { $0.day = day } }

    /// What requests did since the last time, and how many that may write were sent.
    func takeEffects() -> (effects: [ModelMarket.Effect], writes: Int) {
        state.withLock { state in
            defer { (state.market.effects, state.writes) = ([], 0) }
            return (state.market.effects, state.writes)
        }
    }

    /// Whatever is still on its way arrives.
    func carryOutLate() { carryOutLate(until: nil) }

    private func carryOutLate(until now: Duration?) {
        state.withLock { state in
            while let index = state.late.firstIndex(where: { late in now.map { late.due <= $0 } ?? true }) {
                let late = state.late.remove(at: index)
                var dice = SeededGenerator(seed: seed)
                _ = state.market.answer(late.request, at: late.due, day: state.day, dice: &dice)
            }
        }
    }

    // MARK: - Transport

    func send(_ sent: TransportRequest, limit: Int) async throws(TransportFailure) -> TransportReply {
        var request = ModelRequest(method: sent.method, path: String(sent.url.dropFirst(ModelMarket.base.count)))
        for header in sent.headers { request.headers[header.name.lowercased()] = header.value }
        request.headers["content-type"] = sent.body.contentType
        request.body = try sent.body.bytes()
        guard survives() else { throw TransportFailure("the process is dead", mayHaveArrived: false) }
        var dice = dice(for: request)
        try? await clock.sleep(for: .milliseconds(Int.random(in: 1...40, using: &dice)))
        let outcome = carryOut(request, &dice)
        guard survives() else { throw TransportFailure("the process is dead", mayHaveArrived: true) }
        switch outcome {
        case .reply(let reply):
            var headers = reply.headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
            if let type = reply.contentType { headers.append((name: "content-type", value: type)) }
            return TransportReply(status: reply.status, headers: headers, body: reply.body)
        case .noConnection: throw TransportFailure("connection refused", mayHaveArrived: false)
        case .cut: throw TransportFailure("the connection broke", mayHaveArrived: true)
        }
    }

    private func dice(for request: ModelRequest) -> SeededGenerator {
        let name = "\(request.method) \(request.path)"
        let count = state.withLock { state in
            state.counts[name, default: 0] += 1
            return state.counts[name] ?? 0
        }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        var mixed = SeededGenerator(seed: hash &+ UInt64(count) &* 7919 &+ seed &* 0x9E37_79B9)
        return SeededGenerator(seed: mixed.next())
    }

    private func carryOut(_ request: ModelRequest, _ dice: inout SeededGenerator) -> ModelOutcome {
        let now = scheduler.now
        carryOutLate(until: now)
        let (outcome, trouble) = state.withLock { state -> (ModelOutcome, Weather.Trouble?) in
            let trouble = state.weather.trouble(&dice)
            if ModelMarket.isWriting(request) { state.writes += 1 }
            return (Self.befall(trouble, request, at: now, &state, &dice), trouble)
        }
        onRequest(Self.line(request, outcome, trouble))
        return outcome
    }

    private static func befall(
        _ trouble: Weather.Trouble?,
        _ request: ModelRequest,
        at now: Duration,
        _ state: inout State,
        _ dice: inout SeededGenerator
    ) -> ModelOutcome {
        func honest(_ dice: inout SeededGenerator) -> ModelReply {
            state.market.answer(request, at: now, day: state.day, dice: &dice)
        }
        let isPage = request.path.hasPrefix("/items/") || request.path.contains("page_no=")
        switch trouble {
        case nil: return .reply(honest(&dice))
        case .noConnection: return .noConnection
        case .cutBefore: return .cut
        case .cutAfter:
            _ = honest(&dice)
            return .cut
        case .lateEffect:
            guard ModelMarket.isWriting(request) else { return .cut }
            // Less than the settle delay, which is what is promised.
            state.late.append((due: now + .milliseconds(Int.random(in: 100...2500, using: &dice)), request: request))
            return .cut
        case .overload:
            var reply = ModelReply.text(429, "Too many requests")
            reply.headers["retry-after"] = "\(Int.random(in: 0...3, using: &dice))"
            return .reply(reply)
        case .failureBefore: return .reply(.json(500, .object(of: ("error", .string("Internal Server Error")))))
        case .failureAfter:
            _ = honest(&dice)
            return .reply(.json(500, .object(of: ("error", .string("Internal Server Error")))))
        case .pageBefore:
            return .reply(.page([200, 302, 400, 401, 403, 404, 404, 429, 502, 503].randomElement(using: &dice) ?? 502))
        case .pageAfter:
            _ = honest(&dice)
            return .reply(.page([200, 302, 400, 403, 404, 404, 502, 503].randomElement(using: &dice) ?? 502))
        case .otherProduct:
            let reply = honest(&dice)
            guard !isPage, let other = state.market.products.keys.sorted().randomElement(using: &dice) else {
                return .reply(reply)
            }
            let path = state.market.isV1 ? "/item/\(other)" : "/api/products/\(other)"
            let another = state.market.answer(ModelRequest(method: "GET", path: path), at: now, day: 0, dice: &dice)
            return .reply(another.status < 300 ? another : reply)
        case .null, .absent, .cutText, .foldedText, .reorderedPictures:
            return .reply(garbled(honest(&dice), trouble, isPage: isPage, &dice))
        case .repeatedPage:
            guard isPage, let before = pageBefore(request) else { return .reply(honest(&dice)) }
            return .reply(state.market.answer(before, at: now, day: state.day, dice: &dice))
        case .emptyPage:
            // Nor can an early end that is there twice.
            guard isPage, !state.market.isV1 || request.path == "/items/1" else { return .reply(honest(&dice)) }
            let bodies = ["", "[]", "{}", #"{"pages":[]}"#, #"{"items":[]}"#]
            let body = bodies.randomElement(using: &dice) ?? ""
            return .reply(
                ModelReply(status: body.isEmpty ? 204 : 200, contentType: "application/json", body: Array(body.utf8))
            )
        case .shortPage, .lyingTotal, .unreadableIDs:
            return .reply(isPage ? misled(honest(&dice), trouble, &dice) : honest(&dice))
        }
    }

    /// A reply whose page or product is not what the database has.
    private static func garbled(
        _ reply: ModelReply,
        _ trouble: Weather.Trouble?,
        isPage: Bool,
        _ dice: inout SeededGenerator
    ) -> ModelReply {
        guard var value = try? JSONValue.parse(reply.body), reply.status < 300 else { return reply }
        if isPage {
            for list in ["items", "pages"] {
                guard case .array(let rows)? = value[list] else { continue }
                value[member: list] = .array(rows.map { garbled($0, trouble, isRow: true, &dice) })
            }
        } else {
            value = garbled(value, trouble, isRow: false, &dice)
        }
        var result = reply
        result.body = value.bytes()
        return result
    }

    private static func garbled(
        _ product: JSONValue,
        _ trouble: Weather.Trouble?,
        isRow: Bool,
        _ dice: inout SeededGenerator
    ) -> JSONValue {
        // Dirty rows have no numbers; without a name in rows namesakes could not be found.
        let fields = ["price", "discounted_price", "stock", "currency", "bargain_price", "vendor_id", "thumbnail"]
        let ofDetails = ["name", "title", "description", "descriptions", "images", "thumbnails"]
        let field = (isRow ? fields : fields + ofDetails).randomElement(using: &dice) ?? "price"
        var product = product
        switch trouble {
        case .null: if product[field] != nil { product[member: field] = .null }
        case .absent: product[member: field] = nil
        case .cutText:
            for name in ["description", "descriptions"] + (isRow ? [] : ["name", "title"]) {
                if let text = product[name]?.text { product[member: name] = .string(String(text.prefix(8))) }
            }
        case .foldedText:
            let composes = Bool.random(using: &dice)
            for name in ["name", "title", "description", "descriptions"] {
                guard let text = product[name]?.text else { continue }
                product[member: name] = .string(
                    composes ? text.precomposedStringWithCanonicalMapping : text.decomposedStringWithCanonicalMapping
                )
            }
        case .reorderedPictures:
            // Each generation's own: thumbnails move with their pictures.
            if case .array(let images)? = product["images"] { product[member: "images"] = .array(images.reversed()) }
            if case .array(let small)? = product["thumbnails"] {
                product[member: "thumbnails"] = .array(small.reversed())
            }
        default: break
        }
        return product
    }

    /// A page that says what is not so about the list.
    private static func misled(
        _ reply: ModelReply,
        _ trouble: Weather.Trouble?,
        _ dice: inout SeededGenerator
    ) -> ModelReply {
        guard var page = try? JSONValue.parse(reply.body) else { return reply }
        switch trouble {
        case .lyingTotal:
            for name in ["total_count", "totalCount"] where page[name] != nil {
                let total = Int(page[name]?.decimal?.double ?? 0)
                page[member: name] = .integer(
                    max(0, [0, total - 1, total + 1, total + 7].randomElement(using: &dice) ?? 0)
                )
            }
        case .shortPage:
            // Without a total, a row that is left out twice cannot be missed.
            guard let rows = page["pages"]?.elements, rows.count > 1 else { return reply }
            page[member: "pages"] = .array(Array(rows.dropLast()))
        default:
            for list in ["items", "pages"] {
                guard let rows = page[list]?.elements else { continue }
                let victim = Int.random(in: 0..<max(1, rows.count), using: &dice)
                page[member: list] = .array(
                    rows.enumerated().map { index, row in
                        var row = row
                        if index == victim { row[member: "id"] = .null }
                        return row
                    }
                )
            }
        }
        var result = reply
        result.body = page.bytes()
        return result
    }

    private static func pageBefore(_ request: ModelRequest) -> ModelRequest? {
        var request = request
        if request.path.hasPrefix("/items/"), let page = Int(request.path.dropFirst(7)), page > 1 {
            request.path = "/items/\(page - 1)"
            return request
        }
        guard let start = request.path.firstRange(of: "page_no=") else { return nil }
        let digits = request.path[start.upperBound...].prefix { $0.isNumber }
        guard let page = Int(digits), page > 1 else { return nil }
        request.path = request.path.replacing("page_no=\(digits)", with: "page_no=\(page - 1)")
        return request
    }

    // MARK: - The history

    private static func line(_ request: ModelRequest, _ outcome: ModelOutcome, _ trouble: Weather.Trouble?) -> String {
        let end =
            switch outcome {
            case .reply(let reply): "\(reply.status) \(summary(of: reply))"
            case .noConnection: "no connection"
            case .cut: "cut"
            }
        let sent = ModelMarket.isWriting(request) ? " " + summary(of: request) : ""
        return "\(request.method) \(request.path)\(sent) -> \(end)" + (trouble.map { "  [\($0.rawValue)]" } ?? "")
    }

    /// A body in one line: of a form its fields and the names of its files.
    private static func summary(of request: ModelRequest) -> String {
        guard let form = WireForm(contentType: request.contentType, body: request.body) else {
            return String(decoding: request.body, as: UTF8.self)
        }
        return form.parts.map { "\($0.name)=\($0.fileName ?? $0.text)" }.joined(separator: " ")
    }

    /// A reply in one line: of a page its ids, of a product what it is like, of a picture its length.
    private static func summary(of reply: ModelReply) -> String {
        if reply.body.contains(0) { return "\(reply.body.count) bytes" }
        guard let value = try? JSONValue.parse(reply.body) else {
            return String(String(decoding: reply.body, as: UTF8.self).prefix(80))
        }
        func text(_ value: JSONValue?) -> String { value.map { String(decoding: $0.bytes(), as: UTF8.self) } ?? "-" }
        for list in ["items", "pages"] {
            guard let rows = value[list]?.elements else { continue }
            let total = value["total_count"] ?? value["totalCount"]
            return "ids \(rows.map { text($0["id"]) }.joined(separator: " ")) of \(text(total))"
        }
        guard value["id"] != nil, let price = value["price"] else { return text(value) }
        let name = value["name"] ?? value["title"]
        let described = value["description"] ?? value["descriptions"]
        let numbers = "\(text(price)) \(text(value["discounted_price"])) \(text(value["stock"]))"
        let images = value["images"]?.elements?.map { text($0["id"] ?? $0) } ?? []
        return "\(text(value["id"])) \(text(name)) \(text(described)) \(numbers) \(images)"
    }
}
