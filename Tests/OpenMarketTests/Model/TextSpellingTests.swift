@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Texts are equal when their bytes are; keys have one spelling.
struct TextSpellingTests {
    /// Characters that decompose, compose, change their order or stay; blanks of every kind between them.
    private static let alphabet: [Unicode.Scalar] = [
        "a", "e", "K", "z", "\u{E9}", "\u{301}", "\u{323}", "\u{302}", "\u{1EC7}", "\u{212A}", "\u{212B}", "\u{C5}",
        "\u{30A}",
        "\u{D55C}", "\u{D558}", "\u{1112}", "\u{1161}", "\u{11AB}", "\u{915}", "\u{93C}", "\u{958}", "\u{F900}",
        "\u{8C48}",
        "\u{30AB}", "\u{3099}", "\u{30AC}", "\u{1F468}", "\u{200D}", "\u{2126}", "\u{3A9}", "\u{9C7}", "\u{9BE}",
        "\u{9CB}",
    ]

    @Test func `the composed form is one for all texts that look the same, and no others`() {
        var random = SeededGenerator(seed: 1)
        var equal = 0
        for _ in 0..<40_000 {
            let texts = (0..<2).map { _ in
                var view = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    if let scalar = Self.alphabet.randomElement(using: &random) { view.append(scalar) }
                }
                return String(view)
            }
            let forms = texts.map(\.composed)
            #expect(forms[0].isExactly(forms[1]) == (texts[0] == texts[1]), "\(texts)")
            for (text, form) in zip(texts, forms) {
                #expect(form == text && form.composed.isExactly(form))
            }
            if texts[0] == texts[1], !texts[0].isExactly(texts[1]) { equal += 1 }
        }
        // So many pairs that the first expectation means something.
        #expect(equal > 20)
    }

    @Test(arguments: Spellings.all)
    func `two spellings are one key, and two texts`(spellings: Spellings) {
        let (composed, decomposed) = (spellings.composed, spellings.decomposed)
        #expect(composed == decomposed)
        #expect(decomposed.composed.isExactly(composed) && composed.composed.isExactly(composed))
        #expect(!composed.isExactly(decomposed) && ExactText(composed) != ExactText(decomposed))
        #expect(Set([ExactText(composed), ExactText(decomposed), ExactText(composed)]).count == 2)
        let (text, none): (String?, String?) = (composed, nil)
        #expect(text.isExactly(composed) && !text.isExactly(none) && !none.isExactly(text) && none.isExactly(none))
    }

    /// Every value that holds a text from outside, of that text.
    static let values: [@Sendable (String) -> AnyHashable] = [
        { Currency(rawValue: $0) },
        { PictureIdentity.unknown($0) },
        { ProductValues(name: $0) },
        { ProductValues(description: $0) },
        { FieldValue.text($0) },
        { FieldValue.images([.unknown($0)]) },
        { FieldChange(field: .name, kind: .change, base: nil, live: .text($0), manifest: nil) },
        { LiveProduct(id: MarketID(1), vendorName: $0) },
        { LiveProduct(id: MarketID(1), name: $0) },
        { LiveProduct(id: MarketID(1), description: $0) },
        { LiveProduct(id: MarketID(1), thumbnailURL: $0) },
        { LiveProduct(id: MarketID(1), images: [.init(url: $0)]) },
        { LiveProduct(id: MarketID(1), images: [.init(url: "u", thumbnailURL: $0)]) },
        { LiveProduct(id: MarketID(1), createdAt: $0) },
        { LiveProduct(id: MarketID(1), issuedAt: $0) },
        { StateEntry(key: $0, id: MarketID(1), applied: ProductValues()) },
        { StateEntry(key: "k", id: MarketID(1), applied: ProductValues(name: $0)) },
        { StateEntry(key: "k", id: MarketID(1), applied: ProductValues(), thumbnailURL: $0) },
        { StateEntry(key: "k", id: MarketID(1), applied: ProductValues(), issuedAt: $0) },
        { StateEntry(key: "k", id: MarketID(1), applied: ProductValues(), secret: .file($0)) },
        { StateEntry.BoundImage(digest: digest(1), reference: $0) },
        { picture(path: $0) },
        { picture(file: $0) },
        { Secret($0) },
        { SecretReference.environment($0) },
        { SecretReference.file($0) },
        { SecretReference.manifest($0, path: "market.secret") },
        { SourceLocation(file: $0) },
        { JSONValue.string($0) },
        { JSONValue.object([.init($0, .null)]) },
        { JSONValue.array([.unrepresentableNumber($0)]) },
    ]

    @Test(arguments: values.indices)
    func `values that hold texts differ when the bytes do`(index: Int) {
        let make = Self.values[index]
        for spellings in Spellings.all {
            #expect(make(spellings.composed) == make(spellings.composed))
            #expect(make(spellings.composed) != make(spellings.decomposed), "\(make("…"))")
        }
    }

    @Test(arguments: Spellings.all, [2, 40])
    func `names of JSON members are compared by bytes, in small objects and in large ones`(
        spellings: Spellings,
        others: Int
    ) throws {
        var members = (0..<others).map { "\"n\($0)\": 0" }
        members += ["\"\(spellings.composed)\": 1", "\"\(spellings.decomposed)\": 2", "\"\(spellings.composed)\": 3"]
        let value = try JSONValue.parse(Array("{\(members.joined(separator: ", "))}".utf8))
        #expect(value.members?.count == others + 2)
        #expect(value[spellings.composed]?.integer == 3)
        #expect(value[spellings.decomposed]?.integer == 2)
    }

    @Test(arguments: Spellings.all)
    func `a target and an exclusion fit a key in either spelling`(spellings: Spellings) {
        for pattern in spellings.both + [spellings.decomposed + "*", "*" + spellings.decomposed] {
            #expect(KeyFilter(targets: [pattern]).takes(spellings.composed))
            #expect(!KeyFilter(exclusions: [pattern]).takes(spellings.composed))
            #expect(KeyFilter(targets: [pattern]).unmatched(in: [spellings.composed]) == [])
        }
    }

    private static func picture(path: String = "p", file: String = "f") -> Picture {
        Picture(path: path, file: file, digest: digest(1), byteCount: 1, format: .png, width: 1, height: 1)
    }
}
