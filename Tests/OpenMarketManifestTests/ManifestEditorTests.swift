@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// What is wanted is written where the manifest says it, and nothing else is touched.
struct ManifestEditorTests {
    private static let roomy =
        "market: {limits: {min_name: 1, max_name: 900, min_description: 0, max_description: 2000}}\n"

    private func read(_ bytes: [UInt8]) -> LoadedManifest { ManifestLoader().decode(bytes) }

    private func edits(_ fields: [ProductField], _ wanted: ProductValues) -> [FieldEdit] {
        fields.map { field in FieldEdit(.value(field), wanted[field].map { .value($0) }) }
    }

    /// Where the products begin, by key.
    private func positions(_ bytes: [UInt8]) throws -> [String: SourcePosition] {
        let products = try ManifestOutline(bytes).products
        return Dictionary(uniqueKeysWithValues: products.map { ($1[.key]?.text ?? "", $0) })
    }

    private func refusals(_ outcomes: [ManifestEditor.Outcome]) -> [String?] {
        outcomes.map(\.refusal?.reason)
    }

    @Test(arguments: 0..<8)
    func `random values in random manifests are read back, and other lines stay`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let source = RandomManifestText(&random)
            let manifest = try #require(read(source.bytes + Array("\n\(Self.roomy)".utf8)).manifest)
            try #require(manifest.listings.count == source.products.count)
            var expected = Array(manifest.listings)
            var editor = try ManifestEditor(source.bytes)
            var drifted: Set<Int> = []
            for (index, fields) in source.products.enumerated() {
                var live = manifest.listings[index].values
                let chosen = fields.filter { $0.key != "id" && Int.random(in: 0..<3, using: &random) == 0 }
                for field in chosen {
                    switch field.key {
                    case "name": live.name = RandomManifestText.text(of: "name", &random)
                    case "description": live.description = RandomManifestText.text(of: "description", &random)
                    case "price":
                        live.price = ExactDecimal(significand: .random(in: 0...99_999, using: &random), scale: 2)
                    default: live.stock = .random(in: 0...Int64.max, using: &random)
                    }
                }
                let names = chosen.compactMap { ProductField(rawValue: $0.key) }
                    .filter { live[$0] != manifest.listings[index].values[$0] }
                let outcomes = editor.apply(edits(names, live), to: manifest.listings[index])
                #expect(outcomes.count == names.count)
                for (outcome, refusal) in zip(outcomes, refusals(outcomes)) {
                    let field = try #require(fields.first { $0.key == outcome.fields.first?.name })
                    #expect((refusal == nil) == field.isOwn, "\(field) \(outcome)")
                    guard refusal == nil, let name = ProductField(rawValue: field.key) else { continue }
                    expected[index].values[name] = live[name]
                    drifted.formUnion(field.lines)
                }
            }
            try editor.settle()
            let loaded = read(editor.bytes + Array("\n\(Self.roomy)".utf8))
            #expect(!loaded.hasErrors, "\(loaded.diagnostics)\n\(String(decoding: editor.bytes, as: UTF8.self))")
            #expect(loaded.manifest?.listings.map(\.values) == expected.map(\.values))
            #expect(loaded.manifest?.listings.map(\.key) == expected.map(\.key))
            // The lines that say nothing that changed are there, in their order and with their ends.
            let before = Self.lines(source.bytes)
            let stays = before.indices.filter { !drifted.contains($0) }.map { before[$0] }
            var rest = Self.lines(editor.bytes)[...]
            for line in stays {
                let place = try #require(rest.firstIndex(of: line), "\(String(decoding: line, as: UTF8.self))")
                rest = rest[(place + 1)...]
            }
            let comments = [source.bytes, editor.bytes].map {
                String(decoding: $0, as: UTF8.self).matches(of: /# (a comment, 등|b|product \d+|about \w+|shared)/).count
            }
            #expect(comments[0] == comments[1])
            let patch = UnifiedDiff(source.bytes, editor.edits, name: "m.yaml").bytes
            #expect(try Self.applied(patch, to: before) == editor.bytes)
        }
    }

    @Test(arguments: [
        ("- {key: a, id: 1, price: *p, name: Lamp}", [ProductField.price], "the value is the alias *p"),
        ("- {key: a, id: 1, stock: !env STOCK}", [.stock], "!env gives the value"),
        (
            "- {key: a, id: 1, stock: &s 3}\n- {key: b, id: 2, stock: *s}", [.stock],
            "it has the anchor &s, so it is also used elsewhere"
        ),
        (
            "- &a {key: a, id: 1, stock: 3}\n- {<<: *a, key: b, id: 2}", [.stock],
            "it has the anchor &a, so it is also used elsewhere"
        ),
        ("- {key: a, id: 1, images: []}", [.images], "pictures are files, which are not fetched"),
        ("- {key: a, id: 1, price: 10, sale_price: 8}", [.price], "the sale price 8 is above the price 7"),
    ])
    func `what cannot be placed is refused with the reason, and nothing changes`(
        product: String,
        fields: [ProductField],
        reason: String
    ) throws {
        let bytes = Array("x-p: &p 5\ndefaults: {stock: 3}\nproducts:\n\(product)\n".utf8)
        var options = ManifestOptions(environment: ["STOCK": "3"])
        options.readsPictures = false
        let listing = try #require(ManifestLoader(options: options).decode(bytes).manifest?.listings.first)
        var editor = try ManifestEditor(bytes)
        let live = ProductValues(name: "Lantern", price: 7, stock: 4, images: [.unknown("a.jpg")])
        let outcomes = editor.apply(edits(fields, live), to: listing)
        #expect(refusals(outcomes) == [reason])
        #expect(editor.edits == [] && editor.bytes == bytes)
    }

    @Test(arguments: [
        ("price: 100\n  sale_price: 80 # a\n", 120, Sale.price(90), "price: 120\n  sale_price: 90 # a\n"),
        ("price: 100\n  sale_price: 80 # a\n", 100, .fullPrice, "price: 100\n  sale_price: 100 # a\n"),
        ("price: 100\n  sale_price: 100\n", 120, .fullPrice, "price: 120\n  sale_price: 120\n"),
        ("price: 100\n  discount: 20 # b\n", 120, .price(80), "price: 120\n  discount: 40 # b\n"),
        ("price: 100\n  discount: 20\n", 120, .price(100), "price: 120\n  discount: 20\n"),
        ("price: 100\n  discount: 20\n", 100, .fullPrice, "price: 100\n  discount: 0\n"),
        ("price: 100\n", 120, .fullPrice, "price: 120\n"),
    ])
    func `a sale is written as buyers pay it, in the manifest's own words`(
        before: String,
        price: Int64,
        sale: Sale,
        after: String
    ) throws {
        let head = "products:\n- key: a\n  id: 1\n  "
        let bytes = Array((head + before).utf8)
        let listing = try #require(read(bytes).manifest?.listings.first)
        let live = ProductValues(price: ExactDecimal(price), sale: sale)
        var fields: [ProductField] = []
        if listing.values.price != live.price { fields.append(.price) }
        if let own = listing.values.sale, own != sale { fields.append(.salePrice) }
        var editor = try ManifestEditor(bytes)
        let outcomes = editor.apply(edits(fields, live), to: listing)
        #expect(refusals(outcomes).allSatisfy { $0 == nil })
        try editor.settle()
        #expect(String(decoding: editor.bytes, as: UTF8.self) == head + after)
    }

    /// A price in another currency is another price, so that neither is written where one of them cannot be.
    @Test(arguments: [
        ("currency: KRW\n  price: 100\n", nil, "currency: USD\n  price: 12\n"),
        ("price: 100\n", nil, "price: 12\n  currency: USD\n"),
        ("currency: KRW\n  price: *p\n", "the value is the alias *p", "currency: KRW\n  price: *p\n"),
        (
            "currency: KRW\n  price: *p\n  sale_price: 80\n", "the value is the alias *p",
            "currency: KRW\n  price: *p\n  sale_price: 80\n"
        ),
    ])
    func `a price and its currency are written together or not at all`(
        before: String,
        refusal: String?,
        after: String
    ) throws {
        let head = "x-p: &p 100\ndefaults: {currency: KRW}\nproducts:\n- key: a\n  id: 1\n  "
        let bytes = Array((head + before).utf8)
        let listing = try #require(read(bytes).manifest?.listings.first)
        let hasSale = listing.values.sale != nil
        let fields: [ProductField] = [.price, .currency] + (hasSale ? [.salePrice] : [])
        var editor = try ManifestEditor(bytes)
        let live = ProductValues(price: 12, currency: .usd, sale: .price(10))
        let outcomes = editor.apply(edits(fields, live), to: listing)
        #expect(outcomes.map(\.fields) == [fields.map { .value($0) }])
        #expect(refusals(outcomes) == [refusal])
        try editor.settle()
        #expect(String(decoding: editor.bytes, as: UTF8.self) == head + after)
    }

    /// A key behind `?` is further in than the others, so that one in its column is read as a part of the value.
    @Test func `a file is left as it is if one of its edits would be read as something else`() throws {
        let text = "products:\n- ? key\n  : a\n  id: 1\n  stock: 5\n"
        let listing = try #require(read(Array(text.utf8)).manifest?.listings.first)
        var editor = try ManifestEditor(Array(text.utf8))
        try editor.apply([(.name, .text("Lamp 7"))], toProductAt: listing.position)
        try editor.apply([(.stock, .plain("7"))], toProductAt: listing.position)
        #expect(throws: ManifestEditor.Refusal(reason: "an edit would also change another value of the file")) {
            try editor.settle()
        }
        #expect(editor.edits == [] && String(decoding: editor.bytes, as: UTF8.self) == text)
    }

    @Test(arguments: [
        // Behind the nearest key before it whose value is no block, and behind its comment.
        (
            "- key: a  # ours\n  # about stock\n  stock: 3\n",
            "- key: a  # ours\n  price: 7\n  # about stock\n  stock: 3\n"
        ),
        ("- key: a\n  description: |\n    A # text.\n", "- key: a\n  price: 7\n  description: |\n    A # text.\n"),
        ("-   key: a\n    name: '등'", "-   key: a\n    name: '등'\n    price: 7"),
        ("- {key: a, name: Lamp}  # flow\n", "- {key: a, name: Lamp, price: 7}  # flow\n"),
        ("- {key: a,  # one\n   stock: 3}\n", "- {key: a, price: 7,  # one\n   stock: 3}\n"),
        ("- &x\n  key: a\n  <<: {price: 1}\n", "- &x\n  key: a\n  price: 7\n  <<: {price: 1}\n"),
    ])
    func `a key that the product does not have is inserted`(before: String, after: String) throws {
        for (lineEnd, mark) in [("\n", ""), ("\r\n", "\u{FEFF}")] {
            let head = mark + "products:" + lineEnd
            let bytes = Array((head + before.replacing("\n", with: lineEnd)).utf8)
            let position = try #require(positions(bytes)["a"])
            var editor = try ManifestEditor(bytes)
            try editor.apply([(.price, .plain("7"))], toProductAt: position)
            try editor.settle()
            #expect(editor.bytes == Array((head + after.replacing("\n", with: lineEnd)).utf8))
        }
    }

    @Test(arguments: [
        ("- key: a\n  stock: 3  # many\n  # about name\n  name: Lamp\n", "- key: a\n  # about name\n  name: Lamp\n"),
        ("- stock: 3\n\n  key: a\n", "- key: a\n"),
        ("- {key: a, stock: 3, name: Lamp}\n", "- {key: a, name: Lamp}\n"),
        ("- {stock: 3, key: a}\n", "- {key: a}\n"),
    ])
    func `a key is removed with the comment behind it, and other comments stay`(before: String, after: String) throws {
        let bytes = Array("products:\n\(before)".utf8)
        let position = try #require(positions(bytes)["a"])
        var editor = try ManifestEditor(bytes)
        try editor.apply([(.stock, nil)], toProductAt: position)
        try editor.settle()
        #expect(editor.bytes == Array("products:\n\(after)".utf8))
    }

    @Test(arguments: [
        ("- stock: 3\n  # about key\n  key: a\n", "a comment stands in the way"),
        ("- {key: a,  # one\n   stock: 3}\n", "a comment stands in the way"),
        ("- {key: a}\n", "the value comes from 'defaults'"),
        ("- {key: a, <<: {stock: 3}}\n", "the value comes from a merge key, '<<'"),
        (
            "- {key: a, stock: &s 3}\n- {key: b, stock: *s}\n",
            "it has the anchor &s, so it is also used elsewhere"
        ),
    ])
    func `a key that cannot be removed is left alone`(product: String, reason: String) throws {
        let bytes = Array("products:\n\(product)".utf8)
        let position = try #require(positions(bytes)["a"])
        var editor = try ManifestEditor(bytes)
        #expect(throws: ManifestEditor.Refusal(reason: reason)) {
            try editor.apply([(.stock, nil)], toProductAt: position)
        }
        #expect(editor.bytes == bytes)
    }

    @Test(arguments: [
        ("  images: [a.jpg, b.jpg]  # two\n", "  images: [c d.jpg]  # two\n"),
        ("  images:\n  - a.jpg\n  - b.jpg  # back\n  stock: 3\n", "  images:\n  - c d.jpg  # back\n  stock: 3\n"),
        ("  images: &own [a.jpg, b.jpg]\n", "  images: &own [c d.jpg]\n"),
        ("  images: &own\n  - a.jpg\n  - b.jpg\n", "  images: &own\n  - c d.jpg\n"),
        ("  name: Lamp\n", "  name: Lamp\n  images: [c d.jpg]\n"),
        ("  images:\n  - a.jpg  # front\n  - b.jpg\n", "a comment stands in the way"),
        ("  images: *p\n", "the value is the alias *p"),
    ])
    func `a list of pictures is written in the style that it has, or left alone`(before: String, after: String) throws {
        let head = "x-p: &p [a.jpg]\nproducts:\n- key: a\n  id: 1\n"
        let bytes = Array((head + before).utf8)
        var options = ManifestOptions()
        options.readsPictures = false
        let listing = try #require(ManifestLoader(options: options).decode(bytes).manifest?.listings.first)
        var editor = try ManifestEditor(bytes)
        let outcomes = editor.apply([FieldEdit(.value(.images), .paths(["c d.jpg"]))], to: listing)
        let isWritten = after.hasSuffix("\n")
        #expect(refusals(outcomes) == [isWritten ? nil : after])
        try editor.settle()
        #expect(editor.bytes == Array((head + (isWritten ? after : before)).utf8))
    }

    private static let added = AddedProduct(
        values: ProductValues(name: "Lamp two", price: 5, stock: 2),
        isProtected: true
    )

    @Test(arguments: [
        (
            "products: []  # none\n",
            "products:  # none\n  - key: z\n    name: Lamp two\n    price: 5\n    stock: 2\n    protected: true\n"
        ),
        (
            "products:\n- key: a\n\n# The end.\n",
            "products:\n- key: a\n\n- key: z\n  name: Lamp two\n  price: 5\n  stock: 2\n  protected: true\n\n# The end.\n"
        ),
        (
            "products:\n- key: a\n  # stock: 5\n\n# The end.\n",
            "products:\n- key: a\n  # stock: 5\n\n- key: z\n  name: Lamp two\n  price: 5\n  stock: 2\n  protected: true\n\n# The end.\n"
        ),
        (
            "products:\n    - {key: a}\n    - {key: b}",
            "products:\n    - {key: a}\n    - {key: b}\n    - key: z\n      name: Lamp two\n      price: 5\n      stock: 2\n      protected: true"
        ),
    ])
    func `a product is listed at the end, in the file's indentation`(before: String, after: String) throws {
        let head = "market: {url: 'http://m'}  # 등\n"
        var editor = try ManifestEditor(Array((head + before).utf8))
        try editor.add(Self.added, key: "z")
        try editor.settle()
        #expect(String(decoding: editor.bytes, as: UTF8.self) == head + after)
    }

    @Test func `no product is listed where a comment would go or a text would get a line end`() throws {
        var editor = try ManifestEditor(Array("products:  # lamps\n  []\n".utf8))
        #expect(throws: ManifestEditor.Refusal(reason: "a comment stands in the way")) {
            try editor.add(Self.added, key: "z")
        }
        editor = try ManifestEditor(Array("products:\n- key: a\n  description: |\n    A lamp".utf8))
        #expect(throws: ManifestEditor.Refusal(reason: "the file ends in a block of text without a line end")) {
            try editor.add(Self.added, key: "z")
        }
        editor = try ManifestEditor(Array("{market: {url: 'http://m'}}\n".utf8))
        #expect(throws: ManifestEditor.Refusal(reason: "the file lacks a section 'products'")) {
            try editor.add(Self.added, key: "z")
        }
    }

    @Test(arguments: [
        (
            "- key: a\n\n# about b\n- key: b  # ours\n  name: Lamp\n\n# about c\n- key: c\n", ["b"],
            "- key: a\n\n# about c\n- key: c\n"
        ),
        ("- {key: a}\n- {key: b}\n", ["a", "b"], ""),
        ("- key: a\n\n- key: b\n\n- key: c\n", ["a", "b"], "\n- key: c\n"),
    ])
    func `a product is taken out with the comment above it`(before: String, keys: [String], after: String) throws {
        let bytes = Array("products:\n\(before)".utf8)
        let positions = try positions(bytes)
        var editor = try ManifestEditor(bytes)
        for key in keys { try editor.removeProduct(at: #require(positions[key])) }
        try editor.settle()
        let head = after.isEmpty ? "products: []\n" : "products:\n"
        #expect(String(decoding: editor.bytes, as: UTF8.self) == head + after)
    }

    @Test func `an edit is taken only if the manifest has its base, and needs nothing if the value is there`() throws {
        let bytes = Array("products:\n- {key: a, id: 1, name: Lamp, price: 5, stock: 3, protected: true}\n".utf8)
        let listing = try #require(read(bytes).manifest?.listings.first)
        var editor = try ManifestEditor(bytes)
        let outcomes = editor.apply(
            [
                FieldEdit(.value(.price), .value(.number(6)), base: .value(.number(4))),
                FieldEdit(.value(.stock), .value(.integer(4)), base: .value(.integer(3))),
                FieldEdit(.value(.name), .value(.text("Lamp")), base: .value(.text("Lantern"))),
                FieldEdit(.protected, .flag(true)),
                FieldEdit(.value(.description), .value(.text("A text.")), refusal: "no"),
            ],
            to: listing
        )
        #expect(outcomes.map { $0.fields[0].name } == ["price", "description", "stock"])
        #expect(refusals(outcomes) == ["the manifest was also changed", "no", nil])
        #expect(String(decoding: editor.bytes, as: UTF8.self).contains("price: 5, stock: 4, protected: true}"))
    }

    /// Sets, inserts, removals and appends in one file.
    @Test(arguments: 0..<8)
    func `random edits of all kinds are read back as meant, and other lines stay`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let source = RandomManifestText(&random)
            let manifest = try #require(read(source.bytes + Array("\n\(Self.roomy)".utf8)).manifest)
            var editor = try ManifestEditor(source.bytes)
            var expected: [Listing] = []
            var touched: Set<Int> = []
            for (index, fields) in source.products.enumerated() {
                var listing = manifest.listings[index]
                let end = fields.map(\.lines.upperBound).max() ?? 0
                if Int.random(in: 0..<5, using: &random) == 0 {
                    try editor.removeProduct(at: listing.position)
                    touched.formUnion(Int(listing.position.line) - 3..<end)
                    continue
                }
                var wanted: [FieldEdit] = []
                if Bool.random(using: &random) {
                    listing.isProtected = true
                    wanted.append(FieldEdit(.protected, .flag(true)))
                }
                for field in [ProductField.description, .stock] where Bool.random(using: &random) {
                    listing.values[field] = nil
                    wanted.append(FieldEdit(.value(field), nil))
                }
                if fields.first(where: { $0.key == "price" })?.isOwn == true {
                    listing.values.price = ExactDecimal(Int64.random(in: 10_000...99_999, using: &random))
                    listing.values.sale = .price(ExactDecimal(Int64.random(in: 0...9_999, using: &random)))
                    for field in [ProductField.price, .salePrice] {
                        wanted.append(FieldEdit(.value(field), listing.values[field].map { .value($0) }))
                    }
                }
                let outcomes = editor.apply(wanted, to: manifest.listings[index])
                #expect(refusals(outcomes).allSatisfy { $0 == nil }, "\(outcomes)")
                let names = wanted.map(\.field.name)
                // A product in braces is one line, which takes every edit.
                let line = Int(listing.position.line) - 1
                if !wanted.isEmpty,
                    source.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)[line].contains(0x7B)
                {
                    touched.formUnion(line..<max(end, line + 1))
                }
                for field in fields where names.contains(field.key) { touched.formUnion(field.lines) }
                expected.append(listing)
            }
            for number in 0..<Int.random(in: 0...2, using: &random) {
                let description = RandomManifestText.text(of: "description", &random)
                let values = ProductValues(name: "Lamp \(number)", description: description, price: 5)
                let id = MarketID(Int64(900 + number))
                do throws(ManifestEditor.Refusal) {
                    try editor.add(AddedProduct(values: values, id: id), key: "new-\(number)")
                } catch {
                    #expect(error.reason == "the file ends in a block of text without a line end")
                    continue
                }
                let position = SourcePosition(line: 1, column: 1)
                expected.append(
                    Listing(key: "new-\(number)", file: "", position: position, values: values, pinnedID: id)
                )
            }
            try editor.settle()
            let edited = String(decoding: editor.bytes, as: UTF8.self)
            let loaded = read(editor.bytes + Array("\n\(Self.roomy)".utf8))
            #expect(!loaded.hasErrors, "\(loaded.diagnostics)\n\(edited)")
            #expect(loaded.manifest?.listings.map(\.key) == expected.map(\.key), "\(edited)")
            #expect(loaded.manifest?.listings.map(\.values) == expected.map(\.values), "\(edited)")
            #expect(loaded.manifest?.listings.map(\.isProtected) == expected.map(\.isProtected))
            #expect(loaded.manifest?.listings.map(\.pinnedID) == expected.map(\.pinnedID))
            let before = Self.lines(source.bytes)
            // A line at the end of the file may get a line end.
            let text = { (line: [UInt8]) in line.filter { $0 != 0x0A && $0 != 0x0D } }
            var rest = Self.lines(editor.bytes).map(text)[...]
            for index in before.indices where !touched.contains(index) {
                let line = text(before[index])
                // A blank line between two products may go with one of them.
                guard line.contains(where: { $0 > 0x20 }) else { continue }
                // Without products the section gets an empty list.
                if expected.isEmpty, line.starts(with: "products:".utf8) { continue }
                let place = try #require(
                    rest.firstIndex(of: line),
                    "\(String(decoding: line, as: UTF8.self))\n\(edited)"
                )
                rest = rest[(place + 1)...]
            }
            let patch = UnifiedDiff(source.bytes, editor.edits, name: "m.yaml").bytes
            #expect(try Self.applied(patch, to: before) == editor.bytes)
        }
    }

    @Test func `a file in UTF-16 is refused`() {
        #expect(throws: ManifestEditor.Refusal(reason: "the file is in UTF-16")) {
            _ = try ManifestEditor([0xFF, 0xFE, 0x61, 0x00])
        }
    }

    /// The lines with what ends them.
    private static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) + [0x0A] }
        lines[lines.count - 1].removeLast()
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// A file after a patch, by a patcher that believes nothing: every line it names has to be there.
    private static func applied(_ patch: [UInt8], to old: [[UInt8]]) throws -> [UInt8] {
        var result: [[UInt8]] = []
        var next = 0
        var last: UInt8?
        for line in lines(patch).dropFirst(2) {
            defer { last = line.first }
            let text = String(decoding: line, as: UTF8.self)
            if let match = text.firstMatch(of: /^@@ -(\d+)(,0)?[ ,]/) {
                // A range without lines is counted from the line before it.
                let start = try #require(Int(match.1)) - (match.2 == nil ? 1 : 0)
                try #require(start >= next)
                result += old[next..<start]
                next = start
                continue
            }
            let content = Array(line.dropFirst())
            switch line.first {
            case UInt8(ascii: " "), UInt8(ascii: "-"):
                let isLast = old[next].last != 0x0A
                try #require(old[next] + (isLast ? [0x0A] : []) == content)
                if line.first == UInt8(ascii: " ") { result.append(content) }
                next += 1
            case UInt8(ascii: "+"): result.append(content)
            // The line above it ends without a line feed; a line that goes is not part of the result.
            default: if last != UInt8(ascii: "-") { result[result.count - 1].removeLast() }
            }
        }
        return (result + old[next...]).flatMap(\.self)
    }
}
