import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// The guide to move a shop, as it is written there: from an Open Market shop to one that a file describes.
@Suite(.timeLimit(.minutes(2)))
struct MovingTests {
    /// The shop takes addresses of pictures, too.
    private static let description = BazaarShop.description.replacing(
        "\nlist:",
        with: """

            pictures:
              style: url
              write: {at: /pictures}
              read: {at: /pictures}
              change: in_place
              bytes: kept

            list:
            """
    )

    /// Where the folder of the new manifest is served, behind the shop's own address.
    private static let served = "/served/"

    /// The pictures at a list of addresses.
    private static func files(at addresses: JSONValue?) throws -> [[UInt8]] {
        try (addresses?.elements ?? []).compactMap(\.text).map { address in
            let reply = try HTTPExchange.send("GET", address)
            return try #require(reply.status == 200 && !reply.body.isEmpty ? reply.body : nil, "\(address)")
        }
    }

    @Test func `the recipe lists every product once, with what it was, and nothing is left to do`() async throws {
        let recipe = try #require(
            try Recipes.blocks("sh", of: "docs/guides/move-a-shop.md", after: "## Move the products").first
        )
        let folder = try TemporaryDirectory()
        try folder.write("bazaar.market.yaml", Self.description)
        let digest = MarketDescriptionLoader.load(Array(Self.description.utf8)).digest
        let path = folder.path
        let shop = BazaarShop()
        try await ReferenceServer.run(
            "v2b",
            folder: path + "/market",
            arguments: ["--seed", "korean-shop"]
        ) { server in
            try await HTTPMarket.run({ request in
                guard request.path.hasPrefix(Self.served) else { return shop.answer(request) }
                let file = URL(fileURLWithPath: path + "/" + request.path.dropFirst(Self.served.count))
                guard let bytes = try? Data(contentsOf: file) else { return .reply(404, nil) }
                return .file([UInt8](bytes))
            }) { bazaar in
                let market = """
                    market:
                      url: \(bazaar.url)
                      api: ./bazaar.market.yaml
                      parameters: {currency: KRW}
                      secret: !env BAZAAR_TOKEN
                      pictures_url: \(bazaar.url)\(Self.served)

                    """
                try Data(market.utf8).write(to: URL(fileURLWithPath: path + "/new.yaml"))
                shop.add(code: "theirs", title: "Another seller's", price: "1.00")
                let script = "set -eu\nopenmarket() { '\(Openmarket.path)' \"$@\"; }\n" + recipe
                let environment = [
                    "OLD_URL": server.url, "BAZAAR_TOKEN": BazaarShop.secret, "OPENMARKET_YES": "1",
                    "OPENMARKET_ACCEPT_MARKET": "sha256:\(digest)",
                ]
                for round in 1...2 {
                    let run = try await Program(
                        "/bin/sh",
                        ["-c", script],
                        environment: environment,
                        folder: path
                    ).run()
                    #expect(run.status == 0, "round \(round)\n\(run.text)\(run.errorText)")
                }
                let line = "export --details --url \(server.url) --api v2b --format jsonl"
                let export = try await Program.openmarket(line, in: path).run()
                let old = try export.text.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
                #expect(old.count > 5)
                let new = shop.products.values.filter { $0["code"]?.text != "theirs" }
                #expect(new.count == old.count)
                var pictures = 0
                for product in old {
                    let moved = new.filter { $0["title"] == product["name"] }
                    #expect(moved.count == 1, "\(product["name"]?.text ?? "")")
                    #expect(moved.first?["text"] == product["description"])
                    #expect(moved.first?["stock"] == product["stock"])
                    #expect(moved.first?["price"]?.text.flatMap { ExactDecimal($0) } == product["price"]?.decimal)
                    #expect(
                        moved.first?["sale_price"]?.text.flatMap { ExactDecimal($0) } == product["sale_price"]?.decimal
                    )
                    // In their order, and byte for byte what the old shop shows.
                    let files = try Self.files(at: moved.first?["pictures"])
                    #expect(try files == Self.files(at: product["images"]), "\(product["name"]?.text ?? "")")
                    pictures += files.count
                }
                #expect(pictures > old.count)
                #expect(shop.writes.filter { $0.method != "POST" }.isEmpty)
            }
        }
    }
}
