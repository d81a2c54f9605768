import Foundation
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Rule 8: secrets are masked and found alike everywhere.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SecretTests {
    /// A market that refuses every write and quotes the secret that it was sent, in JSON.
    private static func quoting(_ request: HTTPMarket.Request, inASCII: Bool) -> HTTPMarket.Answer {
        guard request.method != "GET" else {
            return request.path.hasPrefix("/items/")
                ? .reply(200, #"{"page":1,"items":[]}"#) : .reply(404, #"{"message":"no such item"}"#)
        }
        let body = String(decoding: request.body, as: UTF8.self)
        let password =
            body.components(separatedBy: "name=\"password\"\r\n\r\n").last?
            .components(separatedBy: "\r\n--").first ?? ""
        var quoted = String(decoding: JSONValue.string(password).bytes(), as: UTF8.self)
        if inASCII {
            quoted = quoted.utf16.map {
                $0 < 0x80 ? String(UnicodeScalar(UInt8($0))) : String(format: "\\u%04x", Int($0))
            }
            .joined()
        }
        return .reply(400, #"{"message":{"rejected":{"password":\#(quoted)}}}"#)
    }

    @Test(arguments: [true, false])
    func `a secret that the market quotes reaches neither stderr nor state nor results`(inASCII: Bool) async throws {
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
        try await HTTPMarket.run {
            Self.quoting($0, inASCII: inASCII)
        } _: { market in
            let applied = try await Program(
                Openmarket.path,
                ["apply", "--yes", "-v", "--result", "result.json"],
                environment: ["OPENMARKET_URL": market.url, "OPENMARKET_API": "v1b", "OPENMARKET_SECRET": secret],
                folder: path
            ).run()
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

    @Test func `verbose logs hold no delete key`() async throws {
        try await CommandSandbox.applied { shop in
            try shop.change(to: ShopManifest.three.without("fan"))
            let applied = try await shop.openmarket("apply", "--yes", "-v")
            #expect(applied.status == 0, "\(applied.errorText)")
            let deletes = applied.errorText.split(separator: "\n").filter { $0.contains("DELETE") }
            #expect(deletes.count == 1)
            #expect(deletes.allSatisfy { $0.contains("/api/products/•••") })
        }
    }

    /// What each command is run with where only the secret is unset, and what it ends with.
    private static let commands: [String: (arguments: [String], status: Int32)] = [
        "validate": ([], 0), "plan": (["-o", "p.json"], 0), "show": (["p.json"], 0), "export": (["-o", "c.csv"], 0),
        "pull": (["-o", "pulled.yaml", "--adopt", "--images", "pulled"], 0), "ping": ([], 0), "schema": ([], 0),
        "edit": (["price=+10%", "--write", "diff=edit.diff"], 0), "undo": ([], 0),
        "state": (["list"], 0), "history": ([], 0), "status": ([], 0), "convert": (["t.csv", "--currency", "KRW"], 0),
        "init": (["--help"], 0), "market": (["show", "v2b"], 0),
        "demo": (["--help"], 0),
        "serve": (["--help"], 0),
        // What writes says what it lacks.
        "apply": (["--yes"], 4), "work": ([], 4),
    ]

    @Test(arguments: ["v1b", "v2b"]) func `only what writes needs the secret`(api: String) async throws {
        var manifest = ShopManifest.three
        manifest.market = "  identifier: !env OPENMARKET_IDENTIFIER\n  secret: !env SHOP_PASSWORD"
        try await CommandSandbox.open(api, manifest) { shop in
            let set = ["SHOP_PASSWORD": ReferenceServer.secret]
            #expect(try await shop.openmarket("apply", "--yes", environment: set).status == 0)
            manifest["mug"].price = "4321"
            try shop.change(to: manifest)
            try shop.write(
                "t.csv",
                "Handle,Title,Body (HTML),Variant Price,Variant Inventory Qty,Image Src\na,A lamp,It is for a desk.,5,1,\n"
            )
            let help = try await shop.openmarket("--help").text
            let listed = try #require(help.firstRange(of: "SUBCOMMANDS:\n"))
            let names = help[listed.upperBound...].split(separator: "\n").compactMap { line -> String? in
                guard line.hasPrefix("  "), !line.hasPrefix("   ") else { return nil }
                return line.split(separator: " ").first.map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) }
            }.filter { $0 != "See" }
            #expect(Set(names) == Set(Self.commands.keys))
            for name in names {
                let (arguments, status) = try #require(Self.commands[name])
                for unset in [["OPENMARKET_SECRET": ""], ["OPENMARKET_SECRET": "another shop's secret"]] {
                    try? FileManager.default.removeItem(atPath: shop.folder + "/pulled.yaml")
                    let ran = try await shop.program([name] + arguments, environment: unset).run()
                    #expect(ran.status == status, "\(name): \(ran.errorText)")
                }
            }
            // Where the secret is found is in the plan that was saved without it.
            let applied = try await shop.openmarket("apply", "p.json", environment: set)
            #expect(applied.status == 0, "\(applied.errorText)")
        }
    }

    @Test func `no document shows a credential that a product was once given`() async throws {
        let secret = "second-password"
        var manifest = ShopManifest.three
        manifest["mug"].name = "A mug called \(secret)"
        try await CommandSandbox.applied("v1b", manifest) { shop in
            manifest["mug"].name = "A mug"
            try shop.change(to: manifest)
            let known = ["OPENMARKET_SECRET": secret]
            let outputs = ["json", "html", "markdown", "text"].flatMap { ["--write", "\($0)=plan.\($0)"] }
            let runs = [
                ["plan", "-o", "saved.json"] + outputs, ["plan", "--json"], ["show", "saved.json"],
                ["state", "export"], ["state", "list"], ["state", "list", "--json"], ["state", "show", "mug"],
                ["state", "show", "mug", "--json"], ["state", "export", "-o", "state.jsonl"],
                ["pull", "--drift", "--write", "diff=drift.patch"], ["pull", "--drift"],
                ["pull", "--adopt", "-o", "pulled.yaml"], ["export", "-o", "shop.yaml"],
                ["export", "--since", "before.csv"], ["export", "--since", "before.csv", "-o", "changes.md"],
                ["export", "--since", "before.csv", "--json"],
                ["apply", "--yes", "--result", "result.json"], ["history"], ["history", "--json"],
            ]
            defer {
                let log = String(decoding: shop.server.process.transcript.bytes(.stderr), as: UTF8.self)
                #expect(log.contains("POST /item"))
                for text in [secret, ReferenceServer.secret, ReferenceServer.identifier] {
                    #expect(!log.contains(text))
                }
            }
            let export = try await shop.openmarket("export", "-o", "before.csv", "--columns", "id,key,name")
            #expect(export.status == 0)
            try shop.write("before.csv", shop.text("before.csv").replacing("A mug called \(secret)", with: "A jug"))
            for arguments in runs {
                let ran = try await shop.program(arguments, environment: known).run()
                // An export lacks the name, and says so.
                let status: Int32 = arguments.first == "apply" ? 8 : arguments.first == "export" ? 10 : 0
                #expect(ran.status == status, "\(arguments) \(ran.errorText)")
                #expect(!(ran.text + ran.errorText).contains(secret), "\(arguments)")
            }
            for file in [
                "saved.json", "plan.json", "plan.html", "plan.markdown", "plan.text", "state.jsonl", "result.json",
                "openmarket.yaml", "drift.patch", "pulled.yaml", "shop.yaml", "changes.md",
            ] {
                let text = try shop.text(file)
                #expect(!text.contains(secret), "\(file)")
                let files = ["result.json", "openmarket.yaml", "drift.patch", "pulled.yaml", "shop.yaml", "changes.md"]
                let hides = !files.contains(file)
                #expect(text.contains("•••") == hides, "\(file)")
            }
        }
    }

    @Test func `the last line of an error has none of the command's secrets`() async throws {
        var manifest = ShopManifest.three
        manifest.market = "  identifier: !env OPENMARKET_IDENTIFIER\n  secret: !env SHOP_PASSWORD"
        try await CommandSandbox.open("v2b", manifest) { shop in
            let set = ["SHOP_PASSWORD": "hunter2-hunter2", "OPENMARKET_SECRET": ""]
            let place = "no/HUNTER2-hunter2/shop.csv"
            let ran = try await shop.program(["export", "-o", place], environment: set).run()
            #expect(ran.status != 0 && ran.errorText.contains("•••/shop.csv"), "\(ran.errorText)")
            #expect(!ran.errorText.lowercased().contains("hunter2"))
            for address in ["localhost/shop?password=hunter2&sslmode=require", "lamp:hunter2@localhost/shop"] {
                let failed = try await shop.openmarket("plan", "-f", "postgresql://\(address)")
                #expect(
                    failed.status == 4 && !(failed.text + failed.errorText).contains("hunter2"),
                    "\(failed.errorText)"
                )
            }
        }
    }

    @Test func `a command that runs behind an export gets no variable that the manifest names as a credential`()
        async throws
    {
        var manifest = ShopManifest.three
        manifest.market = "  identifier: !env SHOP_NAME\n  secret: !env SHOP_PASSWORD"
        try await CommandSandbox.open("v2b", manifest) { shop in
            let named = [
                "SHOP_NAME": ReferenceServer.identifier, "SHOP_PASSWORD": ReferenceServer.secret, "SHOP_COLOUR": "blue",
            ]
            let arguments = ["export", "-o", "c.csv", "--on-success", "env > seen.txt"]
            let ran = try await shop.program(arguments, environment: named).run()
            #expect(ran.status == 0, "\(ran.errorText)")
            let seen = try shop.text("seen.txt")
            #expect(seen.contains("SHOP_COLOUR=blue"))
            #expect(!seen.contains(ReferenceServer.secret))
            #expect(!seen.contains(ReferenceServer.identifier))
        }
    }
}
