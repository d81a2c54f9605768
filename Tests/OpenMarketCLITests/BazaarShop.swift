@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization

/// A small shop with an API of its own, which a file describes: products with a unique code, in the test's own process.
final class BazaarShop: Sendable {
    /// What the shop does otherwise than its description says.
    struct Quirks: Sendable {
        /// Prices lose their fraction.
        var roundsPrices = false
        /// Products stay.
        var refusesDeletes = false
        /// What a change makes of a member that it does not name, beside the id; `nil` where that stays.
        var replaces: Replacement?
        /// The long text is kept as HTML, and without scripts.
        var filtersHTML = false

        init() {}
    }

    enum Replacement: CaseIterable, Sendable {
        case absent, null, empty
        /// As a new product has it.
        case standard
    }

    private struct State {
        var products: [Int64: JSONValue] = [:]
        var next: Int64 = 1
        var writes: [HTTPMarket.Request] = []
        var methods: [String] = []
        var meeting: (@Sendable (Int, HTTPMarket.Request) -> Meeting)?
        var quirks = Quirks()
    }

    /// What becomes of a request before it is answered.
    enum Meeting: Sendable {
        /// It is answered.
        case answer
        /// It is not carried out, and not answered.
        case holdBefore
        /// It is carried out, and not answered.
        case holdAfter
    }

    private let state = Mutex(State())

    init() {}

    /// Decides what becomes of each request, by its number from 0.
    func meet(_ meeting: (@Sendable (Int, HTTPMarket.Request) -> Meeting)?) {
        state.withLock {
            $0.methods = []
            $0.meeting = meeting
        }
    }

    var quirks: Quirks {
        get { state.withLock { $0.quirks } }
        set { state.withLock { $0.quirks = newValue } }
    }

    /// The products, as the shop has them, by their ids.
    var products: [Int64: JSONValue] { state.withLock { $0.products } }

    /// Requests that change something, in order of arrival.
    var writes: [HTTPMarket.Request] { state.withLock { $0.writes } }

    /// The methods of the requests that arrived since ``meet(_:)``.
    var methods: [String] { state.withLock { $0.methods } }

    /// Lists a product of the shop's own.
    func add(code: String, title: String, price: String) {
        state.withLock { state in
            let id = state.next
            state.next += 1
            state.products[id] = .object(
                of: ("id", .integer(id)),
                ("code", .string(code)),
                ("title", .string(title)),
                ("text", .string("As it was.")),
                ("price", .string(price)),
                ("sale_price", .null),
                ("stock", .integer(1)),
                ("public", .bool(true))
            )
        }
    }

    /// The market's description.
    static let description = """
        market: 1
        name: bazaar
        about: The shop of the tests.
        parameters: {currency: {as: code}}

        auth:
          - header: {name: X-Token, value: secret}

        identity:
          id: {at: /id, as: integer, order: rising}
          key: {at: /code, unique: enforced, find: {query: {code: "{key}"}}, characters: 64}

        fields:
          name: {at: /title}
          description: {at: /text}
          price: {at: /price, as: decimal_text}
          currency: {fixed: "{currency}"}
          sale: {at: /sale_price, as: decimal_text, means: sale_price, none: null}
          stock: {at: /stock, as: integer}

        list:
          path: /products
          page: {by: number, param: page, size: {param: per_page, standard: 100}}
          rows: /items
          total: {at: /count}
          past_end: [empty]
          order: {by: [/id], direction: falling, moves: never}
          complete: ranks

        operations:
          detail: {path: "/products/{id}"}
          create: {method: POST, path: /products, body: json, hidden: {/public: false}, success: [201]}
          update: {method: PATCH, path: "/products/{id}", body: json}
          delete: {method: DELETE, path: "/products/{id}", success: [204]}

        errors:
          message: /error
          rules:
            - {for: [create], status: 409, means: duplicate}

        limits:
          required: [name, price]

        """

    /// The digest of the description.
    static var digest: ContentDigest { MarketDescriptionLoader.load(Array(description.utf8)).digest }

    static let secret = "bazaar-s3cret"

    /// Answers a request.
    func answer(_ request: HTTPMarket.Request) -> HTTPMarket.Answer {
        let (number, meeting) = state.withLock { state in
            defer { state.methods.append(request.method) }
            return (state.methods.count, state.meeting)
        }
        let fate = meeting?(number, request) ?? .answer
        if fate == .holdBefore { return .silence }
        let answer = state.withLock { Self.carryOut(request, &$0) }
        switch fate {
        case .answer, .holdBefore: return answer
        case .holdAfter: return .silence
        }
    }

    private static func carryOut(_ request: HTTPMarket.Request, _ state: inout State) -> HTTPMarket.Answer {
        func refusal(_ status: Int, _ words: String) -> HTTPMarket.Answer {
            .reply(status, .object(of: ("error", .string(words))))
        }
        guard request.headers["x-token"] == secret else { return refusal(401, "no token") }
        if request.method != "GET" { state.writes.append(request) }
        let parts = request.path.split(separator: "/").map(String.init)
        guard parts.first == "products" else { return refusal(404, "no such path") }
        guard parts.count > 1 else {
            return request.method == "POST" ? make(request, &state) : list(request, state)
        }
        guard let id = Int64(parts[1]), let product = state.products[id] else { return refusal(404, "no such product") }
        switch request.method {
        case "GET": return .reply(200, product)
        case "PATCH", "PUT":
            guard let changes = request.json?.members else { return refusal(400, "no object") }
            let left = state.quirks.replaces.map { replaced(product, $0) } ?? product
            state.products[id] = kept(left.setting(changes), state.quirks)
            return .reply(200, state.products[id])
        case "DELETE":
            guard !state.quirks.refusesDeletes else { return refusal(403, "products stay") }
            state.products[id] = nil
            return .reply(204, nil)
        default: return refusal(405, "no such method")
        }
    }

    private static func make(_ request: HTTPMarket.Request, _ state: inout State) -> HTTPMarket.Answer {
        guard let members = request.json?.members, let title = request.json?["title"]?.text, !title.isEmpty else {
            return .reply(400, .object(of: ("error", .string("a title is needed"))))
        }
        let code = request.json?["code"]?.text
        if let code, state.products.values.contains(where: { $0["code"]?.text == code }) {
            return .reply(409, .object(of: ("error", .string("the code is taken"))))
        }
        let blank = JSONValue.object(
            of: ("id", .integer(state.next)),
            ("code", .null),
            ("title", .null),
            ("text", .string("")),
            ("price", .null),
            ("sale_price", .null),
            ("stock", .integer(0)),
            ("public", .bool(true))
        )
        state.products[state.next] = kept(blank.setting(members), state.quirks)
        state.next += 1
        return .reply(201, state.products[state.next - 1])
    }

    private static func list(_ request: HTTPMarket.Request, _ state: State) -> HTTPMarket.Answer {
        let size = Int(request.query["per_page"] ?? "") ?? 20
        let page = Int(request.query["page"] ?? "") ?? 1
        var rows = state.products.sorted { $0.key > $1.key }.map(\.value)
        if let code = request.query["code"] {
            rows = rows.filter { $0["code"]?.text == code }
        }
        let shown = rows.dropFirst((page - 1) * size).prefix(size)
        return .reply(200, .object(of: ("items", .array(Array(shown))), ("count", .integer(rows.count))))
    }

    /// What is left of a product where a change names nothing.
    private static func replaced(_ product: JSONValue, _ way: Replacement) -> JSONValue {
        let members = (product.members ?? []).compactMap { member -> JSONValue.Member? in
            let value: JSONValue? =
                switch (member.name, way) {
                case ("id", _): member.value
                case ("public", _): .bool(true)
                case ("title", .standard): .string("Untitled")
                case (_, .absent): nil
                case (_, .null): .null
                case (_, .empty), (_, .standard): member.value.text == nil ? .null : .string("")
                }
            return value.map { JSONValue.Member(member.name, $0) }
        }
        return .object(members)
    }

    private static func kept(_ product: JSONValue, _ quirks: Quirks) -> JSONValue {
        var changes: [JSONValue.Member] = []
        if quirks.filtersHTML, let text = product["text"]?.text {
            let filtered = text.replacing(/<script>.*<\/script>/, with: "").replacing(/&(?!amp;)/, with: "&amp;")
            changes.append(JSONValue.Member("text", .string(filtered)))
        }
        if quirks.roundsPrices, let price = product["price"]?.text {
            changes.append(
                JSONValue.Member("price", .string(price.split(separator: ".").first.map(String.init) ?? price))
            )
        }
        return product.setting(changes)
    }
}

extension JSONValue {
    /// The object with some members put in the place of its own.
    fileprivate func setting(_ changes: [Member]) -> JSONValue {
        var members = self.members ?? []
        for change in changes {
            if let index = members.firstIndex(where: { $0.name == change.name }) {
                members[index] = change
            } else {
                members.append(change)
            }
        }
        return .object(members)
    }
}
