import FoundationEssentials

/// A market whose list is cut into pages in one of the styles that a description knows, well behaved or not.
///
/// A few lines of Python, where it is installed, so that neither client nor server code has a part in it.
struct ListingMarket: Sendable {
    /// Its base URL.
    let url: String

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
            let list =
                switch self {
                case .number:
                    """
                      page: {by: number, param: page, size: {param: size, standard: 5}}
                      total: {at: /count}
                      past_end: [empty]
                      order: {by: [/id], direction: falling, moves: never}
                      complete: ranks
                    """
                case .unsizedNumber:
                    """
                      page: {by: number, param: page}
                      total: {at: /count}
                      past_end: [empty]
                      order: {by: [/id], direction: falling, moves: never}
                      complete: ranks
                    """
                case .offset:
                    """
                      page: {by: offset, param: offset, size: {param: size, standard: 5}}
                      past_end: [empty]
                      complete: twice
                    """
                case .unsizedOffset:
                    """
                      page: {by: offset, param: offset}
                      past_end: [empty]
                      complete: twice
                    """
                case .keyset:
                    """
                      page: {by: keyset, last: /id, query: {before: "{last}"}, size: {param: size, standard: 5}}
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

    /// Serves while the body runs; ``Manner/elsewhere`` leads to the target.
    static func run<Result: Sendable>(
        _ style: Style,
        _ manner: Manner = .well,
        target: String = "",
        folder: String,
        _ body: (ListingMarket) async throws -> Result
    ) async throws -> Result {
        let name =
            switch style {
            case .unsizedNumber: Style.number.rawValue
            case .unsizedOffset: Style.offset.rawValue
            default: style.rawValue
            }
        let arguments = ["-u", "-c", script, name, manner.rawValue, target]
        return try await Program(MisbehavingMarket.python ?? "python3", arguments, folder: folder).run { process in
            let line = try await process.line(containing: "http://")
            let value = try await body(ListingMarket(url: line))
            process.send(.kill)
            return value
        }.value
    }

    /// What happens to pages that are asked for from here on; requests are counted from here on, from 1.
    ///
    /// The request `hold` is not answered, and those held before are dropped. The request `refuse` is answered with 410. With
    /// `expires` no address or token that was given so far leads to a page any more.
    func set(hold: Int = 0, refuse: Int = 0, expires: Bool = false) throws {
        _ = try HTTPExchange.send("GET", "\(url)/_set?hold=\(hold)&refuse=\(refuse)&expires=\(expires ? 1 : 0)")
    }

    /// The requests since then, a line each: method, target and status.
    func requests() throws -> [String] {
        let reply = try HTTPExchange.send("GET", url + "/_requests")
        return String(decoding: reply.body, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static let script = #"""
        import sys, json, threading
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        from urllib.parse import urlsplit, parse_qs

        style, manner, target = sys.argv[1:4]
        rows = [{"id": number, "name": "물건 %d" % number} for number in range(13, 0, -1)]
        state = {"hold": 0, "refuse": 0, "expires": 0, "age": 0, "asked": 0, "turn": 0}
        requests, changed = [], threading.Condition()

        class Market(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments): pass

            def answer(self, body, status=200, type="application/json", headers=()):
                with changed: requests.append("%s %s %d" % (self.command, self.path, status))
                self.send_response(status)
                self.send_header("Content-Type", type)
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers: self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def control(self, url, query):
                with changed:
                    if url.path == "/_set":
                        state.update(hold=int(query["hold"]), refuse=int(query["refuse"]), asked=0, turn=state["turn"] + 1)
                        state["age"] += int(query["expires"])
                        requests.clear()
                        changed.notify_all()
                    body = "\n".join(requests).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                url = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(url.query).items()}
                if url.path.startswith("/_"): return self.control(url, query)
                if self.headers.get("Authorization") != "Bearer s3cret-of-the-tests": return self.answer(b"{}", 401)
                with changed:
                    state["asked"] += 1
                    number, turn = state["asked"], state["turn"]
                    if number == state["hold"]:
                        requests.append("%s %s 0" % (self.command, self.path))
                        changed.wait_for(lambda: state["turn"] != turn)
                        self.close_connection = True
                        return
                if number == state["refuse"]: return self.answer(b'{"detail":"expired"}', 410)
                if url.path.startswith("/products/"):
                    wanted = int(url.path.split("/")[2])
                    return self.answer(json.dumps({"id": wanted, "name": "p", "text": "t%d" % wanted}).encode())
                if manner == "deep": return self.answer(b'{"items":' + b"[" * 1000000)
                if manner == "huge":
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(100 << 20))
                    self.end_headers()
                    try:
                        for _ in range(100 << 4): self.wfile.write(b" " * 65536)
                        with changed: requests.append("poured all")
                    except OSError: pass
                    return
                token = query.get("token")
                if token and int(token.split("-")[0]) < state["age"]: return self.answer(b'{"detail":"expired"}', 410)
                size = len(rows) if style == "whole" else int(query.get("size", 5))
                start = {
                    "number": lambda: (int(query["page"]) - 1) * size,
                    "offset": lambda: int(query["offset"]),
                    "keyset": lambda: next((place for place, row in enumerate(rows) if row["id"] < int(query.get("before", 99))), len(rows)),
                }.get(style, lambda: int(token.split("-")[1]) if token else 0)()
                if manner == "endless": start = 0
                shown = rows[start:start + size]
                if manner == "twice": shown = [row for row in shown for _ in range(2)]
                goes_on = style in ("cursor", "next", "link") and (manner == "endless" or start + size < len(rows))
                token = "%d-%d" % (state["age"], number if manner == "endless" else start + size)
                if manner == "long": token += "-" + "x" * (1 << 20)
                address = "/products?token=" + token
                if manner == "elsewhere": address = target + address
                elif style == "next": address = "http://" + self.headers["Host"] + address
                if manner == "override": address += "&_method=DELETE"
                page, headers = {"items": shown}, []
                if style == "number": page["count"] = len(rows)
                if style == "whole" and manner == "endless": page["items"] = rows * 3
                if style in ("cursor", "next"): page["next"] = None if not goes_on else token if style == "cursor" else address
                if style == "link" and goes_on: headers.append(("Link", '<%s>; rel="next"' % address))
                if manner == "headers": headers += [("X-Bomb-%d" % number, "x" * 100) for number in range(10000)]
                self.answer(json.dumps(page, ensure_ascii=False).encode(), headers=headers)

        server = ThreadingHTTPServer(("127.0.0.1", 0), Market)
        server.handle_error = lambda *arguments: None
        print("http://127.0.0.1:%d" % server.server_address[1])
        server.serve_forever()
        """#
}
