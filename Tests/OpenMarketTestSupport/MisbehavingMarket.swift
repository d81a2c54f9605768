import FoundationEssentials
import Testing

/// A market that misbehaves in ways the reference server never would, on a port of its own.
///
/// A few lines of Python, where it is installed, so that neither client nor server code has a part in it.
struct MisbehavingMarket: Sendable {
    /// Its base URL.
    let url: String
    let process: RunningProcess

    /// The interpreter; `nil` where there is none.
    static let python: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":")
        .map { $0 + "/python3" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static var isAvailable: Bool { python != nil }

    /// What it does.
    enum Manner: String, Sendable, CaseIterable, CustomTestStringConvertible {
        /// Every page is full, and says that there is another one; always the same products.
        case endless
        /// A page of 100 MB, with a Content-Length.
        case huge
        /// A page without Content-Length that does not end.
        case flood
        /// Arrays within arrays.
        case deep
        /// Everything is at another place.
        case redirect
        /// An empty catalog, and everything that is to be written is wanted at another place.
        case luring
        /// A web page with status 200.
        case html
        /// Names with control characters.
        case control
        /// Bytes that are not HTTP.
        case noise

        var testDescription: String { rawValue }
    }

    /// Serves while the body runs; ``Manner/redirect`` and ``Manner/luring`` point to the target.
    static func run<Result: Sendable>(
        _ manner: Manner,
        target: String = "",
        folder: String,
        _ body: (MisbehavingMarket) async throws -> Result
    ) async throws -> Result {
        let program = Program(python ?? "python3", ["-u", "-c", script, manner.rawValue, target], folder: folder)
        return try await program.run { process in
            let line = try await process.line(containing: "http://")
            let value = try await body(MisbehavingMarket(url: line, process: process))
            process.send(.kill)
            return value
        }.value
    }

    /// What happened to it since its start, a line for each request and for what became of the reply.
    func trace() throws -> [String] {
        let reply = try HTTPExchange.send("GET", url + "/_story")
        return String(decoding: reply.body, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static let script = #"""
        import sys, json, threading
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        manner, target = sys.argv[1], sys.argv[2]
        trace, lock = [], threading.Lock()

        def note(line):
            with lock: trace.append(line)

        def row(number, name):
            return {"id": number, "vendor_id": 9, "vendorName": name, "name": name, "title": name,
                    "description": name, "descriptions": name, "thumbnail": "", "thumbnails": [], "images": [],
                    "currency": "KRW", "price": 1, "bargain_price": 1, "discounted_price": 0,
                    "stock": 1, "created_at": "2026-01-01T00:00:00", "issued_at": "2026-01-01T00:00:00",
                    "registration_date": 1620633347.5}

        class Market(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments): pass

            def answer(self, body, status=200, type="application/json", **headers):
                self.send_response(status)
                self.send_header("Content-Type", type)
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers.items(): self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def pour(self, total):
                sent = 0
                try:
                    while sent < total:
                        self.wfile.write(b" " * 65536)
                        sent += 65536
                    note("poured all")
                except OSError:
                    note("cut off after %d MiB" % (sent >> 20))

            def any(self):
                if self.path == "/_story":
                    with lock: return self.answer("\n".join(trace).encode(), type="text/plain")
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length) if length else b""
                secret = b"s3cret-of-the-tests" in body or "cafe" in (self.headers.get("identifier") or "")
                note("%s %s%s" % (self.command, self.path, " with credentials" if secret else ""))
                if manner == "endless":
                    rows = [row(1000 - n, "Thing %d" % n) for n in range(1000 if "api" in self.path else 20)]
                    page = {"page": 1, "items": rows, "pageNo": 1, "itemsPerPage": len(rows), "totalCount": 10**9,
                            "offset": 0, "limit": len(rows), "lastPage": 10**9, "hasNext": True, "hasPrev": True,
                            "pages": rows}
                    return self.answer(json.dumps(page).encode())
                if manner == "huge":
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(100 << 20))
                    self.end_headers()
                    return self.pour(100 << 20)
                if manner == "flood":
                    self.close_connection = True
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Connection", "close")
                    self.end_headers()
                    return self.pour(1 << 40)
                if manner == "deep": return self.answer(b"[" * 1000000)
                if manner == "redirect" or manner == "luring" and self.command != "GET": return self.answer(b"", status=307, Location=target + self.path)
                if manner == "html":
                    return self.answer(b"<html><title>Sign in to the \x1b[2Jhotel</title></html>", type="text/html")
                if manner == "noise":
                    self.close_connection = True
                    return self.wfile.write(bytes(range(256)) * 40)
                name = "Evil \x1b[31m\x1b]0;x\x07\x9b2J\r\n\x00\u202e name"
                done = self.path.endswith("page_no=2") or "page_no=1&" not in self.path and self.path != "/items/1"
                total = 0 if manner == "luring" else 1
                rows = [] if done or manner == "luring" else [row(7, name)]
                page = {"page": 1, "items": rows, "pageNo": 1, "itemsPerPage": 1000, "totalCount": total, "offset": 0,
                        "limit": 1000, "lastPage": 1, "hasNext": False, "hasPrev": False, "pages": rows}
                if self.path.startswith("/api/products/") or self.path.startswith("/item/"):
                    return self.answer(json.dumps(row(7, name)).encode())
                if self.command != "GET":
                    return self.answer(json.dumps({"message": name}).encode(), status=400)
                self.answer(json.dumps(page).encode())

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = any

        server = ThreadingHTTPServer(("127.0.0.1", 0), Market)
        print("http://127.0.0.1:%d" % server.server_address[1])
        server.serve_forever()
        """#
}
