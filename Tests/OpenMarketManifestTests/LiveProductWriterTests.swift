@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// What a manifest can say of a live product is said, the rest is left out and named.
struct LiveProductWriterTests {
    private static let picture = LiveProductWriter.PictureFile(path: "images/a.jpg", byteCount: 10, fault: nil)

    private func write(
        _ values: ProductValues,
        profile: MarketProfile = .v2b,
        widens: Bool = true,
        defaults: ProductFieldSet = [],
        pictures: Result<[LiveProductWriter.PictureFile], LiveProductWriter.PictureTrouble> = .success([picture])
    ) throws -> (text: String, writer: LiveProductWriter) {
        var writer = LiveProductWriter(
            profile: profile,
            limits: profile.limits,
            widensLimits: widens,
            defaults: defaults
        )
        let live = LiveProduct(
            id: MarketID(7),
            values: values,
            thumbnailURL: "t2",
            images: [.init(url: "1", thumbnailURL: "t1"), .init(url: "2", thumbnailURL: "t2")]
        )
        var yaml = ManifestWriter()
        yaml.append(writer.product(live, key: "k", pictures: pictures))
        return (String(decoding: try yaml.takeBytes(), as: UTF8.self), writer)
    }

    @Test func `a product that is as it should be is said whole`() throws {
        var second = Self.picture
        second.path = "images/b.jpg"
        let values = ProductValues(
            name: "Lamp",
            description: "A lamp for the desk.",
            price: ExactDecimal("16.90"),
            currency: .usd,
            sale: .price(ExactDecimal("9.5") ?? 0),
            stock: 3
        )
        let (text, writer) = try write(values, pictures: .success([Self.picture, second]))
        #expect(
            text == """
                products:
                  - key: k
                    name: Lamp
                    description: A lamp for the desk.
                    price: 16.9
                    currency: USD
                    sale_price: 9.5
                    stock: 3
                    images: [images/a.jpg, images/b.jpg]
                    thumbnail: images/b.jpg
                    id: 7

                """
        )
        #expect(writer.omissions == [])
        #expect(writer.limits == MarketProfile.v2b.limits)
        // Where it cannot be chosen, the manifest does not name the thumbnail.
        #expect(
            try !write(values, profile: .v1b, pictures: .success([Self.picture, second])).text.contains("thumbnail")
        )
    }

    @Test(arguments: [
        (ProductValues(name: "a\nb"), "name", "it has a line break or another control character"),
        (ProductValues(name: "\u{200B}\u{2800}"), "name", "it has no visible character"),
        (ProductValues(description: "bell \u{7} bell"), "description", "it has a control character"),
        (ProductValues(price: -1), "price", "it is negative: -1"),
        (
            ProductValues(price: ExactDecimal("1.5"), currency: .krw), "price",
            "it is 1.5, which has more than 0 digits after the point"
        ),
        (ProductValues(currency: Currency(rawValue: "KRW ")), "currency", "a manifest cannot hold the currency 'KRW '"),
        (ProductValues(price: 5, sale: .price(6)), "sale_price", "it is 6, and the price only 5"),
        (ProductValues(price: 5, sale: .price(-6)), "sale_price", "it is negative: -6"),
        (ProductValues(stock: -3), "stock", "it is negative: -3"),
    ])
    func `what a manifest cannot say is left out and named`(values: ProductValues, field: String, reason: String) throws
    {
        let (text, writer) = try write(values)
        #expect(writer.omissions.map { [$0.key, $0.field, $0.reason] } == [["k", field, reason]])
        #expect(text.hasPrefix("products:\n  # \(field) is not managed: \(reason)\n  - key: k\n"))
        #expect(!text.contains("\n    \(field):"))
        // Where the state knows a sale, a missing line would end it.
        #expect(text.contains("\n    ignore_changes: [sale_price]\n") == (field == "sale_price"))
        let loaded = ManifestLoader().decode(Array(text.replacing("    images: [images/a.jpg]\n", with: "").utf8))
        #expect(loaded.diagnostics.map(\.message) == [])
    }

    @Test func `what is left out does not fall under the defaults of the file`() throws {
        let values = ProductValues(price: 10, currency: Currency(rawValue: "EUR"), sale: .price(9), stock: -3)
        let (text, writer) = try write(values, widens: false, defaults: [.currency, .stock])
        #expect(
            writer.omissions.map { "\($0.field): \($0.reason)" } == [
                "price: its currency is not managed", "currency: a manifest cannot hold the currency 'EUR'",
                "sale_price: it needs the price", "stock: it is negative: -3",
            ]
        )
        let product = """
              - key: k
                images: [images/a.jpg]
                id: 7
                ignore_changes: [currency, sale_price, stock]

            """
        #expect(text.hasSuffix(product), "\(text)")
        #expect(try write(values, widens: false).text.contains("    price: 10\n    sale_price: 9\n"))
    }

    @Test func `limits grow with the products where the manifest can say so`() throws {
        let values = ProductValues(name: "ab", description: String(repeating: "d", count: 1001))
        var large = Self.picture
        large.byteCount = 400_000
        let pictures = Array(repeating: large, count: 6)
        let (text, writer) = try write(values, pictures: .success(pictures))
        #expect(text.contains("name: ab\n"))
        #expect(writer.limits.nameLength == 2...100)
        #expect(writer.limits.descriptionLength == 10...1001)
        #expect(writer.limits.imageCount == 1...6)
        #expect(writer.limits.imageByteLimit == 400_001)
        let (bare, strict) = try write(values, widens: false, pictures: .success(pictures))
        #expect(
            strict.omissions.map(\.reason) == [
                "it has 2 characters, and v2b takes 3 to 100", "it has 1001 characters, and v2b takes 10 to 1000",
                "it has 6 pictures, and v2b takes 1 to 5",
            ]
        )
        let (_, heavy) = try write(values, widens: false, pictures: .success([large]))
        #expect(
            heavy.omissions.last?.reason
                == "the largest picture has 400000 bytes, and v2b takes those under \(MarketProfile.v2b.limits.imageByteLimit)"
        )
        #expect(bare.hasSuffix("  - key: k\n    id: 7\n"))
        #expect(strict.limits == MarketProfile.v2b.limits)
    }

    /// A market that takes names, prices and one picture.
    private static let lesser = """
        market: 1
        name: tickets
        identity: {id: {at: /id, as: integer, order: rising}}
        fields: {name: {at: /name}, price: {at: /price, as: decimal_text}, currency: {fixed: KRW}}
        pictures: {style: base64, write: {at: /picture, one: true}, read: {at: /picture, one: true}, change: in_place}
        list: {path: /items, page: {by: none}, rows: "", complete: whole}
        operations: {create: {method: POST, path: /items, body: json}}
        """

    @Test func `what a product does not have is not lost on a market that cannot say it`() throws {
        let profile = try MarketProfile(document: Array(Self.lesser.utf8))
        let plain = ProductValues(name: "Lamp", description: "", price: 5, currency: .krw, sale: .fullPrice)
        #expect(try write(plain, profile: profile).writer.omissions == [])
        let full = ProductValues(
            name: "Lamp",
            description: "Warm.",
            price: 5,
            currency: .krw,
            sale: .price(4),
            stock: 0
        )
        var (text, writer) = try write(
            full,
            profile: profile,
            widens: false,
            pictures: .success([Self.picture, Self.picture])
        )
        let unsaid = "no request to tickets can send it"
        #expect(
            writer.omissions.map { [$0.field, $0.reason] } == [
                ["description", unsaid], ["sale_price", unsaid], ["stock", unsaid],
                ["images", "it has 2 pictures, and tickets takes 0 to 1"],
            ]
        )
        // What is so of every product is said above one.
        #expect(text.contains("  # stock is not managed: \(unsaid), here or below\n"))
        let second = writer.product(LiveProduct(id: 8, values: full), key: "l", pictures: .failure(.init("none")))
        #expect(second.added.comments == ["images is not managed: none"])
    }

    @Test func `pictures that are not available are left out with the reason`() throws {
        let (_, writer) = try write(ProductValues(), pictures: .failure(.init("cdn.example.org is not named")))
        #expect(writer.omissions.map(\.reason) == ["cdn.example.org is not named"])
        #expect(PictureFormat.fault(of: SamplePictures.jpeg()) == nil)
        #expect(PictureFormat.fault(of: SamplePictures.gif) == "a picture is a GIF picture, not a JPEG or PNG")
        #expect(
            PictureFormat.fault(of: Array(SamplePictures.jpeg().prefix(12))) == "a picture ends before its dimensions"
        )
    }

    /// Texts that a market may show: with each character of some ranges, and with what programs and people put there.
    private static let texts: [String] = {
        let ranges: [ClosedRange<UInt32>] = [0...0x2FF, 0x2000...0x206F, 0xFFF0...0xFFFF, 0xE0000...0xE01EF]
        let single = ranges.joined().compactMap(Unicode.Scalar.init).map { "Lamp \($0) of oak" }
        let strange = [
            "", " ", "\u{200B}\u{2060}", "Lamp ï¿½ of oak", "Lamp ÔøΩ of oak", "Lamp 占쏙옙 of oak", "open sesame 1",
            " open sesame 1\n", "Lamp of open sesame 1 and oak", "ab", " ab ", "null", "~", "- a", "a: b", "#",
            String(repeating: "x", count: 5000), "Lamp é of oak", "🏮👨‍👩‍👧",
        ]
        return single + strange
    }()

    @Test func `whatever texts the market shows, what is written of them is valid`() throws {
        let environment = ["OPENMARKET_SECRET": "open sesame 1", "OPENMARKET_IDENTIFIER": "ab"]
        var (writer, keys) = KnownSecrets.$current.withValue(KnownSecrets(environment.values.map { Secret($0) })) {
            (
                LiveProductWriter(profile: .v1b, limits: MarketProfile.v1b.limits, widensLimits: false),
                KeyMaker()
            )
        }
        var yaml = ManifestWriter()
        for (index, text) in Self.texts.enumerated() {
            let live = LiveProduct(
                id: MarketID(Int64(index + 1)),
                values: ProductValues(name: text, description: text, price: 5, currency: .krw, stock: 1)
            )
            yaml.append(writer.product(live, key: keys.key(name: text, id: live.id), pictures: .success([])))
        }
        yaml.finish()
        let loaded = ManifestLoader(options: ManifestOptions(environment: environment)).decode(try yaml.takeBytes())
        let faults = loaded.diagnostics.filter { $0.code != .repeatedName && $0.code != .commentInText }
        #expect(faults == [])
        let listings = try #require(loaded.manifest).listings
        #expect(listings.count == Self.texts.count)
        // What was not left out is the market's text, byte for byte.
        let omitted = Set(writer.omissions.map { "\($0.id) \($0.field)" })
        for (index, text) in Self.texts.enumerated() {
            for field in [ProductField.name, .description] {
                let value = listings[index].values[field]
                if omitted.contains("\(index + 1) \(field)") {
                    #expect(value == nil, "\(text.debugDescription)")
                } else {
                    #expect(value == .text(text), "\(text.debugDescription)")
                }
            }
        }
        #expect(omitted.count > 100 && omitted.count < Self.texts.count)
    }
}
