@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

struct LoaderTests {
    private let loader = ManifestLoader()

    @Test func `a folder gives its manifests in the order of their names`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("m/b.yml", "products: [{key: b, id: 2}]\n")
        try folder.write("m/a.yaml", "products: [{key: a, id: 1}]\n")
        try folder.write("m/c.json", "not read")
        try folder.write("m/.hidden.yaml", "not: read")
        try folder.write("m/sub.yaml/x", "not read")
        let loaded = loader.load([folder.path + "/m", folder.path + "/m/a.yaml"])
        #expect(loaded.diagnostics == [])
        #expect(loaded.manifest?.listings.map(\.key) == ["a", "b"])
        #expect(loaded.manifest?.files == [folder.path + "/m/a.yaml", folder.path + "/m/b.yml"])
    }

    @Test func `products beside a table are not read`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("a.yaml", "defaults: {currency: KRW}\nproducts: [{key: a, id: 2}]\n")
        try folder.write("t.csv", "key,id,price\nb,2,5\n")
        let loaded = loader.load(["a.yaml", "t.csv"].map { folder.path + "/" + $0 })
        #expect(loaded.diagnostics == [] && loaded.manifest?.listings.map(\.key) == ["b"])
    }

    @Test func `what is missing is named, and the rest is read`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("a.yaml", "products: [{key: a, id: 1}]\n")
        try folder.write("empty/readme.txt", "")
        let loaded = loader.load([folder.path + "/none.yaml", folder.path + "/a.yaml", folder.path + "/empty"])
        #expect(
            loaded.diagnostics.map(\.message) == [
                "\(folder.path)/none.yaml does not exist", "\(folder.path)/empty has no *.yaml or *.yml files",
            ]
        )
        #expect(loaded.manifest?.listings.map(\.key) == ["a"])
        #expect(loader.load([folder.path + "/none.yaml"]).manifest == nil)
    }

    @Test func `standard input is a file like others`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("a.yaml", "products: [{key: a, id: 1}]\n")
        let input = Array("products:\n- key: a\n  id: 2\n- key: b\n  id: 3\n  nmae: x\n".utf8)
        let loaded = ManifestLoader(edited: [ExactText("-"): input]).load([folder.path + "/a.yaml", "-"])
        #expect(
            loaded.diagnostics.map { "\($0.location?.description ?? "-") \($0.message)" } == [
                "<stdin>:2:8 the key 'a' is used by another product", "<stdin>:6:3 unknown key 'nmae'",
            ]
        )
        #expect(loaded.diagnostics[0].notes.map(\.location?.description) == ["\(folder.path)/a.yaml:1:12"])
        #expect(loaded.diagnostics[1].excerpt == SourceExcerpt(text: "  nmae: x", caret: 2, length: 4))
    }

    @Test func `sections come from one file, products from all, pictures lie beside the file that names them`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("one/x.jpg", SamplePictures.jpeg(salt: 1))
        try folder.write("two/x.jpg", SamplePictures.jpeg(salt: 2))
        try folder.write("staging.yaml", "market: {url: 'http://staging'}\n")
        try folder.write("one/m.yaml", "products: [{key: a, id: 1, images: [x.jpg]}]\n")
        try folder.write("two/m.yaml", "products: [{key: b, id: 2, images: [x.jpg]}]\nmarket: {url: 'http://two'}\n")
        let loaded = loader.load(["staging.yaml", "one/m.yaml", "two/m.yaml"].map { folder.path + "/" + $0 })
        #expect(loaded.manifest?.market.url == "http://staging")
        let pictures = try #require(loaded.manifest?.listings.map { $0.pictures[0] })
        #expect(pictures[0].digest != pictures[1].digest)
        #expect(
            loaded.diagnostics == [
                Diagnostic(
                    .error,
                    .repeatedSection,
                    "'market' is given a second time",
                    location: SourceLocation(
                        file: folder.path + "/two/m.yaml",
                        position: SourcePosition(line: 2, column: 1)
                    ),
                    path: "market",
                    excerpt: SourceExcerpt(text: "market: {url: 'http://two'}", caret: 0, length: 6),
                    help: "it may be set in only one file",
                    notes: [
                        Diagnostic.Note(
                            "it was given first here",
                            location: SourceLocation(
                                file: folder.path + "/staging.yaml",
                                position: SourcePosition(line: 1, column: 1)
                            )
                        )
                    ]
                )
            ]
        )
    }

    @Test func `the digest is that of all bytes in order`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("a.yaml", "products: []\n")
        try folder.write("b.yaml", "# b\n")
        let loaded = loader.load([folder.path + "/a.yaml", folder.path + "/b.yaml"])
        #expect(loaded.manifest?.digest == loader.decode(Array("products: []\n# b\n".utf8)).manifest?.digest)
        #expect(loaded.manifest?.digest != loader.decode(Array("# b\nproducts: []\n".utf8)).manifest?.digest)
    }

    @Test func `a syntax error ends its file only, and faults before it are reported`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("a.yaml", "products:\n- {key: a, id: 1, nmae: x}\n- {key: b, id: 2}\n\t- x\n")
        try folder.write("b.yaml", "products: [{key: c, id: 3, stock: -1}]\n")
        let loaded = loader.load([folder.path + "/a.yaml", folder.path + "/b.yaml"])
        #expect(
            loaded.diagnostics.map { "\($0.location?.description.dropFirst(folder.path.count) ?? "-") \($0.message)" }
                == [
                    "/a.yaml:2:19 unknown key 'nmae'",
                    "/a.yaml:4:1 tabs cannot indent YAML",
                    "/b.yaml:1:35 'stock' is -1, and cannot be negative",
                ]
        )
    }

    @Test func `anchors, aliases and merge keys serve products`() throws {
        let loaded = expectFaults(
            """
            x-lamp: &lamp
              price: 35000
              stock: 5
            products:
            - &first {<<: *lamp, key: a, id: 1}
            - <<: [*first, {name: Other}]
              key: b
              id: 2
              stock: 7
            """
        )
        let listings = try #require(loaded.manifest?.listings)
        #expect(
            listings.map(\.values) == [
                ProductValues(price: 35000, stock: 5), ProductValues(name: "Other", price: 35000, stock: 7),
            ]
        )
        #expect(listings[1].location(of: .price).description == "m.yaml:2:10")
    }

    @Test func `what a shared anchor has wrong is said once`() {
        expectFaults(
            "x-a: &a {stock: ①-1}\nproducts:\n- {<<: *a, key: a, id: 1}\n- {<<: *a, key: b, id: 2}\n",
            "① [products[0].stock] 'stock' is -1, and cannot be negative"
        )
    }

    @Test func `a list of products behind an alias, and sections merged in`() throws {
        let loaded = expectFaults(
            "x-list: &list [{key: a, id: 1}]\nx-base: &base {defaults: {stock: 4}}\n<<: *base\nproducts: *list\n"
        )
        #expect(loaded.manifest?.listings.map(\.values.stock) == [4])
    }

    @Test func `CRLF, a byte order mark and Korean count right`() {
        expectFaults(
            "\u{FEFF}products:\r\n- {key: 램프, id: 1, ①nmae: x}\r\n- key: b\r\n  id: ②x\r\n".replacing(
                "\u{FEFF}",
                with: ""
            ),
            """
            ① [products[0].nmae] unknown key 'nmae'
              help: did you mean 'name'?
            ② [products[1].id] 'id' must be a whole number of at least 1, and not 'x'
            """
        )
        let loaded = loader.decode([0xEF, 0xBB, 0xBF] + Array("램프: 1\r\nproducts: []\r\n".utf8), name: "m")
        #expect(loaded.diagnostics.first?.location?.description == "m:1:1")
        #expect(loaded.diagnostics.first?.excerpt == SourceExcerpt(text: "램프: 1", caret: 0, length: 2))
    }

    @Test func `lines that only YAML counts do not shift the code frames`() {
        let loaded = loader.decode(Array("x-a: 'one\u{2028}two\u{85}three'\rproducts: {}\n".utf8), name: "m")
        #expect(loaded.diagnostics.map(\.location?.description) == ["m:4:11"])
        #expect(loaded.diagnostics.first?.excerpt == SourceExcerpt(text: "products: {}", caret: 10, length: 2))
    }

    @Test func `bytes that are not text are placed by line and column`() {
        let loaded = loader.decode(Array("products:\n- key: 램".utf8) + [0xB0, 0xA1] + Array("\n".utf8), name: "m")
        #expect(
            loaded.diagnostics.map { "\($0.location?.description ?? "") \($0.message)" } == [
                "m:2:9 this is not UTF-8 text"
            ]
        )
    }

    @Test func `a line of 6 MB gives one short message`() throws {
        let long = String(repeating: "x", count: 6_000_000)
        let loaded = loader.decode(Array("products:\n- key: a\n  id: 1\n  name: \(long)\n".utf8), name: "m")
        #expect(
            loaded.diagnostics.map(\.message) == ["a single value or comment here has more than 5 MiB"]
        )
        #expect(loaded.diagnostics.first?.location?.description == "m:4:7")
        let excerpt = try #require(loaded.diagnostics.first?.excerpt)
        #expect(excerpt.text.unicodeScalars.count == 400)
    }

    @Test func `a fault deep in a long line shows the text around it`() throws {
        let filler = String(repeating: "a", count: 5000)
        let loaded = loader.decode(
            Array(
                "products: [{key: \(filler.prefix(150)), id: 1, description: \"\(filler.prefix(900))\", nmae: x}]".utf8
            )
        )
        let excerpt = try #require(loaded.diagnostics.first?.excerpt)
        #expect(excerpt.text.unicodeScalars.count == 400)
        #expect(excerpt.text.dropFirst(excerpt.caret).prefix(excerpt.length) == "nmae")
    }

    @Test func `an alias bomb is reported quickly and once`() {
        var text = "x0: &l0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...30 {
            text += "x-\(level): &l\(level) [\(Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", "))]\n"
        }
        let loaded = loader.decode(Array(("x-" + text.dropFirst(1)).utf8))
        #expect(
            loaded.diagnostics.map(\.message) == ["with the alias *l6 the aliases expand to more than 10000000 values"]
        )
    }

    @Test func `no mutation of a manifest crashes the decoder`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("a.jpg", SamplePictures.jpeg())
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let sample = Array(
            """
            market: {url: http://h, api: v2b, secret: !env S, limits: {max_name: 9}}
            defaults: &d {currency: KRW, stock: {initial: 3}, ignore_changes: [stock]}
            policies: {max_delete: 30%, max_price_change: 5%}
            products:
            - key: a
              name: "Lamp\\n"
              description: |
                text text text
              price: 16.5
              discount: 3
              images: [a.jpg, ./a.jpg]
              thumbnail: a.jpg
            - {<<: *d, key: b, id: 7, state: absent, previously: [c], protected: true, sale_price: 1}

            """.utf8
        )
        let spice = Array("[]{}&*!|>'\"%:,-?#\t\n\r \\<~0".utf8)
        for _ in 0..<1500 {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            var bytes = sample
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = spice[Int.random(in: 0..<spice.count, using: &random)]
                case 1: bytes.insert(spice[Int.random(in: 0..<spice.count, using: &random)], at: place)
                case 2: bytes.remove(at: place)
                default: bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
            }
            let loaded = ManifestLoader(options: ManifestOptions(environment: ["S": "s"]))
                .decode(bytes, folder: folder.path)
            let keys = loaded.manifest?.listings.map(\.key) ?? []
            #expect(Set(keys).count == keys.count, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<12)
    func `on two cores and on one, a manifest reads alike`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryDirectory()
        try folder.write("a.jpg", SamplePictures.jpeg())
        // Many batches, and now and then a fault, a key that appears twice, an alias, and a text that is not YAML.
        var text = "x-text: &text The same text for several products.\ndefaults: {currency: KRW, stock: 3}\nproducts:\n"
        for index in 0..<6000 {
            text += "  - key: p\(index % 5900)\n    name: \"Lamp \(index % 5000)\"\n    price: \(index * 100)\n"
            text += "    images: [a.jpg]\n"
            switch Int.random(in: 0..<40, using: &random) {
            case 0: text += "    description: *text\n"
            case 1: text += "    description: short\n"
            case 2: text += "    price: 5\n"
            case 3: text += "    colour: red\n"
            default: text += "    description: |\n      Warm light, two arms.\n      따뜻한 빛.\n"
            }
        }
        if seed.isMultiple(of: 3) { text += "  - key: [\n" }
        if seed.isMultiple(of: 2) { text += "market: {url: 'http://127.0.0.1', api: v2b}\n" }
        try folder.write("m.yaml", text)
        func inTurn() -> LoadedManifest { loader.load([folder.path + "/m.yaml"]) }
        let (one, two) = (inTurn(), await loader.load([folder.path + "/m.yaml"]))
        #expect(one.diagnostics == two.diagnostics)
        #expect(one.manifest?.listings == two.manifest?.listings)
        #expect(one.manifest?.digest == two.manifest?.digest)
        #expect(one.manifest?.listings.count ?? 0 > 4000)
    }
}
