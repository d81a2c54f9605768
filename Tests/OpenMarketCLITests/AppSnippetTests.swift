import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// What docs/guides/app-backend.md shows those who build an app, run as it is there; the page for a browser is
/// among `ShopPageTests`.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct AppSnippetTests {
    private static func serve(_ body: (ReferenceServer, String) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let arguments = ["--seed", "korean-shop"]
        try await ReferenceServer.run("v2b", folder: directory.path + "/market", arguments: arguments) { server in
            try await body(server, directory.path)
        }
        withExtendedLifetime(directory) {}
    }

    private static func snippet(_ language: String, _ server: ReferenceServer) throws -> String {
        try #require(try Recipes.blocks(language, of: "docs/guides/app-backend.md").first)
            .replacing("http://127.0.0.1:8080", with: server.url)
    }

    @Test(.enabled(if: Program.installed("curl") != nil, "needs curl"))
    func `curl reads a page and makes a product`() async throws {
        try await Self.serve { server, folder in
            try Data(SmallPicture.png(1)).write(to: URL(fileURLWithPath: folder + "/lamp.png"))
            let script = "set -e\ncurl() { command curl -sSf \"$@\"; echo; }\n" + (try Self.snippet("sh", server))
            let ran = try await Program(
                "/bin/sh",
                ["-c", script],
                environment: [
                    "OPENMARKET_IDENTIFIER": ReferenceServer.identifier, "OPENMARKET_SECRET": ReferenceServer.secret,
                ],
                folder: folder
            ).run()
            #expect(ran.status == 0, "\(ran.errorText)")
            let replies = try ran.text.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
            #expect(replies.first?["totalCount"]?.integer == 7)
            #expect(replies.last?["name"]?.text == "Desk lamp")
            #expect(replies.last?["id"]?.integer == 8)
        }
    }

    @Test(.enabled(if: Program.installed("swiftc") != nil, "needs swiftc"))
    func `an app in Swift lists the products`() async throws {
        try await Self.serve { server, folder in
            let source = folder + "/main.swift"
            try Data((try Self.snippet("swift", server) + "\n").utf8).write(to: URL(fileURLWithPath: source))
            let built = try await Program(
                try #require(Program.installed("swiftc")),
                ["-swift-version", "6", "-warnings-as-errors", "-Onone", source, "-o", "app"],
                folder: folder
            ).run()
            try #require(built.status == 0, "\(built.errorText)\(built.text)")
            let ran = try await Program(folder + "/app", folder: folder).run()
            #expect(ran.status == 0, "\(ran.errorText)")
            let lines = ran.text.split(separator: "\n")
            #expect(lines.count == 7)
            #expect(lines.last == "1 백자 달항아리 280000.0 KRW")
            #expect(lines.contains("3 한지 조명등 74000.0 KRW"))
        }
    }
}
