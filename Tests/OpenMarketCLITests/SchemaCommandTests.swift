import OpenMarket
import OpenMarketTestSupport
import Testing

/// The manifest's JSON Schema, judged by readers of YAML and JSON Schema that are not ours.
@Suite(.timeLimit(.minutes(2)))
struct SchemaCommandTests {
    /// A product that nothing is wrong with, but for what is changed in it.
    private static func product(_ more: String..., without missing: String = "-") -> String {
        let lines = [
            "key: lamp", "name: Desk lamp", "description: A warm light for desks.", "price: 35000", "currency: KRW",
            "stock: 3", "images: [images/1.png]",
        ]
        return "products:\n  - "
            + (lines.filter { line in
                let key = line.prefix { $0 != ":" } + ":"
                return key != missing + ":" && !more.contains { $0.hasPrefix(key) }
            } + more).joined(separator: "\n    ") + "\n"
    }

    /// Manifests that both take.
    private static let good = [
        "", "products: []\n", product(), product("price: \"35000\""), product("currency: USD", "price: 16.99"),
        product("sale_price: 30000"), product("discount: 5000"), product("stock: {initial: 3}"),
        product("key: 007"), product("protected: true"),
        product("ignore_changes: [stock, price]"), product("ignore_changes: stock"), product("previously: old"),
        product("previously: [old, older]"), product("id: 7"), product("state: present"),
        "products:\n  - {key: lamp, state: absent}\n", "products:\n  - {key: lamp, id: 7, price: 5, currency: KRW}\n",
        "x-lamp: &lamp {stock: 3}\n" + product("<<: *lamp", without: "stock"),
        "defaults: {currency: KRW, stock: {initial: 1}}\n" + product(without: "currency"),
        "market: {url: 'http://127.0.0.1', api: v2, vendor_id: 7, picture_hosts: [a.example]}\n",
        "policies: {max_delete: 30%, max_price_change: 12.5%, allow_stock_to_zero: false}\n",
        "policies: {min_price: 0.99, on_drift: {stock: keep, sale_price: fail}}\n",
        "policies: {max_delete: 12}\n", "market: {limits: {max_name: 200}}\n",
    ]

    /// Manifests that both refuse.
    private static let bad = [
        "prodcuts: []\n", "products: {key: lamp}\n", "- a\n", product("nmae: x"), product(without: "key"),
        product(without: "name"), product(without: "images"), product("price: \"1,000\""), product("price: -1"),
        product("stock: 1.5"), product("stock: {first: 3}"), product("sale_price: 1", "discount: 1"),
        "products:\n  - {key: lamp, id: 7, sale_price: 5}\n", product("currency: krw"), product("state: gone"),
        product("images: images/1.png"),
        product("protected: maybe"), product("ignore_changes: [colour]"), product("id: 0"), product("name: null"),
        "products:\n  - {key: lamp, state: absent, name: Desk lamp}\n", "market: {api: v3}\n",
        "market: {hosts: x}\n", "market: {limits: {max_name: 0}}\n", "policies: {max_price_change: 50}\n",
        "policies: {on_drift: {stock: ignore}}\n", "policies: {on_drift: keep}\n", "policies: {min_price: -1}\n",
        "policies: {on_drift: {id: keep}}\n", "policies: {max_delete: -1}\n", "defaults: {currency: euro}\n",
    ]

    @Test(.enabled("no Python with PyYAML and jsonschema here") { try await Python.has("yaml", "jsonschema") })
    func `the schema takes and refuses what validate does`() async throws {
        try await CommandSandbox.open("v2b", .plain(1)) { shop in
            let corpus = Self.good + Self.bad
            for (index, text) in corpus.enumerated() { try shop.write("\(index).yaml", text) }
            let schema = try await shop.openmarket("schema")
            #expect(schema.status == 0)
            try shop.write("schema.json", schema.stdout)
            let judged = try await Python.json(
                """
                import json, sys, yaml, jsonschema
                for tag in ("!env", "!file"):
                    yaml.SafeLoader.add_constructor(tag, lambda loader, node: loader.construct_scalar(node))
                schema = json.load(open("schema.json"))
                jsonschema.Draft202012Validator.check_schema(schema)
                judge = jsonschema.Draft202012Validator(schema)
                print(json.dumps([
                    judge.is_valid(yaml.safe_load(open(f"{number}.yaml"))) for number in range(int(sys.argv[1]))
                ]))
                """,
                "\(corpus.count)",
                folder: shop.folder
            )
            for (index, text) in corpus.enumerated() {
                let validated = try await shop.openmarket("validate", "\(index).yaml").status == 0
                let expected = index < Self.good.count
                #expect(validated == expected, "validate:\n\(text)")
                #expect(judged.elements?[index].truth == expected, "schema:\n\(text)")
            }
        }
    }

    @Test func `every key of the manual's tables is in the schema with its description`() async throws {
        try await CommandSandbox.open("v2b", .plain(1)) { shop in
            let schema = try JSONValue.parse(try await shop.openmarket("schema").stdout)
            let product = schema["properties"]?["products"]?["items"]
            #expect(
                product?["properties"]?["sale_price"]?["description"]?.text
                    == "what buyers pay. 0 to `price`. Needs `price` beside it"
            )
            #expect(schema["properties"]?["market"]?["properties"]?["limits"]?["properties"]?["max_name"] != nil)
            #expect(schema["properties"]?["market"]?["description"]?.text == "which market, and who we are there")
        }
    }
}
