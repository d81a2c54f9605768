import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// The page at `/` of `serve`, and what pages of other origins may call, in a real browser.
@Suite(
    .serialized,
    .timeLimit(.minutes(4)),
    .enabled(if: ShopBrowser.isInstalled, "needs Debian's chromium and python3, and one of them is not installed")
)
struct ShopPageTests {
    @Test(arguments: ["v2a,v1a", "v2b,v1b"])
    func `a person looks at the shop, whatever the server does`(_ api: String) async throws {
        try await Self.serve(api, "--seed", "120") { server in
            // What is seen is the same on all profiles.
            let seen = String(decoding: try await ShopBrowser.output([server.url]), as: UTF8.self)
            let host = server.url.dropFirst("http://".count)
            expectGolden(Array(seen.replacing(host, with: "HOST").utf8), "shop.json")
        }
    }

    @Test func `an empty shop says so`() async throws {
        try await Self.serve("v2b") { server in
            let seen = try JSONValue.parse(try await ShopBrowser.output([server.url, "empty"]))
            #expect(seen["message"]?.text == "This shop has no products yet.")
            #expect(seen["retry"]?.text == "Try again")
            #expect(seen["faults"]?.elements == [])
            #expect(seen["complaints"]?.elements == [])
        }
    }

    @Test func `only pages of the origins that are named may call`() async throws {
        // The browser's page is served there, once the server knows about it.
        let port = try Self.freePort()
        let refused = ["refused", "refused", "refused", "refused", "refused", "refused"]
        // The last call sends a header that was not allowed.
        let answered = ["200", "200", "404", "400", "404", "refused"]
        for (origins, allowed, other) in [
            ([], refused, refused), (["http://127.0.0.1:\(port)"], answered, refused), (["*"], answered, answered),
            (["https://app.example", "http://127.0.0.1:\(port)"], answered, refused),
        ] {
            try await Self.serve("v2b,v1b", arguments: origins.flatMap { ["--allow-origin", $0] }) { server in
                let seen = try JSONValue.parse(try await ShopBrowser.output([server.url, "calls", String(port)]))
                func calls(_ page: String) -> [String] {
                    (seen[page]?.elements ?? []).map { $0.text ?? $0.integer.map(String.init) ?? "" }
                }
                #expect(calls("allowed") == allowed, "\(origins)")
                #expect(calls("other") == other, "\(origins)")
            }
        }
    }

    @Test func `the documented page of another origin lists the products`() async throws {
        let port = try Self.freePort()
        let origin = "http://127.0.0.1:\(port)"
        try await Self.serve("v2b", "--seed", "korean-shop", "--allow-origin", origin) { server in
            let page = try #require(
                try Recipes.blocks("html", of: "docs/guides/app-backend.md").first
            )
            let folder = try TemporaryDirectory()
            let file = try folder.write("page.html", page.replacing("http://127.0.0.1:8080", with: server.url))
            let seen = try JSONValue.parse(
                try await ShopBrowser.output([server.url, "list", String(port)], input: file)
            )
            let items = (seen.elements ?? []).compactMap(\.text)
            #expect(items.count == 7)
            #expect(items.last == "백자 달항아리: 280,000 KRW")
            #expect(items.contains("한지 조명등: 74,000 KRW"))
        }
    }

    private static func freePort() throws -> Int {
        let taken = try RefusingPort()
        return Int(taken.url.split(separator: ":").last ?? "") ?? 0
    }

    private static func serve(
        _ api: String,
        _ arguments: String...,
        arguments more: [String] = [],
        _ body: (ReferenceServer) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        try await ReferenceServer.run(api, folder: directory.path, arguments: arguments + more, body)
        withExtendedLifetime(directory) {}
    }
}

/// Chromium, driven by `Tests/Browser/shop.py`.
private enum ShopBrowser {
    private static let chromium = Program.installed("chromium", "chromium-browser", "google-chrome")
    private static let python = Program.installed("python3")

    static var isInstalled: Bool { chromium != nil && python != nil }

    /// What the script finds, as JSON.
    static func output(_ arguments: [String], input: String = "/dev/null") async throws -> [UInt8] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Browser/shop.py")
        let output = try await Program(
            try #require(python),
            ["-B", script.path, try #require(chromium)] + arguments,
            folder: script.deletingLastPathComponent().path,
            input: input
        ).run()
        try #require(output.status == 0, "\(output.errorText)")
        return output.stdout
    }
}
