import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
import Testing

/// A described shop that has products of other kinds, keys of its own and pictures that it fetches itself.
@Suite(.timeLimit(.minutes(2)))
struct PullOfKindsTests {
    private static let description = """
        market: 1
        name: kinds
        probed: tests
        identity:
          id: {at: /id, as: integer, order: rising}
          key: {at: /sku, unique: racy, find: {query: {sku: "{key}"}}, for: [create, update]}
          ours: [{at: /type, is: simple}]
        fields:
          name: {at: /name}
          price: {at: /price, as: decimal_text, unset: ""}
          currency: {fixed: USD}
          stock: {at: /stock}
        pictures:
          style: url
          write: {at: /images, new: /src, kept: /id}
          read: {at: /images, id: /id, url: /src}
          change: in_place
          bytes: kept
          clear: "[]"
        list:
          path: /products
          page: {by: none}
          rows: ""
          complete: whole
        operations:
          detail: {path: "/products/{id}"}
          create: {method: POST, path: /products, body: json, with: {/type: simple}}
          update: {method: PUT, path: "/products/{id}", body: json}
          delete: {method: DELETE, path: "/products/{id}"}

        """

    private static let accepted =
        "sha256:\(MarketDescriptionLoader.load(Array(description.utf8)).digest)"

    private static func product(
        _ id: Int64,
        _ name: String,
        sku: String,
        type: String = "simple",
        image: String? = nil
    ) -> JSONValue {
        .object(
            of: ("id", .integer(id)),
            ("type", .string(type)),
            ("name", .string(name)),
            ("sku", .string(sku)),
            ("price", .string(type == "simple" ? "5.00" : "")),
            ("stock", type == "simple" ? .integer(3) : .null),
            (
                "images",
                .array(image.map { [.object(of: ("id", .integer(id * 10)), ("src", .string($0)))] } ?? [])
            )
        )
    }

    private struct Desk {
        let shop: HTTPMarket
        let folder: String
        let requests: @Sendable () -> [String]

        func openmarket(_ arguments: String...) async throws -> Program.Output {
            try await Program(Openmarket.path, arguments, folder: folder).run()
        }

        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")), as: UTF8.self)
        }
    }

    private static func open(_ products: [JSONValue], _ body: (Desk) async throws -> Void) async throws {
        let paths = Mutex<[String]>([])
        let folder = try TemporaryDirectory()
        try folder.write("kinds.market.yaml", description)
        try await HTTPMarket.run { request in
            paths.withLock { $0.append("\(request.method) \(request.path)") }
            guard request.method == "GET" else { return .reply(405, nil) }
            if request.path == "/products" { return .reply(200, .array(products)) }
            if request.path.hasPrefix("/pictures/") { return .file(SmallPicture.png(1)) }
            let found = products.first { $0["id"]?.integer.map { "/products/\($0)" } == request.path }
            return found.map { .reply(200, $0) } ?? .reply(404, nil)
        } _: { shop in
            try folder.write(
                "market.yaml",
                "market: {url: '\(shop.url)', api: ./kinds.market.yaml, send_keys: true}\n"
            )
            try await body(Desk(shop: shop, folder: folder.path) { paths.withLock { $0 } })
        }
        withExtendedLifetime(folder) {}
    }

    /// Names that give the keys of other products, keys of two products, none at all, and kinds that are not written.
    private static let products = [
        product(1, "Desk", sku: "lamp-1"), product(2, "Chair", sku: "desk"),
        product(3, "Shirt", sku: "shirt", type: "variable"), product(4, "Twin", sku: "twin"),
        product(5, "Twin", sku: "twin"), product(6, "Shirt", sku: ""), product(7, "Set", sku: "set", type: "grouped"),
        product(8, "Link", sku: "link", type: "external"),
    ]

    @Test func `a pull takes the keys that products carry, leaves other kinds out and reads no product alone`()
        async throws
    {
        try await Self.open(Self.products) { desk in
            let pulled = try await desk.openmarket(
                "pull",
                "market.yaml",
                "--adopt",
                "-o",
                "products.yaml",
                "--accept-market",
                Self.accepted
            )
            #expect(pulled.status == 0, "\(pulled.errorText)")
            for line in ["product 3 'Shirt'", "product 7 'Set'", "product 8 'Link'"] {
                #expect(pulled.errorText.contains("Left out \(line), which is of a kind that is not written"))
            }
            let keys = try desk.text("products.yaml").matches(of: /key: (\S+)/).map { String($0.1) }
            #expect(keys == ["lamp-1", "desk", "twin-4", "twin-5", "shirt-6"])
            #expect(!desk.requests().contains { $0.contains("/products/") }, "\(desk.requests())")
            let planned = try await desk.openmarket("plan", "market.yaml", "products.yaml")
            #expect(planned.status == 0 && planned.text == "No changes.\n", "\(planned.text)\(planned.errorText)")
        }
    }

    @Test func `an export shows the key of each product, and its table changes nothing`() async throws {
        try await Self.open(Self.products) { desk in
            let exported = try await desk.openmarket("export", "market.yaml", "-o", "catalog.csv", "--details")
            #expect(exported.status == 0, "\(exported.errorText)")
            let keys = try desk.text("catalog.csv").split(separator: "\r\n").dropFirst().map { line in
                line.split(separator: ",", omittingEmptySubsequences: false)[1]
            }
            #expect(keys == ["lamp-1", "desk", "shirt", "twin", "twin", "", "set", "link"])
            #expect(!desk.requests().contains { $0.contains("/products/") }, "\(desk.requests())")
            let manifest = try await desk.openmarket(
                "export",
                "market.yaml",
                "-o",
                "catalog.yaml",
                "--format",
                "manifest"
            )
            #expect(manifest.errorText.contains("Left out product 3 'Shirt', which is of a kind that is not written"))
            #expect(try !desk.text("catalog.yaml").contains("id: 7"))
        }
    }

    @Test func `where pictures are served is asked before any is fetched, and can be told`() async throws {
        try await Self.open([Self.product(1, "Desk", sku: "desk", image: "/pictures/1.png")]) { desk in
            let arguments = ["pull", "--adopt", "--url", desk.shop.url, "--api", "./kinds.market.yaml"]
            func pull(_ more: String...) async throws -> Program.Output {
                try await Program(
                    Openmarket.path,
                    arguments + ["--accept-market", Self.accepted] + more,
                    folder: desk.folder
                ).run()
            }
            let unsaid = try await pull()
            #expect(unsaid.status == 4 && unsaid.errorText.contains("--pictures-url"), "\(unsaid.errorText)")
            #expect(!desk.requests().contains { $0.contains("/pictures/") })
            #expect((try? desk.text("openmarket.yaml")) == nil)
            let said = try await pull("--pictures-url", "https://files.example/shop")
            #expect(said.status == 0, "\(said.errorText)")
            #expect(try desk.text("openmarket.yaml").contains("pictures_url: https://files.example/shop"))
            #expect(try await desk.openmarket("plan").text == "No changes.\n")
        }
    }
}
