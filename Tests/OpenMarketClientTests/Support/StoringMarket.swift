import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
@testable import OpenMarketClient

/// A market in memory that keeps what it is sent where it is sent, and shows it there again.
///
/// Knows JSON, forms and multipart bodies by code of its own, so that what it understands is not what the client meant.
final class StoringMarket: Sendable {
    /// How a market is spoken with.
    struct Form: Sendable {
        /// Whether ids are texts.
        var hasTextIDs = false
        /// What contains the values of bodies, and the product in answers.
        var wrapping: [String] = []
        /// The members that a change replaces as a whole.
        var replaced: [[String]] = []
        /// Whether a change has to name the version that it was made of.
        var hasVersions = false
        /// Whether creates are answered with the id alone.
        var answersIDs = false
        /// Where pictures are written; `nil` where they are parts, or not sent at all.
        var pictures: [String]?
        /// Where a new picture is, and where the id of one that stays is, in its element.
        var new: [String] = []
        var kept: [String] = []
    }

    private struct State {
        var products: [String: JSONValue] = [:]
        var last = 0
        var pictures: [String] = []
        var uploads = 0
        var faults: [String] = []
    }

    let form: Form
    private let state = Mutex(State())

    init(_ form: Form) { self.form = form }

    /// What the market could not make sense of.
    var faults: [String] { state.withLock { $0.faults } }
    /// A product as it is kept.
    func product(_ id: String) -> JSONValue? { state.withLock { $0.products[id] } }
    /// How many products there are.
    var count: Int { state.withLock { $0.products.count } }
    /// Changes a product behind everybody's back.
    func change(_ id: String, _ body: (JSONValue) -> JSONValue) {
        state.withLock { state in state.products[id] = state.products[id].map(body) }
    }

    func answer(_ request: InProcessMarket.Request) -> TransportReply {
        let parts = request.path.split(separator: "?", maxSplits: 1)
        let segments = (parts.first ?? "").split(separator: "/").map { SentBody.unescaped(String($0)) }
        return state.withLock { state in
            do {
                switch (request.method, segments.count) {
                case ("POST", 1) where segments[0] == "upload":
                    state.uploads += 1
                    let bytes = try body(request).pictures.first ?? request.body
                    return .reply(200, #"{"file":{"ref":"\#(Self.token(bytes))","number":\#(state.uploads)}}"#)
                case ("GET", 1):
                    // A filter is ignored, as filters are.
                    let rows = state.products.keys.sorted().compactMap { state.products[$0] }
                    return .reply(
                        200,
                        Self.text(.object([.init("rows", .array(rows)), .init("total", Self.number(rows.count))]))
                    )
                case ("POST", 1): return try create(request, &state)
                case ("GET", 2):
                    guard let product = state.products[segments[1]] else { return .reply(404, "{}") }
                    return .reply(200, Self.text(wrapped(product)))
                case ("PATCH", 2), ("PUT", 2): return try change(request, segments[1], &state)
                case ("DELETE", 2):
                    guard state.products.removeValue(forKey: segments[1]) != nil else { return .reply(404, "{}") }
                    return .reply(204)
                default: throw Fault("\(request.method) \(request.path)")
                }
            } catch {
                state.faults.append("\(request.method) \(request.path): \(error)")
                return .reply(422, #"{"message":"\#(error)"}"#)
            }
        }
    }

    private func create(_ request: InProcessMarket.Request, _ state: inout State) throws -> TransportReply {
        let sent = try body(request)
        var product = try unwrapped(sent.tree)
        state.last += 1
        let id = form.hasTextIDs ? "p-\(state.last)" : "\(state.last)"
        set(form.hasTextIDs ? .string(id) : Self.number(state.last), at: ["id"], in: &product)
        if form.hasVersions { set(Self.number(1), at: ["version"], in: &product) }
        try showPictures(sent, in: &product, &state)
        state.products[id] = product
        if form.answersIDs { return .reply(201, Self.text(wrapped(.object([.init("id", product["id"] ?? .null)])))) }
        return .reply(201, Self.text(wrapped(product)))
    }

    private func change(_ request: InProcessMarket.Request, _ id: String, _ state: inout State) throws -> TransportReply
    {
        guard let product = state.products[id] else { return .reply(404, "{}") }
        let sent = try body(request)
        var change = try unwrapped(sent.tree)
        if form.hasVersions {
            guard let version = product["version"]?.integer, change["version"]?.integer == version else {
                throw Fault("a change of another version")
            }
            set(Self.number(Int(version) + 1), at: ["version"], in: &change)
        }
        var changed = request.method == "PUT" ? change : product.merged(with: change, replacing: form.replaced)
        set(product["id"] ?? .null, at: ["id"], in: &changed)
        // Pictures that are parts are not members of a product: a change of all members leaves them.
        let isTouched =
            if let place = form.pictures { request.method == "PUT" || value(at: place, in: change) != nil } else {
                !sent.pictures.isEmpty
            }
        if isTouched {
            try showPictures(sent, in: &changed, &state)
        } else {
            set(product["pics"] ?? .null, at: ["pics"], in: &changed)
        }
        state.products[id] = changed
        return .reply(200, Self.text(wrapped(changed)))
    }

    // MARK: Pictures

    /// Shows the pictures that a product has, by what their bytes or names are.
    private func showPictures(
        _ sent: SentBody,
        in product: inout JSONValue,
        _ state: inout State
    ) throws {
        var tokens = sent.pictures.map(Self.token)
        if let place = form.pictures {
            let shown = value(at: place, in: product) ?? .null
            let isNone = shown.isNull || shown.text == ""
            let elements = shown.elements ?? (isNone ? [] : [shown])
            tokens = try elements.map { element in
                let keptID = value(at: form.kept, in: element)?.integer ?? element["id"]?.integer
                if let id = keptID {
                    guard state.pictures.indices.contains(Int(id)) else { throw Fault("no picture \(id)") }
                    return state.pictures[Int(id)]
                }
                guard let new = value(at: form.new, in: element) else { throw Fault("a picture of nothing") }
                guard let text = new.text else { return "\(new.decimal ?? 0)" }
                // Base64, where it is that.
                return Data(base64Encoded: text).map { Self.token(Array($0)) } ?? text
            }
        }
        let shown = tokens.map { token in
            state.pictures.append(token)
            return JSONValue.object([
                .init("id", Self.number(state.pictures.count - 1)), .init("url", .string("/p/\(token)")),
            ])
        }
        set(.array(shown), at: ["pics"], in: &product)
    }

    /// A short name for bytes.
    static func token(_ bytes: [UInt8]) -> String {
        "t" + String(bytes.reduce(UInt64(17)) { $0 &* 31 &+ UInt64($1) }, radix: 36)
    }

    // MARK: Trees

    private func wrapped(_ product: JSONValue) -> JSONValue {
        form.wrapping.reversed().reduce(product) { .object([.init($1, $0)]) }
    }

    private func unwrapped(_ tree: JSONValue) throws -> JSONValue {
        guard let inside = value(at: form.wrapping, in: tree) else { throw Fault("nothing in \(form.wrapping)") }
        if !form.wrapping.isEmpty, tree.members?.count != 1 { throw Fault("values beside \(form.wrapping)") }
        return inside
    }

    func value(at path: [String], in tree: JSONValue) -> JSONValue? { tree.value(at: path) }

    func set(_ value: JSONValue, at path: [String], in tree: inout JSONValue) { tree.set(value, at: path) }

    private static func number(_ number: Int) -> JSONValue { .number(ExactDecimal(Int64(number))) }

    private static func text(_ tree: JSONValue) -> String { String(decoding: tree.bytes(), as: UTF8.self) }

    // MARK: Bodies

    private typealias Fault = SentBody.Fault

    private func body(_ request: InProcessMarket.Request) throws -> SentBody {
        try SentBody(request.body, type: request.contentType ?? "")
    }
}
