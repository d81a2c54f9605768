import Foundation
import OpenMarketTestSupport
import Testing

/// "Describe your market in twenty minutes" of the manual, from `curl` to `export`, as it is written there.
@Suite(.enabled(if: Python.isAvailable && Program.installed("curl") != nil), .timeLimit(.minutes(1)))
struct MarketManualTests {
    /// The small shop of the manual.
    private static let shop = #"""
        import http.server, json, sys, urllib.parse

        NAMES = ["Bell", "Lamp", "Jar", "Cup", "Fan"]
        AMOUNTS = ["1.00", "2.50", "3.00", "12500.50", "9000.00"]

        def product(number):
            return {"id": number, "title": NAMES[number - 1], "amount": AMOUNTS[number - 1], "currency": "KRW",
                    "in_stock": number % 4 + 2 if number == 5 else 0, "photos": []}

        def detail(number):
            shown = product(number)
            return {"id": number, "title": shown.pop("title"), "body": f"A {NAMES[number - 1].lower()}.", **shown}

        class Shop(http.server.BaseHTTPRequestHandler):
            def log_message(self, *arguments): pass

            def answer(self, status, body):
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            def do_GET(self):
                address = urllib.parse.urlsplit(self.path)
                if self.headers["X-Token"] != "s3cret": return self.answer(401, {"error": "no token"})
                if address.path == "/api/v1/products":
                    query = dict(urllib.parse.parse_qsl(address.query))
                    size = int(query["per_page"])
                    first = (int(query["page"]) - 1) * size
                    items = [product(number) for number in range(5, 0, -1)][first:first + size]
                    return self.answer(200, {"items": items, "count": 5})
                number = address.path.rpartition("/")[2]
                if number.isdigit() and 1 <= int(number) <= 5: return self.answer(200, {"product": detail(int(number))})
                self.answer(404, {"error": "no such product"})

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

    /// The commands of the blocks, each with what the manual shows of its output.
    private static func commands(in text: String) -> [(line: String, output: String)] {
        var commands: [(line: String, output: String)] = []
        for block in text.matches(of: /\n```console\n((?s:.*?))```\n/) {
            for line in block.1.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix("$ ") {
                    commands.append((String(line.dropFirst(2)), ""))
                } else if let last = commands.indices.last {
                    commands[last].output += line + "\n"
                }
            }
        }
        return commands
    }

    /// What an output says, without what differs from run to run and from line to line.
    private static func gist(_ output: String) -> String {
        output.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("Server:") && !$0.hasPrefix("Date:") }
            .joined().filter { !$0.isWhitespace }
    }

    @Test func `the walk of the manual goes as it is written`() async throws {
        let folder = try TemporaryDirectory()
        let text = try Self.walkthrough()
        let description = try #require(text.firstMatch(of: /\n```yaml\n(market: 1\n(?s:.*?))```\n/)?.1)
        try folder.write("small.market.yaml", String(description))
        let path = folder.path
        _ = try await Program(try #require(Python.path), ["-c", Self.shop], folder: path).run { server in
            let port = try await server.line(containing: "listening on").split(separator: " ").last.map(String.init)
            let commands = Self.commands(in: text)
            #expect(commands.count >= 7)
            for (line, shown) in commands {
                let script =
                    "openmarket() { '\(Openmarket.path)' \"$@\"; }\n"
                    + line.replacing("8090", with: try #require(port)) + " 2>&1\n"
                let run = try await Program(
                    "/bin/sh",
                    ["-c", script],
                    environment: ["OPENMARKET_SECRET": "s3cret"],
                    folder: path
                ).run()
                #expect(run.status == 0, "\(line)\n\(run.text)")
                let isCut = shown.contains("…")
                let wanted = Self.gist(shown.split(separator: "…").first.map(String.init) ?? shown)
                let found = Self.gist(run.text)
                #expect(isCut ? found.hasPrefix(wanted) : found == wanted, "\(line)\n\(run.text)")
            }
            server.send(.terminate)
        }
        let catalog = String(decoding: try folder.read("catalog.csv"), as: UTF8.self)
        let lines = catalog.split(separator: "\r\n").map(String.init)
        #expect(lines.count == 6)
        #expect(lines.dropFirst(2).first?.hasPrefix("4,,Cup,A cup.,12500.5,KRW,,,0,") == true, "\(catalog)")
        #expect(String(decoding: try folder.read("catalog.csv.certificate.json"), as: UTF8.self).contains(#""ranks""#))
    }
}
