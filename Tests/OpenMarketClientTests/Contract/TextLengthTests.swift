@testable import OpenMarket
@testable import OpenMarketClient
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketServer
@testable import OpenMarketTestSupport
import Testing

/// A manifest that passes validation is a manifest that a strict market takes: both count the characters that people see.
struct TextLengthTests {
    /// A text of one repeated character, and whether 3 to 100 characters hold it.
    struct Case: CustomTestStringConvertible, Sendable {
        var character: String
        var count: Int
        var isAllowed: Bool

        var name: String { String(repeating: character, count: count) }
        var testDescription: String { "\(count) × \(character)" }
    }

    static let cases = [
        Case(character: "a", count: 2, isAllowed: false),
        Case(character: "a", count: 100, isAllowed: true),
        Case(character: "a", count: 101, isAllowed: false),
        Case(character: "한", count: 100, isAllowed: true),
        // A letter and a combining accent: two scalars, one character.
        Case(character: "e\u{301}", count: 2, isAllowed: false),
        Case(character: "e\u{301}", count: 3, isAllowed: true),
        Case(character: "e\u{301}", count: 100, isAllowed: true),
        Case(character: "e\u{301}", count: 101, isAllowed: false),
        // A syllable in three letters (NFD).
        Case(character: "\u{1112}\u{1161}\u{11ab}", count: 2, isAllowed: false),
        Case(character: "\u{1112}\u{1161}\u{11ab}", count: 100, isAllowed: true),
        Case(character: "\u{1112}\u{1161}\u{11ab}", count: 101, isAllowed: false),
        // A family: four people and three joiners.
        Case(character: "👨‍👩‍👧‍👦", count: 2, isAllowed: false),
        Case(character: "👨‍👩‍👧‍👦", count: 100, isAllowed: true),
        // A flag: two scalars.
        Case(character: "🇰🇷", count: 2, isAllowed: false),
        Case(character: "🇰🇷", count: 100, isAllowed: true),
        Case(character: "🇰🇷", count: 101, isAllowed: false),
    ]

    @Test(arguments: [MarketProfile.v1b, .v2b])
    func `manifest and strict market agree on the length of every text`(profile: MarketProfile) async throws {
        let folder = try PictureFolder()
        let picture = try folder.picture("front.png", SmallPicture.png(1), format: .png)
        try await MarketUnderTest.run(profile, isStrict: true) { market in
            try await market.client { client in
                for text in Self.cases {
                    #expect(Self.isValid(name: text.name) == text.isAllowed, "the manifest: \(text.testDescription)")
                    let values = ProductValues(
                        name: text.name,
                        description: "Warm light, two arms.",
                        price: 100,
                        currency: .krw,
                        sale: Sale.fullPrice,
                        stock: 1
                    )
                    let outcome = await client.perform(WriteRequest(.create(values, pictures: [picture])))
                    let isTaken = if case .succeeded = outcome { true } else { false }
                    #expect(isTaken == text.isAllowed, "the market: \(text.testDescription): \(outcome)")
                }
            }
        }
        withExtendedLifetime(folder) {}
    }

    private static func isValid(name: String) -> Bool {
        var options = ManifestOptions()
        options.readsPictures = false
        let manifest = """
            products:
              - key: lamp
                name: "\(name)"
                description: Warm light, two arms.
                price: 100
                currency: KRW
                stock: 1
                images: [lamp.png]
            """
        return !ManifestLoader(options: options)
            .decode(Array(manifest.utf8), name: "openmarket.yaml", folder: "/")
            .hasErrors
    }
}
