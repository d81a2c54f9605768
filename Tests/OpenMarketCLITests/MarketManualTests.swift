import Foundation
@testable import OpenMarketTestSupport
import Testing

/// "Describe your market in twenty minutes" of the manual, from `curl` to `apply`, as it is written there.
@Suite(.enabled(if: Python.isAvailable && Program.installed("curl") != nil), .timeLimit(.minutes(1)))
struct MarketManualTests {
    /// The small shop of the manual.
    private static let shop = #"""
        import http.server, json, sys, urllib.parse

        NAMES = ["Bell", "Lamp", "Jar", "Cup", "Fan"]
        AMOUNTS = ["1.00", "2.50", "3.00", "12500.50", "9000.00"]
        PRODUCTS = {number: {"id": number, "title": NAMES[number - 1], "body": f"A {NAMES[number - 1].lower()}.",
                             "amount": AMOUNTS[number - 1], "currency": "KRW", "in_stock": 3 if number == 5 else 0, "photos": []}
                    for number in range(1, 6)}

        class Shop(http.server.BaseHTTPRequestHandler):
            def log_message(self, *arguments): pass

            def answer(self, status, body=None):
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                if body is not None: self.wfile.write(json.dumps(body).encode())

            def handle_method(self):
                address = urllib.parse.urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.headers["X-Token"] != "s3cret": return self.answer(401, {"error": "no token"})
                if address.path == "/api/v1/products" and self.command == "GET":
                    query = dict(urllib.parse.parse_qsl(address.query))
                    size = int(query["per_page"])
                    first = (int(query["page"]) - 1) * size
                    rows = [{name: value for name, value in product.items() if name != "body"}
                            for _, product in sorted(PRODUCTS.items(), reverse=True)]
                    return self.answer(200, {"items": rows[first:first + size], "count": len(rows)})
                if address.path == "/api/v1/products" and self.command == "POST":
                    number = max(PRODUCTS) + 1
                    PRODUCTS[number] = {"id": number, "title": "", "body": "", "amount": "0.00", "currency": "KRW", "in_stock": 0,
                                        "photos": []} | json.loads(body)
                    return self.answer(201, {"product": PRODUCTS[number]})
                number = address.path.rpartition("/")[2]
                product = PRODUCTS.get(int(number)) if number.isdigit() else None
                if product is None: return self.answer(404, {"error": "no such product"})
                if self.command == "PATCH": product.update(json.loads(body))
                if self.command == "DELETE":
                    del PRODUCTS[product["id"]]
                    return self.answer(204)
                self.answer(200, {"product": product})

            do_GET = do_POST = do_PATCH = do_DELETE = handle_method

        server = http.server.HTTPServer(("127.0.0.1", 0), Shop)
        print(f"listening on {server.server_port}", flush=True)
        server.serve_forever()
        """#

    /// The manual from its first heading to the second.
    private static func walkthrough() throws -> String {
        let file = URL(fileURLWithPath: ExamplesTests.root + "/docs/markets.md")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let start = try #require(text.firstRange(of: "\n## Describe your market in twenty minutes\n"))
        let rest = text[start.upperBound...]
        return String(rest[..<(rest.firstRange(of: "\n## ")?.lowerBound ?? rest.endIndex)])
    }

    /// What the reader does, in the order of the manual.
    private enum Step {
        /// Writes a file down.
        case file(String, text: String)
        /// Puts this in the place of a file's section of the same name.
        case section(of: String, text: String)
        /// Types a command; the manual shows this of its output.
        case command(String, output: String)
    }

    private static func steps(in text: String) -> [Step] {
        var steps: [Step] = []
        for block in text.matches(of: /\n```(console|yaml)\n((?s:.*?))```\n/) {
            let content = String(block.2)
            guard block.1 == "console" else {
                steps.append(
                    content.hasPrefix("market: 1\n")
                        ? .file("small.market.yaml", text: content)
                        : content.hasPrefix("operations:")
                            ? .section(of: "small.market.yaml", text: content) : .file("openmarket.yaml", text: content)
                )
                continue
            }
            for line in content.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix("$ ") {
                    steps.append(.command(String(line.dropFirst(2)), output: ""))
                } else if case .command(let command, let output)? = steps.last {
                    steps[steps.count - 1] = .command(command, output: output + line + "\n")
                }
            }
        }
        return steps
    }

    /// The text with its section exchanged, which is its last.
    private static func exchanging(_ section: String, in text: String) -> String {
        let name = section.prefix { $0 != ":" } + ":"
        return (text.firstRange(of: "\n" + name).map { String(text[..<$0.lowerBound]) + "\n" } ?? text) + section
    }

    /// What an output says, without what differs from run to run and from line to line.
    private static func gist(_ output: String) -> String {
        output.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("Server:") && !$0.hasPrefix("Date:") }
            .joined().filter { !$0.isWhitespace }
    }

    /// Types a command, and compares what it says with what the manual shows.
    private static func type(_ line: String, showing shown: String, in folder: String) async throws {
        let run = try await Program(
            "/bin/sh",
            ["-c", "openmarket() { '\(Openmarket.path)' \"$@\"; }\n\(line) 2>&1\n"],
            environment: ["OPENMARKET_SECRET": "s3cret"],
            folder: folder
        ).run()
        #expect(run.status == 0, "\(line)\n\(run.text)")
        let isCut = shown.contains("…")
        let wanted = gist(shown.split(separator: "…").first.map(String.init) ?? shown)
        let found = gist(run.text)
        #expect(isCut ? found.hasPrefix(wanted) : found == wanted, "\(line)\n\(run.text)")
    }

    @Test func `the walk of the manual goes as it is written`() async throws {
        let folder = try TemporaryDirectory()
        let text = try Self.walkthrough()
        let path = folder.path
        _ = try await Program(try #require(Python.path), ["-c", Self.shop], folder: path).run { server in
            let port = try #require(
                try await server.line(containing: "listening on").split(separator: " ").last.map(String.init)
            )
            var commands = 0
            for step in Self.steps(in: text.replacing("8090", with: port)) {
                switch step {
                case .file(let name, let text): try folder.write(name, text)
                case .section(let name, let text):
                    try folder.write(
                        name,
                        Self.exchanging(text, in: String(decoding: folder.read(name), as: UTF8.self))
                    )
                case .command(let line, let shown):
                    commands += 1
                    try await Self.type(line, showing: shown, in: path)
                }
            }
            #expect(commands >= 10)
            server.send(.terminate)
        }
        let catalog = String(decoding: try folder.read("catalog.csv"), as: UTF8.self)
        let lines = catalog.split(separator: "\r\n").map(String.init)
        #expect(lines.count == 6)
        #expect(lines.dropFirst(2).first?.hasPrefix("4,,Cup,A cup.,12500.5,KRW,,,0,") == true, "\(catalog)")
        #expect(String(decoding: try folder.read("catalog.csv.certificate.json"), as: UTF8.self).contains(#""ranks""#))
    }
}
