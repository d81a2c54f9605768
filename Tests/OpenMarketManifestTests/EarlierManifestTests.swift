@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// `pull --replace`: what a manifest says that no market shows is kept, or named.
final class EarlierManifestTests {
    /// A folder with pictures.
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        for name in ["a.jpg", "b.jpg"] {
            try folder.write(name, SamplePictures.jpeg(salt: UInt8(name.utf8.first ?? 0)))
        }
        try folder.write("text.txt", Array("A text from a file.".utf8))
    }

    private var options: ManifestOptions {
        ManifestOptions(environment: ["ITEM": "p", "OPENMARKET_SECRET": "s", "PRICE": "1000"])
    }

    private func read(_ text: String) -> LoadedManifest {
        ManifestLoader(options: options).decode(Array(text.utf8), name: "m.yaml", folder: folder.path)
    }

    /// Writes a manifest again from a market, which has more products beside.
    ///
    /// The closure changes the product of a key as happened on the market; `false` takes it away.
    private func merged(
        _ text: String,
        more: [EarlierManifest.Pulled] = [],
        change: (String, inout ProductValues) -> Bool = { _, _ in true }
    ) throws -> (text: String, losses: [String]) {
        let loaded = read(text)
        let manifest = try #require(loaded.hasErrors ? nil : loaded.manifest, "\(loaded.diagnostics)")
        let earlier = try EarlierManifest(Array(text.utf8), named: "m.yaml", of: manifest, for: manifest.market)
        var writer = LiveProductWriter(
            profile: .v1b,
            limits: manifest.market.limits,
            widensLimits: false
        )
        var pulled: [EarlierManifest.Pulled] = []
        for (index, listing) in manifest.listings.enumerated() where !listing.isAbsent {
            var shown = listing.values
            guard change(listing.key, &shown) else { continue }
            let live = LiveProduct(id: listing.pinnedID ?? MarketID(Int64(index + 1)), values: shown)
            let files = (shown.images ?? []).enumerated().map { number, _ in
                LiveProductWriter.PictureFile(path: "images/\(number).jpg", byteCount: 10, fault: nil)
            }
            let product = writer.product(live, key: listing.key, pictures: .success(files))
            pulled.append(.init(product: product, shown: shown))
        }
        let result = try earlier.merged(with: pulled + more, remark: "Pulled by openmarket from x, v1b.")
        return (String(decoding: result.bytes, as: UTF8.self), result.losses.map { "\($0.line): \($0.what)" })
    }

    /// A value for each key of the manifest that there is, by the path of its mapping: a new key needs one here.
    private static let samples: [String: [String: String]] = [
        "": [:],
        "market": [
            "url": "http://shop.example.org", "api": "v1b", "parameters": "{}", "identifier": "written-out",
            "secret": "!env OPENMARKET_SECRET",
            "vendor_id": "29", "limits": "", "picture_hosts": "[cdn.example.org]",
            "pictures_url": "https://cdn.example.org/shop", "send_keys": "false",
        ],
        "market.limits": [
            "min_name": "1", "max_name": "90", "min_description": "5", "max_description": "2000", "max_images": "7",
            "max_image_bytes": "400000", "currencies": "[KRW, EUR]",
        ],
        "defaults": ["currency": "KRW", "stock": "{initial: 3}", "ignore_changes": "[name]", "protected": "false"],
        "policies": [
            "max_delete": "10%", "max_price_change": "30%", "min_price": "10", "allow_currency_change": "false",
            "allow_stock_to_zero": "false", "allow_zero_price": "true", "allow_unsettled_creates": "false",
            "on_drift": "",
        ],
        "policies.on_drift": [
            "name": "keep", "description": "fail", "price": "restore", "currency": "keep", "sale_price": "keep",
            "stock": "keep", "images": "fail", "thumbnail": "keep",
        ],
        "products[]": [
            "key": "'007'", "name": "'Lamp: one'", "description": "!file text.txt", "price": "!env PRICE",
            "currency": "KRW", "sale_price": "900", "discount": "100", "stock": "5", "images": "[b.jpg, a.jpg]",
            "thumbnail": "b.jpg", "id": "17", "previously": "[old lamp, '8']", "state": "present", "protected": "true",
            "ignore_changes": "[stock]", "secret": "!env ITEM",
        ],
        "products[].stock": ["initial": "4"],
    ]

    @Test func `every key of the schema is kept as it is written`() throws {
        // A pull refuses adjustments.
        #expect(Set(ManifestSchema.mappings.map(\.path)).subtracting(["adjust[]"]) == Set(Self.samples.keys))
        func lines(_ path: String, _ margin: String, but left: String = "") throws -> String {
            let mapping = try #require(ManifestSchema.mappings.first { $0.path == path })
            return try mapping.entries.filter { $0.key != left }.map { key, _ in
                let value = try #require(Self.samples[path]?[key], "\(path) has no sample of \(key)")
                let below = value.isEmpty ? "\n" + (try lines("\(path).\(key)", margin + "  ")) : " \(value)\n"
                return "\(margin)\(key):\(below)"
            }.joined()
        }
        // Every key of a product, in both ways to say a sale and a stock.
        for left in ["sale_price", "discount"] {
            let isInitial = left == "discount"
            var product = try lines("products[]", "    ", but: left)
            if isInitial { product = product.replacing("stock: 5\n", with: "stock: {initial: 4}\n") }
            let head = try ["market", "defaults", "policies"].map { "\($0):  # ours\n" + (try lines($0, "  ")) }
                .joined()
            let first = String(product.dropFirst(4))
            let text = "# Mine.\n\(head)x-own: [1, 2]\nproducts:\n  - \(first)  # The end.\n"
            let (result, losses) = try merged(text)
            #expect(result == "# Pulled by openmarket from x, v1b.\n\n" + text)
            #expect(losses == [])
            #expect(try merged(result).text == result)
        }
    }

    private static let two = """
        # Pulled by openmarket from x, v1b.

        defaults: {currency: KRW}
        products:
          # The first lamp.
          - key: a
            name: "Lamp one"   # with its number
            description: &text A lamp for the desk.
            price: !env PRICE
            discount: 100
            stock: {initial: 9}
            images: [a.jpg]
            id: 1
            protected: true
          - key: gone
            state: absent
          - {key: b, id: 2, name: Lamp two, price: 500, description: *text}
        policies: {max_delete: 3}

        """

    @Test func `a product that is kept stays as it is written, whatever is pulled`() throws {
        let manifest = try #require(read(Self.two).manifest)
        let earlier = try EarlierManifest(Array(Self.two.utf8), named: "m.yaml", of: manifest, for: manifest.market)
        let kept = try earlier.merged(with: [], keeping: ["a", "b"], remark: "Pulled by openmarket from x, v1b.")
        let result = read(String(decoding: kept.bytes, as: UTF8.self)).manifest
        #expect(result?.listings.map(\.values) == manifest.listings.map(\.values))
        let lines = "  # The first lamp.\n  - key: a\n    name: \"Lamp one\""
        #expect(String(decoding: kept.bytes, as: UTF8.self).contains(lines))
        let lost = try earlier.merged(with: [], keeping: ["a"], remark: "Pulled.").losses.map(\.what)
        #expect(lost.contains("'b', which is not among what was pulled"))
    }

    @Test func `what moved on the market is written, what else cannot stay is named`() throws {
        let new = ManifestProduct(key: "new")
        let (text, losses) = try merged(Self.two, more: [.init(product: new, shown: ProductValues())]) { key, shown in
            if key == "a" {
                shown.price = 1200
                shown.sale = .price(1000)
                shown.stock = 2
            } else {
                shown.name = "Lamp: \"II'\u{301}\""
                shown.stock = 7
            }
            return true
        }
        #expect(
            text == """
                # Pulled by openmarket from x, v1b.

                defaults: {currency: KRW}
                products:
                  # The first lamp.
                  - key: a
                    name: "Lamp one"
                    description: A lamp for the desk.
                    price: 1200
                    discount: 200
                    stock: {initial: 9}
                    images: [a.jpg]
                    id: 1
                    protected: true

                  - key: gone
                    state: absent

                  - key: b
                    name: 'Lamp: "II''\u{301}"'
                    description: A lamp for the desk.
                    price: 500
                    id: 2

                  - key: new
                policies: {max_delete: 3}

                """
        )
        #expect(
            losses == [
                "6: 'a' has its price from !env PRICE, and the market shows another",
                "7: the comment # with its number",
                "8: anchors and aliases: each value is written where it is meant",
            ]
        )
        // What is gone from the market is not dropped without a word.
        #expect(
            try merged(Self.two) { key, _ in key == "a" }.losses.contains("17: 'b', which is not among what was pulled")
        )
    }

    @Test func `what a pull left out is taken in once it is available, and nothing else`() throws {
        let text = """
            # Pulled by openmarket from x, v1b.
            products:
              # stock is not managed: it is negative: -1
              - key: a
                id: 1
                name: Lamp one

            """
        let (result, losses) = try merged(text) { _, shown in
            (shown.stock, shown.price) = (4, 100)
            return true
        }
        #expect(result.contains("    stock: 4\n") && !result.contains("price") && !result.contains("not managed"))
        #expect(losses == [])
    }

    /// What the market shows and no manifest can say is left to the market, whatever field it is.
    @Test func `a value that no manifest can say is left out, and pictures that are not available stay`() throws {
        let text =
            "products:\n  - {key: a, id: 1, name: Lamp one, description: A lamp for the desk., price: 5, stock: 3, images: [a.jpg]}\n"
        let changes: [(String, (inout ProductValues) -> Void)] = [
            ("name", { $0.name = "x" }), ("name", { $0.name = "Lamp\nnew" }),
            ("description", { $0.description = "\u{1}" }),
            ("price", { $0.price = -5 }), ("stock", { $0.stock = -1 }),
        ]
        for (field, change) in changes {
            let (result, losses) = try merged(text) { _, shown in
                change(&shown)
                return true
            }
            let lines = result.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("  # \(field) is not managed: ") }, "\(result)")
            #expect(!lines.contains { $0.contains("\(field): ") && !$0.contains("#") }, "\(result)")
            #expect(losses == [])
        }
        // A value that the market does not show is not another value.
        let (blank, _) = try merged(text) { _, shown in
            (shown.name, shown.images) = (nil, nil)
            return true
        }
        #expect(blank.contains("name: Lamp one\n") && blank.contains("images: [a.jpg]\n"), "\(blank)")
    }

    /// Every style that a text of several lines can have.
    @Test(arguments: [
        "A long\n\n      text\n      here", ">-\n      A long\n\n      text\n      here",
        "\"A long\n\n      text here\"",
        "'A long\n\n      text here'", "|-\n      A long\n      text here",
    ])
    func `a text over several lines stays the same text`(text: String) throws {
        let manifest = "products:\n  - key: a\n    id: 1\n    description: \(text)\n    price: 5\n"
        let (result, losses) = try merged(manifest) { _, shown in
            shown.price = 7
            return true
        }
        let listing = try #require(read(result).manifest?.listings.first)
        #expect(listing.values.description == "A long\ntext here" && listing.values.price == 7, "\(result)")
        #expect(losses == [])
    }

    @Test(arguments: [
        "# yaml-language-server: $schema=openmarket.schema.json\n", "#!/usr/bin/env openmarket\n# -*- mode: yaml -*-\n",
        "# yaml-language-server: $schema=x\n# Pulled by openmarket from elsewhere, v2b.\n\n",
    ])
    func `a line for the editor stays the first one, however often it is written`(head: String) throws {
        let text = head + "products:\n  - {key: a, id: 1, name: Lamp one}\n"
        let (once, _) = try merged(text)
        let lines = head.split(separator: "\n").filter { !$0.contains("Pulled") }.joined(separator: "\n")
        #expect(once.hasPrefix(lines + "\n# Pulled by openmarket from x, v1b.\n"), "\(once)")
        #expect(try merged(once).text == once)
        #expect(!once.contains("elsewhere"))
    }

    @Test(arguments: ["\n", "\r\n"])
    func `line ends and the byte order mark stay`(lineEnd: String) throws {
        let text = "\u{FEFF}# Mine.\nproducts: [{key: a, id: 1, name: Lamp one}]\nmarket: {vendor_id: 29}\n"
            .replacing("\n", with: lineEnd)
        let (result, losses) = try merged(text)
        let expected =
            "\u{FEFF}# Pulled by openmarket from x, v1b.\n\n# Mine.\nproducts:\n  - key: a\n    name: Lamp one\n    id: 1\n"
            + "market: {vendor_id: 29}\n"
        #expect(result.utf8.elementsEqual(expected.replacing("\n", with: lineEnd).utf8))
        #expect(losses == [])
    }

    @Test(arguments: [
        ("{products: []}", "it is not a mapping with a line for each key"),
        ("market: {url: 'http://other'}\nproducts: []", "it is the manifest of another market, http://other"),
        ("market: {api: v2b}\nproducts: []", "it is the manifest of another market, one of v2b"),
    ])
    func `what is not a manifest of this market is not merged`(text: String, reason: String) throws {
        let manifest = try #require(read("products: []").manifest)
        let market = MarketSettings(url: "http://here", profile: .v1b)
        #expect(throws: EarlierManifest.Unusable(reason: reason)) {
            _ = try EarlierManifest(Array(text.utf8), named: "m.yaml", of: manifest, for: market)
        }
    }

    @Test(arguments: 0..<6)
    func `random manifests that the market shows are said again, every comment kept or named`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<30 {
            let source = RandomManifestText(&random)
            let roomy = "\nmarket: {limits: {min_name: 1, max_name: 900, min_description: 0, max_description: 2000}}\n"
            let text = String(decoding: source.bytes, as: UTF8.self) + roomy
            let (result, losses) = try merged(text)
            let old = try #require(read(text).manifest)
            let new = read(result)
            #expect(!new.hasErrors, "\(new.diagnostics)\n\(result)")
            #expect(new.manifest?.listings.map(\.key) == old.listings.map(\.key))
            #expect(new.manifest?.listings.map(\.values) == old.listings.map(\.values))
            #expect(new.manifest?.listings.map(\.pinnedID) == old.listings.map(\.pinnedID))
            func comments(_ text: String) -> Int {
                text.matches(of: /# (a comment, 등|b|product \d+|about \w+|shared)/).count
            }
            #expect(comments(text) == comments(result) + losses.count { $0.contains("the comment # ") })
        }
    }
}
