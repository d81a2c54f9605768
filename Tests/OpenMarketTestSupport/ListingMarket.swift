import Synchronization

/// A market whose list is cut into pages in one of the styles that a description knows, well behaved or not.
final class ListingMarket: Sendable {
    private struct State {
        /// The requests that are not answered and refused, counted from 1.
        var hold = 0
        var refuse = 0
        /// How many requests came since then.
        var asked = 0
        /// Older tokens lead nowhere.
        var age = 0
        var requests: [String] = []
    }

    private let style: Style
    private let manner: Manner
    private let target: String
    private let state = Mutex(State())

    /// How the list is cut into pages.
    enum Style: String, Sendable, CaseIterable {
        case number, offset, keyset, cursor
        /// Pages of a size that only their rows show.
        case unsizedNumber, unsizedOffset
        /// An address in the body.
        case next
        /// An address in the header `Link`.
        case link
        case whole

        /// The market's description.
        var description: String {
            let size = ", size: {param: size, standard: 5}"
            let list =
                switch self {
                case .number, .unsizedNumber:
                    """
                      page: {by: number, param: page\(self == .number ? size : "")}
                      total: {at: /count}
                      past_end: [empty]
                      order: {by: [/id], direction: falling, moves: never}
                      complete: ranks
                    """
                case .offset, .unsizedOffset:
                    """
                      page: {by: offset, param: offset\(self == .offset ? size : "")}
                      past_end: [empty]
                      complete: twice
                    """
                case .keyset:
                    """
                      page: {by: keyset, last: /id, query: {before: "{last}"}\(size)}
                      past_end: [empty]
                      order: {by: [/id], direction: falling, moves: never}
                      complete: keyset
                    """
                case .cursor:
                    """
                      page: {by: cursor, param: token, next: {at: /next}}
                      complete: twice
                    """
                case .next:
                    """
                      page: {by: next, next: {at: /next}}
                      complete: twice
                    """
                case .link:
                    """
                      page: {by: next, next: {header: Link, rel: next}}
                      complete: twice
                    """
                case .whole:
                    """
                      page: {by: none}
                      complete: whole
                    """
                }
            return """
                market: 1
                name: listing
                probed: tests
                auth: [{bearer: {value: secret, for: all}}]
                identity: {id: {at: /id, as: integer, order: rising}}
                fields: {name: {at: /name}}
                list:
                  path: /products
                  rows: /items
                \(list)

                """
        }
    }

    /// What it does otherwise than its description says.
    enum Manner: String, Sendable, CaseIterable {
        /// Nothing.
        case well
        /// Every page is the first one, and says that another one follows.
        case endless
        /// The next page is on another host.
        case elsewhere
        /// The next page is one at which a GET deletes.
        case override
        /// What leads to the next page has a megabyte.
        case long
        /// Arrays within arrays.
        case deep
        /// A page of 100 MB.
        case huge
        /// Ten thousand headers.
        case headers
        /// Each row is on its page twice.
        case twice
    }

    /// The products that it shows, the newest first.
    static let count = 13

    private init(_ style: Style, _ manner: Manner, target: String) {
        self.style = style
        self.manner = manner
        self.target = target
    }

    /// Serves while the body runs, which gets its base URL; ``Manner/elsewhere`` leads to the target.
    static func run<Result>(
        _ style: Style,
        _ manner: Manner = .well,
        target: String = "",
        _ body: (ListingMarket, HTTPMarket) async throws -> Result
    ) async throws -> Result {
        let market = ListingMarket(style, manner, target: target)
        return try await HTTPMarket.run {
            market.answer($0)
        } _: {
            try await body(market, $0)
        }
    }

    /// What happens to pages that are asked for from here on; requests are counted from here on, from 1.
    ///
    /// The request `hold` is not answered. The request `refuse` is answered with 410. With `expires` no address or token
    /// that was given so far leads to a page any more.
    func set(hold: Int = 0, refuse: Int = 0, expires: Bool = false) {
        state.withLock { state in
            state = State(hold: hold, refuse: refuse, age: state.age + (expires ? 1 : 0))
        }
    }

    /// The requests since then, a line each: method, target and status; 0 is no answer.
    var requests: [String] { state.withLock { $0.requests } }

    private func answer(_ request: HTTPMarket.Request) -> HTTPMarket.Answer {
        state.withLock { state in
            state.asked += 1
            let (status, answer) = answer(request, state)
            state.requests.append("\(request.method) \(request.target) \(status)")
            return answer
        }
    }

    private func answer(_ request: HTTPMarket.Request, _ state: State) -> (status: Int, HTTPMarket.Answer) {
        let query = request.query
        guard request.headers["authorization"] == "Bearer \(ReferenceServer.secret)" else {
            return (401, .reply(401, "{}"))
        }
        if state.asked == state.hold { return (0, .silence) }
        // A token is its age and the place of its page.
        let token = (query["token"] ?? "").split(separator: "-").map { Int($0) ?? 0 }
        if state.asked == state.refuse || token.first ?? state.age < state.age {
            return (410, .reply(410, #"{"detail":"expired"}"#))
        }
        if request.path.hasPrefix("/products/") {
            let id = request.path.dropFirst("/products/".count)
            return (200, .reply(200, #"{"id":\#(id),"name":"p","text":"t\#(id)"}"#))
        }
        switch manner {
        case .deep: return (200, .reply(200, #"{"items":"# + String(repeating: "[", count: 1_000_000)))
        case .huge:
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(100 << 20)\r\n\r\n"
            return (200, .flood(Array(head.utf8), blanks: 100 << 20))
        default: return (200, page(query, token, request.headers["host"] ?? "", state))
        }
    }

    private func page(_ query: [String: String], _ token: [Int], _ host: String, _ state: State) -> HTTPMarket.Answer {
        func number(_ name: String) -> Int? { query[name].flatMap { Int($0) } }
        let ids = Array((1...Self.count).reversed())
        let size = style == .whole ? ids.count : number("size") ?? 5
        var start =
            switch style {
            case .number, .unsizedNumber: ((number("page") ?? 1) - 1) * size
            case .offset, .unsizedOffset: number("offset") ?? 0
            case .keyset: number("before").map { last in ids.firstIndex { $0 < last } ?? ids.count } ?? 0
            case .cursor, .next, .link, .whole: token.dropFirst().first ?? 0
            }
        if manner == .endless { start = 0 }
        var shown = Array(ids.dropFirst(start).prefix(size))
        if manner == .twice { shown = shown.flatMap { [$0, $0] } }
        if manner == .endless, style == .whole { shown = ids + ids + ids }
        let goesOn = manner == .endless || start + size < ids.count

        var next = "\(state.age)-\(manner == .endless ? state.asked : start + size)"
        if manner == .long { next += "-" + String(repeating: "x", count: 1 << 20) }
        var address = "/products?token=" + next
        if manner == .elsewhere {
            address = target + address
        } else if style == .next {
            address = "http://\(host)\(address)"
        }
        if manner == .override { address += "&_method=DELETE" }

        let rows = shown.map { #"{"id":\#($0),"name":"물건 \#($0)"}"# }.joined(separator: ",")
        var body = #"{"items":[\#(rows)]"#
        var headers = ""
        switch style {
        case .number, .unsizedNumber: body += #","count":\#(ids.count)"#
        case .cursor, .next: body += #","next":"# + (goesOn ? "\"\(style == .cursor ? next : address)\"" : "null")
        case .link where goesOn: headers = "Link: <\(address)>; rel=\"next\"\r\n"
        case .offset, .unsizedOffset, .keyset, .link, .whole: break
        }
        if manner == .headers {
            headers += (0..<10_000).map { "X-Bomb-\($0): \(String(repeating: "x", count: 100))\r\n" }.joined()
        }
        return .reply(200, body + "}", headers: headers)
    }
}
