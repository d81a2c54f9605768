import FoundationEssentials
import OpenMarket
import OpenMarketTestSupport
import Testing

/// Rule 8: secrets are masked and found alike everywhere.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SecretTests {
    /// A market that refuses every write and quotes the secret that it was sent, in JSON.
    private static let quoting = #"""
        import http.server, json, sys

        class Market(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def answer(self, status, value):
                body = json.dumps(value, ensure_ascii=sys.argv[1] == "ascii").encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do_GET(self):
                if self.path.startswith("/items/"): return self.answer(200, {"page": 1, "items": []})
                self.answer(404, {"message": "no such item"})
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode("utf-8", "replace")
                password = body.split('name="password"\r\n\r\n')[1].split("\r\n--")[0]
                self.answer(400, {"message": {"rejected": {"password": password}}})

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Market)
        print("http://127.0.0.1:%d" % server.server_address[1], flush=True)
        server.serve_forever()
        """#

    @Test(.enabled(if: MisbehavingMarket.isAvailable), arguments: ["ascii", "plain"])
    func `a secret that the market quotes reaches neither stderr nor state nor results`(way: String) async throws {
        let folder = try TemporaryDirectory()
        try folder.write("1.png", SmallPicture.png(1))
        try folder.write(
            "openmarket.yaml",
            """
            products:
            - {key: a, name: Lamp, description: A lamp of ours., price: 10, currency: KRW, stock: 1, images: [1.png]}
            """
        )
        let secret = #"q"uo\te/한🔑"#
        let path = folder.path
        _ = try await Program(MisbehavingMarket.python ?? "", ["-c", Self.quoting, way], folder: path).run { market in
            let url = try await market.line(containing: "http://")
            let applied = try await Program(
                Openmarket.path,
                ["apply", "--yes", "-v", "--result", "result.json"],
                environment: ["OPENMARKET_URL": url, "OPENMARKET_API": "v1b", "OPENMARKET_SECRET": secret],
                folder: path
            ).run()
            market.send(.kill)
            #expect(applied.errorText.contains("•••"), "\(applied.errorText)")
            let files = ["result.json", ".openmarket/state.db"].map { path + "/" + $0 }
            let written = try files.map {
                String(decoding: try Data(contentsOf: URL(fileURLWithPath: $0)), as: UTF8.self)
            }
            for text in [applied.errorText, applied.text] + written {
                for piece in ["uo\\te", "uo\\\\te", "/한", #"\ud55c"#, "q\"u", "q\\\"u"] {
                    #expect(!text.contains(piece), "\(piece)")
                }
            }
        }
    }

    @Test func `a file with a CRLF end holds the same password for a manifest and a saved plan`() async throws {
        var manifest = ShopManifest.plain(2)
        manifest.market = "  secret: !file secret.txt"
        try await CommandSandbox.open("v1b", manifest) { shop in
            try shop.write("secret.txt", "open sesame\r\n")
            let environment = ["OPENMARKET_SECRET": ""]
            let planned = try await shop.openmarket("plan", "-o", "plan.json", environment: environment)
            #expect(planned.status == 0, "\(planned.errorText)")
            let saved = try await shop.openmarket("apply", "plan.json", environment: environment)
            #expect(saved.status == 0, "\(saved.errorText)")
            manifest["thing-1"].price = "77"
            try shop.change(to: manifest)
            // The manifest's way of reading the file, and the password written out.
            #expect(try await shop.openmarket("apply", "--yes", environment: environment).status == 0)
            manifest.market = "  secret: open sesame"
            manifest["thing-2"].price = "78"
            try shop.change(to: manifest)
            #expect(try await shop.openmarket("apply", "--yes", environment: environment).status == 0)
        }
    }

    @Test func `verbose logs hold no delete key`() async throws {
        try await CommandSandbox.open { shop in
            _ = try await shop.openmarket("apply", "--yes")
            try shop.change(to: ShopManifest.three.without("fan"))
            let applied = try await shop.openmarket("apply", "--yes", "-v")
            #expect(applied.status == 0, "\(applied.errorText)")
            let deletes = applied.errorText.split(separator: "\n").filter { $0.contains("DELETE") }
            #expect(deletes.count == 1)
            #expect(deletes.allSatisfy { $0.contains("/api/products/•••") })
        }
    }

    @Test func `validate needs no secrets, and every other command does`() async throws {
        var manifest = ShopManifest.three
        manifest.market += "\n  url: !env SHOP_URL"
        try await CommandSandbox.open("v2b", manifest) { shop in
            let fork = ["OPENMARKET_IDENTIFIER": "", "OPENMARKET_SECRET": "", "OPENMARKET_URL": ""]
            let checked = try await shop.openmarket("validate", environment: fork)
            #expect(checked.status == 0, "\(checked.text)")
            for command in ["plan", "export", "apply --yes"] {
                let arguments = command.split(separator: " ").map(String.init)
                #expect(try await shop.program(arguments, environment: fork).run().status == 4, "\(command)")
            }
        }
    }
}
