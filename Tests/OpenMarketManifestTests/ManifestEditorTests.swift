@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// What was changed on the market is written where the manifest says it, and nothing else is touched.
struct ManifestEditorTests {
    private static let roomy =
        "market: {limits: {min_name: 1, max_name: 900, min_description: 0, max_description: 2000}}\n"

    private func read(_ bytes: [UInt8]) -> LoadedManifest { ManifestLoader().decode(bytes) }

    @Test(arguments: 0..<8)
    func `random drift of random manifests reads back as the market, and other lines stay`(seed: UInt64) throws {
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
                let drift = ManifestDrift(
                    listing: manifest.listings[index],
                    id: MarketID(Int64(index + 1)),
                    live: live,
                    fields: chosen.compactMap { ProductField(rawValue: $0.key) }
                )
                for outcome in drift.write(into: &editor, market: manifest.market) {
                    let field = try #require(fields.first { $0.key == outcome.fields.first?.rawValue })
                    #expect((outcome.refusal == nil) == field.isOwn, "\(field) \(outcome)")
                    guard outcome.refusal == nil else { continue }
                    for name in outcome.fields { expected[index].values[name] = live[name] }
                    drifted.formUnion(field.lines)
                }
            }
            #expect(editor.settle() == true)
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
        ("- {key: a, id: 1, <<: {stock: 3}}", [.stock], "the value comes from a merge key, '<<'"),
        ("- {key: a, id: 1}", [.stock], "the value comes from 'defaults'"),
        (
            "- {key: a, id: 1, stock: &s 3}\n- {key: b, id: 2, stock: *s}", [.stock],
            "the value has the anchor &s, by which it is used elsewhere, too"
        ),
        (
            "- &a {key: a, id: 1, stock: 3}\n- {<<: *a, key: b, id: 2}", [.stock],
            "the product has the anchor &a, by which its values are used elsewhere, too"
        ),
        ("- {key: a, id: 1, name: Lamp}", [.name], "it has a line break or another control character"),
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
        let live = ProductValues(name: "a\nb", price: 7, stock: 4)
        let drift = ManifestDrift(listing: listing, id: MarketID(1), live: live, fields: fields)
        let outcomes = drift.write(into: &editor, market: MarketSettings())
        #expect(outcomes.map(\.refusal) == [reason])
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
        let drift = ManifestDrift(listing: listing, id: MarketID(1), live: live, fields: fields)
        let outcomes = drift.write(into: &editor, market: MarketSettings())
        #expect(outcomes.allSatisfy { $0.refusal == nil })
        #expect(editor.settle() == true)
        #expect(String(decoding: editor.bytes, as: UTF8.self) == head + after)
    }

    /// A price in another currency is another price, so that neither is written where one of them cannot be.
    @Test(arguments: [
        ("currency: KRW\n  price: 100\n", nil, "currency: USD\n  price: 12\n"),
        ("price: 100\n", "the value comes from 'defaults'", "price: 100\n"),
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
        let drift = ManifestDrift(listing: listing, id: MarketID(1), live: live, fields: fields)
        let outcomes = drift.write(into: &editor, market: MarketSettings())
        #expect(outcomes.map(\.fields) == [fields])
        #expect(outcomes.map(\.refusal) == [refusal])
        #expect(editor.settle() == true)
        #expect(String(decoding: editor.bytes, as: UTF8.self) == head + after)
    }

    @Test(arguments: [[ProductField.currency], [.price]])
    func `a currency is not written beside a price that was changed in the manifest, nor the other way round`(
        fields: [ProductField]
    ) throws {
        let bytes = Array("products:\n- {key: a, id: 1, price: 15, currency: USD}\n".utf8)
        let listing = try #require(read(bytes).manifest?.listings.first)
        var editor = try ManifestEditor(bytes)
        let live = ProductValues(price: 18_000, currency: .krw)
        let drift = ManifestDrift(listing: listing, id: MarketID(1), live: live, fields: fields)
        let outcomes = drift.write(into: &editor, market: MarketSettings())
        let other = fields == [.price] ? "currency" : "price"
        #expect(outcomes.map(\.refusal) == ["the \(other) beside it was changed in the manifest, too"])
        #expect(editor.bytes == bytes)
    }

    /// A sale price of the old currency beside the new one would be another price by a factor of a thousand.
    @Test(arguments: [[ProductField.salePrice], [.price, .currency]])
    func `a sale is not written beside a currency that was changed in the manifest, nor the other way round`(
        fields: [ProductField]
    ) throws {
        let bytes = Array("products:\n- {key: a, id: 1, price: 140000, sale_price: 95, currency: KRW}\n".utf8)
        let listing = try #require(read(bytes).manifest?.listings.first)
        var editor = try ManifestEditor(bytes)
        let live = ProductValues(price: 100, currency: .usd, sale: .price(90))
        let drift = ManifestDrift(listing: listing, id: MarketID(1), live: live, fields: fields)
        let outcomes = drift.write(into: &editor, market: MarketSettings())
        let other = fields == [.salePrice] ? "currency" : "sale_price"
        #expect(outcomes.map(\.fields) == [fields])
        #expect(outcomes.map(\.refusal) == ["the \(other) beside it was changed in the manifest, too"])
        #expect(editor.bytes == bytes)
    }

    @Test func `what buyers pay is written although the price cannot be`() throws {
        let text = "x-p: &p 100\nproducts:\n- {key: a, id: 1, price: *p, sale_price: 80}\n"
        for (sale, expected) in [(ExactDecimal(70), "sale_price: 70"), (100, "sale_price: 80")] {
            let listing = try #require(read(Array(text.utf8)).manifest?.listings.first)
            var editor = try ManifestEditor(Array(text.utf8))
            let live = ProductValues(price: 120, sale: .price(sale))
            let drift = ManifestDrift(listing: listing, id: MarketID(1), live: live, fields: [.price, .salePrice])
            let outcomes = drift.write(into: &editor, market: MarketSettings())
            #expect(outcomes.map(\.fields) == [[.price], [.salePrice]])
            #expect(outcomes[0].refusal == "the value is the alias *p")
            #expect(outcomes[1].refusal == (sale == 100 ? "the price stays 100, and the sale price equals it" : nil))
            #expect(String(decoding: editor.bytes, as: UTF8.self) == text.replacing("sale_price: 80", with: expected))
        }
    }

    /// A value that no style can hold at its position is put into an editor by force, and found again.
    @Test func `changes that would be read as something else are taken back`() throws {
        for product in [
            "- {key: a, id: 1, name: 'Lamp', stock: 5}\n", "- key: a\n  id: 1\n  name: 'Lamp'  # b\n  stock: 5\n",
        ] {
            let bytes = Array("products:\n\(product)".utf8)
            let listing = try #require(read(bytes).manifest?.listings.first)
            var editor = try ManifestEditor(bytes)
            try editor.write([("name", "Lamp 7"), ("stock", "7")], inProductAt: listing.position)
            var spoilt = editor
            spoilt.spoil()
            #expect(spoilt.settle() == false)
            #expect(spoilt.edits.isEmpty && spoilt.bytes == bytes)
            #expect(editor.settle() == true)
            let expected = product.replacing("'Lamp'", with: "'Lamp 7'").replacing("stock: 5", with: "stock: 7")
            #expect(editor.bytes == Array("products:\n\(expected)".utf8))
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
