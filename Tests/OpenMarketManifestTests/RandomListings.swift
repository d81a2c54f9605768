@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// Listings with everything that a manifest can say, and the texts that YAML makes most of.
struct RandomListings {
    private let pictures: [Picture]

    /// The environment that the secrets come from.
    let options = ManifestOptions(environment: ["OPENMARKET_SECRET": "s", "A SECRET: #1": "t"])

    /// Puts pictures into a folder, under names that need quotes.
    init(folder: borrowing TemporaryDirectory) throws {
        let paths = ["a.jpg", "images/b, c.jpg", "한지등 #1.jpg", "it's \"q\".jpg", "null", "007", "[d]/e: f.jpg"]
        for (salt, path) in paths.enumerated() { try folder.write(path, SamplePictures.jpeg(salt: UInt8(salt))) }
        var writer = ManifestWriter(Self.roomy)
        writer.append(ManifestProduct(key: "pictures", added: AddedProduct(images: paths, id: MarketID(1))))
        let loaded = ManifestLoader().decode(try writer.takeBytes(), folder: folder.path)
        pictures = try #require(loaded.manifest?.listings.first?.pictures)
    }

    private static var roomy: ManifestHead {
        var head = ManifestHead()
        head.profile = .v2a
        head.limits = MarketProfile.v2a.limits
        head.limits?.imageCount = 1...7
        head.limits?.nameLength = 1...120
        head.limits?.descriptionLength = 0...2000
        return head
    }

    /// A market.
    func head(_ random: inout SeededGenerator) -> ManifestHead {
        var head = Self.roomy
        head.url = "https://shop.example.org/a%20b"
        head.secret = .environment("OPENMARKET_SECRET")
        head.vendorID = .random(in: 0...Int64.max, using: &random)
        head.pictureHosts = ["cdn.example.org", "127.0.0.1:9000"].filter { _ in .random(using: &random) }
        return head
    }

    /// A listing.
    func listing(_ index: Int, _ random: inout SeededGenerator) -> Listing {
        var listing = Listing(
            key: "\(Self.line(&random)) \(index)".composed,
            file: "",
            position: SourcePosition(line: 1, column: 1)
        )
        listing.pinnedID = MarketID(Int64(index + 1))
        if .random(using: &random) {
            listing.secret = ResolvedSecret(reference: .environment("A SECRET: #1"), value: Secret("t"))
        }
        if Int.random(in: 0..<10, using: &random) == 0 {
            listing.isAbsent = true
            return listing
        }
        listing.values = values(&random)
        if listing.values.images != nil {
            listing.pictures = pictures.shuffled(using: &random).prefix(.random(in: 1...7, using: &random)).map(\.self)
            listing.values.images = listing.pictures.map { .digest($0.digest) }
            listing.values.thumbnail =
                .random(using: &random)
                ? nil
                : listing.pictures.randomElement(using: &random).map {
                    .digest($0.digest)
                }
        }
        listing.isProtected = .random(using: &random)
        listing.ignoreChanges = Set(ProductField.allCases.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
        return listing
    }

    private func values(_ random: inout SeededGenerator) -> ProductValues {
        var values = ProductValues()
        if .random(using: &random) { values.name = Self.line(&random) + "é" }
        if .random(using: &random) { values.description = Self.text(&random) }
        if .random(using: &random) { values.stock = .random(in: 0...Int64.max, using: &random) }
        if .random(using: &random) { values.images = [] }
        if .random(using: &random) { values.currency = .random(using: &random) ? .krw : .usd }
        guard .random(using: &random) else { return values }
        let scale = values.currency == .krw ? 0 : 2
        values.price = ExactDecimal(significand: .random(in: 0...999_999, using: &random), scale: scale)
        guard let price = values.price, .random(using: &random) else { return values }
        let units = Int64.random(in: 0...999_999, using: &random)
        values.sale = ExactDecimal(significand: units, scale: scale).map { .at(min($0, price), insteadOf: price) }
        return values
    }

    /// A text on one line.
    static func line(_ random: inout SeededGenerator) -> String {
        text(pieces, &random)
    }

    /// A text of several lines, of up to 200 characters.
    static func text(_ random: inout SeededGenerator) -> String {
        text(
            pieces + [
                "\n", "\n", "\n\n", "\n  ", "\r\n", "\t", "\u{2028}", "\u{FEFF}", String(repeating: "long ", count: 25),
            ],
            &random
        )
    }

    private static func text(_ pieces: [String], _ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }

    private static let pieces = [
        " ", "  ", ":", ": ", " #", "#", "-", "- ", "'", "\"", "\\", ",", "[", "]", "{", "}", "?", "|", ">", "%", "&",
        "*", "!",
        "@", "`", "~", "=", "<<", "...", "---", "0", "1e3", "1:30", "null", "true", "no", "word", "a b", "\u{A0}",
        "\u{3000}",
        // Marks that make one character of themselves and the sign before them.
        "'\u{301}", "\"\u{301}", "'\u{200D}", "'\u{FE0F}", "\\\u{20E3}", ":\u{301}", "#\u{FE0F}", "\u{301}",
        "é", "e\u{301}", "한", "\u{1112}\u{1161}\u{11AB}", "👨‍👩‍👧", "🇰🇷",
    ]
}

extension ManifestProduct {
    /// What a manifest would say so that it means a listing.
    init(_ listing: Listing) {
        var added = AddedProduct(
            values: listing.values,
            images: listing.values.images == nil ? nil : listing.pictures.map(\.path),
            thumbnail: listing.pictures.first { .digest($0.digest) == listing.values.thumbnail }?.path,
            id: listing.pinnedID,
            isAbsent: listing.isAbsent,
            isProtected: listing.isProtected,
            ignoreChanges: ProductFieldSet(listing.ignoreChanges),
            secret: listing.secret?.reference
        )
        // A sale at the full price is read back only from a line of its own.
        if listing.values.sale == .fullPrice { added.values.sale = listing.values.price.map { .price($0) } }
        self.init(key: listing.key, added: added)
    }
}
