import FoundationEssentials
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// A folder with a description and a manifest, and the shop that they are about.
struct BazaarDesk {
    let shop: BazaarShop
    let folder: String
    let url: String
    var secret = BazaarShop.secret
    /// The digest of the description.
    private(set) var digest = BazaarShop.digest

    /// Opens a shop, whose answers may pass through others, and a folder with a manifest of these products.
    static func open(
        _ shop: BazaarShop = BazaarShop(),
        secret: String = BazaarShop.secret,
        answering: (@Sendable (HTTPMarket.Request) -> HTTPMarket.Answer)? = nil,
        products: String = "",
        _ body: (inout BazaarDesk) async throws -> Void
    ) async throws {
        try await HTTPMarket.run(answering ?? { shop.answer($0) }) { server in
            let folder = try TemporaryDirectory()
            var desk = BazaarDesk(shop: shop, folder: folder.path, url: server.url, secret: secret)
            try desk.write("bazaar.market.yaml", BazaarShop.description)
            try desk.list(products)
            try await body(&desk)
            withExtendedLifetime(folder) {}
        }
    }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    /// Describes the shop otherwise.
    mutating func describe(_ change: (String) -> String) throws {
        let text = change(BazaarShop.description)
        try #require(text != BazaarShop.description)
        try write("bazaar.market.yaml", text)
        digest = MarketDescriptionLoader.load(Array(text.utf8)).digest
    }

    /// Writes a manifest of these products.
    func list(_ products: String) throws {
        try write(
            "openmarket.yaml",
            """
            market:
              url: \(url)
              api: ./bazaar.market.yaml
              parameters: {currency: EUR}
              secret: !env BAZAAR_TOKEN
            products:\(products.isEmpty ? " []" : "\n" + products)

            """
        )
    }

    /// The tool, about to be run in the folder.
    func program(_ arguments: [String], typing: String? = nil) throws -> Program {
        if let typing { try write("typed", typing) }
        return Program(
            Openmarket.path,
            arguments,
            environment: [
                "BAZAAR_TOKEN": secret, "OPENMARKET_SETTLE_DELAY": "0s", "OPENMARKET_PARALLELISM": "1",
            ],
            folder: folder,
            input: typing == nil ? "/dev/null" : folder + "/typed"
        )
    }

    func openmarket(_ arguments: String...) async throws -> Program.Output { try await program(arguments).run() }

    /// What accepts the description.
    var accepting: [String] { ["--accept-market", "sha256:\(digest)"] }

    func apply(_ arguments: String...) async throws -> Program.Output {
        try await program(["apply", "--yes"] + accepting + arguments).run()
    }

    /// A probe that writes.
    var probe: Program {
        get throws { try program(["market", "probe", "--write"] + accepting) }
    }
}
