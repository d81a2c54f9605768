import FoundationEssentials
@testable import OpenMarket

/// What is between us and the market and changes what is said, on a port of its own.
///
/// A few lines of Python, where it is installed, so that neither client nor server code has a part in it.
struct TamperingProxy: Sendable {
    /// Its base URL.
    let url: String

    /// What it changes.
    enum Manner: Sendable {
        /// Nothing.
        case none
        /// Every request for one product is answered by a web page with status 404, and does not arrive.
        case notFoundPage(product: Int)
        /// A create arrives and is answered with 303.
        case seeOther
        /// A create arrives and is answered with the detail of product 1.
        case firstProduct
        /// Replies to writing requests lack these fields, or have them as `null`.
        case hides([String], asNull: Bool)
        /// A text within requests arrives cut to so many bytes.
        case cuts(String, to: Int)
        /// Pictures are shown in reverse.
        case reversesPictures
        /// Page 2 of the list repeats page 1.
        case repeatsPage
        /// Of the rows of the list the first has no number, the second is not an object and the third has no name.
        case spoilsRows

        fileprivate var json: JSONValue {
            func rule(_ name: String, _ members: JSONValue.Member...) -> JSONValue {
                .object([.init("manner", .string(name))] + members)
            }
            return switch self {
            case .none: rule("none")
            case .notFoundPage(let product): rule("not_found_page", .init("product", .string(String(product))))
            case .seeOther: rule("see_other")
            case .firstProduct: rule("first_product")
            case .hides(let fields, let asNull):
                rule(
                    "hides",
                    .init("fields", .array(fields.map(JSONValue.string))),
                    .init("as_null", .bool(asNull))
                )
            case .cuts(let text, let length):
                rule("cuts", .init("text", .string(text)), .init("length", .number(ExactDecimal(Int64(length)))))
            case .reversesPictures: rule("reverses_pictures")
            case .repeatsPage: rule("repeats_page")
            case .spoilsRows: rule("spoils_rows")
            }
        }
    }

    /// Is in front of a market while the body runs; at first it changes nothing.
    static func run<Result: Sendable>(
        before server: ReferenceServer,
        folder: String,
        _ body: (TamperingProxy) async throws -> Result
    ) async throws -> Result {
        let program = Program(
            MisbehavingMarket.python ?? "python3",
            ["-u", "-c", script, String(server.port)],
            folder: folder
        )
        return try await program.run { process in
            let line = try await process.line(containing: "http://")
            let value = try await body(TamperingProxy(url: line))
            process.send(.kill)
            return value
        }.value
    }

    /// Changes something else from now on.
    func set(_ manner: Manner) throws {
        _ = try HTTPExchange.send("POST", url + "/_manner", body: manner.json.bytes())
    }

    private static let script = #"""
        import sys, json, http.client
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        port = int(sys.argv[1])
        rule = {"manner": "none"}

        class Proxy(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments): pass

            def answer(self, status, body, type="application/json", headers=()):
                self.send_response(status)
                if type: self.send_header("Content-Type", type)
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers: self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def ask(self, method, path, body=b""):
                market = http.client.HTTPConnection("127.0.0.1", port)
                headers = {name: value for name, value in self.headers.items()
                           if name.lower() not in ("content-length", "transfer-encoding", "connection")}
                market.request(method, path, body=body, headers=headers)
                reply = market.getresponse()
                return reply.status, reply.read(), reply.getheader("Content-Type")

            def read(self):
                if "chunked" not in (self.headers.get("Transfer-Encoding") or ""):
                    return self.rfile.read(int(self.headers.get("Content-Length") or 0))
                body = b""
                while True:
                    size = int(self.rfile.readline().strip(), 16)
                    body += self.rfile.read(size)
                    self.rfile.readline()
                    if size == 0: return body

            def any(self):
                body, manner, path = self.read(), rule["manner"], self.path
                if path == "/_manner":
                    rule.clear()
                    rule.update(json.loads(body))
                    return self.answer(200, b"")
                creates = self.command == "POST" and path in ("/item", "/api/products")
                if manner == "not_found_page":
                    place = path.split("?")[0].split("/")
                    if rule["product"] in place[2:] and place[1] != "items":
                        return self.answer(404, b"<html><title>404 Not Found</title></html>", "text/html")
                if manner == "cuts":
                    text = rule["text"].encode()
                    body = body.replace(text, text[:rule["length"]])
                if manner == "repeats_page": path = path.replace("page_no=2", "page_no=1").replace("/items/2", "/items/1")
                status, reply, type = self.ask(self.command, path, body)
                if creates and manner == "see_other":
                    return self.answer(303, b"", None, [("Location", "/")])
                if creates and manner == "first_product":
                    status, reply, type = self.ask("GET", "/item/1" if path == "/item" else "/api/products/1")
                if manner == "hides" and self.command in ("POST", "PATCH") and "json" in (type or ""):
                    product = json.loads(reply)
                    for field in rule["fields"]:
                        if field not in product: continue
                        if rule["as_null"]: product[field] = None
                        else: del product[field]
                    reply = json.dumps(product).encode()
                if manner == "spoils_rows" and "json" in (type or "") and reply:
                    page = json.loads(reply)
                    for rows in [value for value in page.values() if isinstance(value, list) and len(value) > 2]:
                        del rows[0]["id"]
                        rows[1] = "no product"
                        for name in ("name", "title"): rows[2].pop(name, None)
                    reply = json.dumps(page).encode()
                if manner == "reverses_pictures" and "json" in (type or "") and reply:
                    product = json.loads(reply)
                    if isinstance(product, dict):
                        for field in ("images", "thumbnails"):
                            if isinstance(product.get(field), list): product[field].reverse()
                        reply = json.dumps(product).encode()
                self.answer(status, reply, type)

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = any

        server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        print("http://127.0.0.1:%d" % server.server_address[1])
        server.serve_forever()
        """#
}

extension ReferenceServer {
    /// The same market, asked by way of something in front of it.
    func reached(through proxy: TamperingProxy) -> ReferenceServer {
        ReferenceServer(url: proxy.url, process: process)
    }
}
