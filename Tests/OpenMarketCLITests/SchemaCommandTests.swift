import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// The manifest's JSON Schema, judged by readers of YAML and JSON Schema that are not ours.
@Suite(.timeLimit(.minutes(2)))
struct SchemaCommandTests {
    /// A product that nothing is wrong with, but for what is changed in it.
    private static func product(_ more: String..., without missing: String = "-") -> String {
        product(more, without: missing)
    }

    private static func product(_ more: [String], without missing: String = "-") -> String {
        let lines = [
            "key: lamp", "name: Desk lamp", "description: A warm light for desks.", "price: 35000", "currency: USD",
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
        "", "products: []\n", product(), product("price: \"35000\""), product("price: 16.99"), product("currency: KRW"),
        product("sale_price: 30000"), product("discount: 5000"), product("stock: {initial: 3}"),
        product("key: 007"), product("protected: true"),
        product("ignore_changes: [stock, price]"), product("ignore_changes: stock"), product("previously: old"),
        product("previously: [old, older]"), product("previously: [old, old]"), product("id: 7"),
        product("state: present"),
        "products:\n  - {key: lamp, state: absent}\n", "products:\n  - {key: lamp, id: 7, price: 5, currency: KRW}\n",
        "x-lamp: &lamp {stock: 3}\n" + product("<<: *lamp", without: "stock"),
        "defaults: {currency: KRW, stock: {initial: 1}}\n" + product(without: "currency"),
        "market: {url: 'http://127.0.0.1', api: v2, vendor_id: 7, picture_hosts: [a.example]}\n",
        "policies: {max_delete: 30%, max_price_change: 12.5%, allow_stock_to_zero: false, allow_zero_price: true}\n",
        "policies: {min_price: 0.99, on_drift: {stock: keep, sale_price: fail}}\n",
        "policies: {max_delete: 12}\n", "market: {limits: {max_name: 200}}\n",
        "market: {api: v2b}\n" + product(),
        "market: {api: v1}\nproducts:\n  - {key: lamp, state: absent}\n  - {key: mug, id: 7, price: 5, currency: KRW}\n",
        spare + "products:\n  - {key: lamp, name: Desk lamp}\n", spare + product(without: "images"),
    ]

    /// A market that needs nothing but a name.
    private static let spare = "market: {api: ./spare.market.yaml}\n"

    /// Manifests that both refuse.
    private static let bad = [
        "prodcuts: []\n", "products: {key: lamp}\n", "- a\n", product("nmae: x"), product(without: "key"),
        product("price: \"1,000\""), product("price: -1"),
        product("stock: 1.5"), product("stock: {first: 3}"), product("currency: krw"), product("state: gone"),
        product("images: images/1.png"),
        product("protected: maybe"), product("ignore_changes: [colour]"), product("id: []"), product("id: ''"),
        product("name: null"),
        "market: {api: v3}\n",
        "market: {hosts: x}\n", "market: {limits: {max_name: 0}}\n", "policies: {max_price_change: 50}\n",
        "policies: {on_drift: {stock: ignore}}\n", "policies: {on_drift: keep}\n", "policies: {min_price: -1}\n",
        "policies: {on_drift: {id: keep}}\n", "policies: {max_delete: -1}\n", "defaults: {currency: euro}\n",
    ]

    @Test(.enabled("no Python with PyYAML and jsonschema here") { try await Python.has("yaml", "jsonschema") })
    func `the schema takes and refuses what validate does`() async throws {
        let corpus = Self.good + Self.bad
        let folder = try TemporaryDirectory()
        try folder.write("images/1.png", SmallPicture.png(1))
        try folder.write(
            "spare.market.yaml",
            """
            market: 1
            name: spare
            identity: {id: {at: /id, as: integer}}
            fields:
              name: {at: /name}
              description: {at: /text}
              price: {at: /price, as: number}
              currency: {at: /currency}
              stock: {at: /stock}
              sale: {at: /sale, as: number, means: sale_price, none: null}
            pictures: {style: base64, change: in_place, read: {at: /pictures}, write: {at: /pictures}}
            list: {path: /products, page: {by: none}, rows: "", complete: whole}
            operations:
              detail: {path: "/products/{id}"}
              create: {method: POST, path: /products, body: json}

            """
        )
        let judged = try await Self.judged(corpus, in: folder.path)
        for (index, text) in corpus.enumerated() {
            let file = try folder.write("openmarket.yaml", text)
            let isTaken = await !ManifestLoader(options: ManifestOptions(environment: [:])).load([file]).hasErrors
            let expected = index < Self.good.count
            #expect(isTaken == expected, "validate:\n\(text)")
            #expect(judged?[index].truth == expected, "schema:\n\(text)")
        }
        withExtendedLifetime(folder) {}
    }

    /// What the schema that the program prints says of each text.
    private static func judged(_ texts: [String], in folder: String) async throws -> [JSONValue]? {
        let corpus = URL(fileURLWithPath: folder + "/corpus.json")
        try Data(JSONValue.array(texts.map { .string($0) }).bytes()).write(to: corpus)
        let schema = try await Program(Openmarket.path, ["schema"], folder: folder).run()
        #expect(schema.status == 0)
        try Data(schema.stdout).write(to: URL(fileURLWithPath: folder + "/schema.json"))
        return try await Python.json(
            """
            import json, yaml, jsonschema
            for tag in ("!env", "!file"):
                yaml.SafeLoader.add_constructor(tag, lambda loader, node: loader.construct_scalar(node))
            schema = json.load(open("schema.json"))
            jsonschema.Draft202012Validator.check_schema(schema)
            judge = jsonschema.Draft202012Validator(schema)
            def takes(text):
                try: return judge.is_valid(yaml.safe_load(text))
                except yaml.YAMLError: return False
            print(json.dumps([takes(text) for text in json.load(open("corpus.json"))]))
            """,
            folder: folder
        ).elements
    }

    // MARK: Spoilt values at every key

    /// What is in place of a sound value.
    private static let spoilt = [
        "null", "''", "' '", "[]", "{}", "{a: 1}", "-1", "1.5", "1.50", "abc", "'1,000'", "1e3", "99999999999999999999",
        "true", "maybe", #""a\nb""#, #""\x07""#, "[[a]]", "[{a: 1}]", "[null]", "0", "'1 000'", "30", "130%", "'5 %'",
        "-5%",
        "[stock, colour]", "http://", "ftp://x", "v3", "'http://u:p@h'", "2.0", "'+7'", "stock", "[stock]",
        "a.example:80",
    ]

    /// A value that is taken, for a variable to have.
    private static func sound(_ type: ManifestSchema.ValueType, at key: String) -> String? {
        switch type {
        case .mapping: nil
        case .list(let items): items == "fields" ? "stock" : nil
        case .text, .texts, .path: nil
        case .choice(let choices), .market(let choices): choices.last
        case .currency: "KRW"
        case .decimal, .stock: "5"
        case .wholeNumber, .id: "7"
        case .boolean: "true"
        case .share, .countOrShare: "30%"
        }
    }

    /// A manifest with a value at a key; `nil` where its place is a section of its own.
    private static func manifest(_ value: String, at key: String, in path: String) -> String? {
        // Lengths depend on the market: here nearly all are taken.
        let limits = "limits: {min_name: 1, min_description: 0, max_name: 1000, max_description: 1000}"
        switch path {
        case "products[]":
            let more =
                key == "thumbnail" ? ["images: [images/1.png, \(value)]"] : key == "discount" ? ["price: 99"] : []
            return "market: {\(limits)}\n" + product(["\(key): \(value)"] + more)
        case "products[].stock": return "market: {\(limits)}\n" + product(["stock: {\(key): \(value)}"])
        case "market": return "market: {\(key): \(value)}\n"
        case "market.limits":
            let others = ["min_name: 1", "min_description: 0"].filter { !$0.hasPrefix(key) }
            return "market: {limits: {\((others + ["\(key): \(value)"]).joined(separator: ", "))}}\n"
        case "policies.on_drift": return "policies: {on_drift: {\(key): \(value)}}\n"
        case "": return nil
        default: return "\(path): {\(key): \(value)}\n"
        }
    }

    /// Every key of the schema with every spoilt value, and with a variable that has a sound one.
    private static let corpus: [(text: String, variable: String?)] = ManifestSchema.mappings.flatMap { mapping in
        mapping.entries.flatMap { key, entry in
            spoilt.compactMap { value in manifest(value, at: key, in: mapping.path).map { ($0, nil) } }
                + (sound(entry.type, at: key).map { value in
                    manifest("!env SHOP_VALUE", at: key, in: mapping.path).map { [($0, value)] } ?? []
                } ?? [])
        }
    }

    @Test(.enabled("no Python with PyYAML and jsonschema here") { try await Python.has("yaml", "jsonschema") })
    func `of values spoilt at every key the schema refuses what the program refuses, and takes what it takes`()
        async throws
    {
        let corpus = Self.corpus
        #expect(corpus.count > 1000)
        let folder = try TemporaryDirectory()
        let judged = try await Self.judged(corpus.map(\.text), in: folder.path)
        withExtendedLifetime(folder) {}
        for (index, (text, variable)) in corpus.enumerated() {
            var options = ManifestOptions(environment: variable.map { ["SHOP_VALUE": $0] } ?? [:])
            options.readsPictures = false
            var isTaken = !ManifestLoader(options: options).decode(Array(text.utf8)).hasErrors
            // What an id has to be only the market shows: the schema takes what some market's manifest does.
            if !isTaken, text.contains(" id: ") {
                options.marketOverride = .builtIn(.v2b.naming(productsBy: .text))
                isTaken = !ManifestLoader(options: options).decode(Array(text.utf8)).hasErrors
            }
            // Whether there is such a picture only a look at the files shows.
            if isTaken, text.contains("images: [images/1.png, ") || text.contains("images: []") { continue }
            #expect(judged?[index].truth == isTaken, "the program \(isTaken ? "takes" : "refuses"):\n\(text)")
        }
    }

    @Test func `every key of the manual's tables is in the schema with its description`() async throws {
        try await CommandSandbox.open("v2b", .plain(1)) { shop in
            let schema = try JSONValue.parse(try await shop.openmarket("schema").stdout)
            let product = schema["properties"]?["products"]?["items"]
            #expect(
                product?["properties"]?["sale_price"]?["description"]?.text
                    == "the price during a sale. 0 to `price`. Needs `price`"
            )
            #expect(schema["properties"]?["market"]?["properties"]?["limits"]?["properties"]?["max_name"] != nil)
            #expect(
                schema["properties"]?["market"]?["description"]?.text
                    == "which market, and the vendor's credentials there"
            )
        }
    }
}
