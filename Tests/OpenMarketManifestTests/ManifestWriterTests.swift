@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// What is written is a manifest that says the same.
struct ManifestWriterTests {
    @Test func `a manifest has one form`() throws {
        var head = ManifestHead()
        head.comments = ["Written by a test.\nIn two\u{7} lines."]
        head.url = "http://127.0.0.1:8080"
        head.profile = .v2b
        head.identifier = .environment("OPENMARKET_IDENTIFIER")
        head.secret = .file("secret.txt")
        head.vendorID = 29
        head.limits = MarketProfile.v2b.limits
        head.limits?.descriptionLength = 0...2000
        head.pictureHosts = ["127.0.0.1:9000", "cdn.example.org"]
        head.defaultCurrency = .krw
        var writer = ManifestWriter(head)
        var lamp = AddedProduct(
            values: ProductValues(
                name: "Lamp: blue",
                description: "Two lines,\nand a half.",
                price: ExactDecimal("16.90"),
                currency: .usd,
                sale: .price(ExactDecimal("9.5") ?? 0),
                stock: 12
            ),
            images: ["images/a.jpg", "images/b, c.jpg"],
            thumbnail: "images/b, c.jpg",
            id: MarketID(193),
            isProtected: true,
            ignoreChanges: [.stock, .name],
            secret: .environment("LAMP")
        )
        lamp.comments = ["Not on the market: 💡"]
        writer.append(ManifestProduct(key: "lamp", added: lamp))
        writer.append(ManifestProduct(key: "no", added: AddedProduct(isAbsent: true)))
        let many = ProductValues(description: String(repeating: "long ", count: 20) + "text", price: 12)
        let images = (1...5).map { "images/\($0)-with-a-long-name.jpg" }
        writer.append(ManifestProduct(key: "many", added: AddedProduct(values: many, images: images)))
        writer.finish()
        let expected = """
            # Written by a test.
            # In two lines.

            market:
              url: http://127.0.0.1:8080
              api: v2b
              identifier: !env OPENMARKET_IDENTIFIER
              secret: !file secret.txt
              vendor_id: 29
              limits:
                min_description: 0
                max_description: 2000
              picture_hosts: ["127.0.0.1:9000", cdn.example.org]

            defaults:
              currency: KRW

            products:
              # Not on the market: 💡
              - key: lamp
                name: "Lamp: blue"
                description: |-
                  Two lines,
                  and a half.
                price: 16.9
                currency: USD
                sale_price: 9.5
                stock: 12
                images: [images/a.jpg, "images/b, c.jpg"]
                thumbnail: images/b, c.jpg
                id: 193
                protected: true
                ignore_changes: [name, stock]
                secret: !env LAMP

              - key: "no"
                state: absent

              - key: many
                description: |-
                  \(String(repeating: "long ", count: 20))text
                price: 12
                images:
                  - images/1-with-a-long-name.jpg
                  - images/2-with-a-long-name.jpg
                  - images/3-with-a-long-name.jpg
                  - images/4-with-a-long-name.jpg
                  - images/5-with-a-long-name.jpg

            """
        #expect(try String(decoding: writer.takeBytes(), as: UTF8.self) == expected)
        #expect(try writer.takeBytes().isEmpty)
    }

    @Test func `a manifest without products says so`() throws {
        var writer = ManifestWriter()
        writer.finish()
        #expect(try String(decoding: writer.takeBytes(), as: UTF8.self) == "products: []\n")
    }

    @Test(arguments: 0..<6)
    func `random listings are read back as equal listings, without a fault`(seed: UInt64) throws {
        let folder = try TemporaryDirectory()
        var random = SeededGenerator(seed: seed)
        let source = try RandomListings(folder: folder)
        let head = source.head(&random)
        let written = (0..<200).map { source.listing($0, &random) }
        var writer = ManifestWriter(head)
        for listing in written { writer.append(ManifestProduct(listing)) }
        writer.finish()
        let loaded = ManifestLoader(options: source.options).decode(try writer.takeBytes(), folder: folder.path)
        let faults = loaded.diagnostics.filter {
            $0.severity == .error || ![.repeatedName, .salePrice].contains($0.code)
        }
        #expect(faults.map(\.message).isEmpty, "\(loaded.diagnostics)")
        let manifest = try #require(loaded.manifest)
        #expect(manifest.market.url == head.url)
        #expect(manifest.market.profile == head.profile)
        #expect(manifest.market.secret?.reference == head.secret)
        #expect(manifest.market.vendorID == head.vendorID)
        #expect(manifest.market.limits == head.limits)
        #expect(manifest.market.pictureHosts == head.pictureHosts)
        #expect(manifest.listings.count == written.count)
        for (var read, listing) in zip(manifest.listings, written) {
            (read.file, read.position, read.fieldPositions) = (listing.file, listing.position, listing.fieldPositions)
            #expect(read == listing)
            #expect(read.key.isExactly(listing.key))
        }
    }
}
