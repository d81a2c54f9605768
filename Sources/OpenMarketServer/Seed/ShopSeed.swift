import OpenMarket
import YAML

/// Products that fill an empty shop: the same ones in the same order for the same seed.
package enum ShopSeed: Hashable, Sendable {
    /// Random products for each catalog, 1 to ``largest``; `value` seeds the random numbers.
    case drawn(products: Int, value: UInt64 = 1)
    case koreanShop

    package static let largest = 100_000

    /// Parses a seed: a number of products, or `korean-shop`; `nil` for any other text.
    package init?(_ text: String) {
        if text == "korean-shop" {
            self = .koreanShop
        } else {
            guard let products = Int(text), (1...Self.largest).contains(products) else { return nil }
            self = .drawn(products: products)
        }
    }

    struct Product {
        var fields: ProductFields
        var pictures: [Upload]
    }

    /// The number of products in each catalog.
    func count() throws -> Int {
        switch self {
        case .drawn(let products, _): products
        case .koreanShop: try KoreanShop.products(for: .v2).count
        }
    }

    /// The products in order; the generation decides the meaning of a discount.
    func products(for generation: Generation) throws -> AnySequence<Product> {
        switch self {
        case .koreanShop: return AnySequence(try KoreanShop.products(for: generation))
        case .drawn(let products, let value):
            let articles = try SeedArticle.all()
            var random = SplitMix64(seed: value)
            return AnySequence((0..<products).lazy.map { product($0, of: articles, generation, &random) })
        }
    }

    private func product(
        _ number: Int,
        of articles: [SeedArticle],
        _ generation: Generation,
        _ random: inout SplitMix64
    ) -> Product {
        let article = articles[Int.random(in: 0..<articles.count, using: &random)]
        let colour = SeedColour.all[Int.random(in: 0..<SeedColour.all.count, using: &random)]
        let isKorean = Bool.random(using: &random)
        // Usual shop prices: whole thousands of won, or a number of dollars and 90 cents.
        let steps = Int64.random(in: article.price, using: &random)
        let price = isKorean ? ExactDecimal(steps * 1000) : dollars(steps, generation)
        // One in four is on sale, one in ten sold out.
        let share: Int64 =
            Int.random(in: 0..<4, using: &random) == 0 ? [10, 20, 30, 50].randomElement(using: &random) ?? 10 : 0
        let stock = Int.random(in: 0..<10, using: &random) == 0 ? 0 : Int64.random(in: 1...200, using: &random)
        let amountOff = isKorean ? ExactDecimal(steps * 10 * share) : ExactDecimal((steps * share + 99) / 100)
        let views = 1 + Int.random(in: 0..<3, using: &random)
        let words = isKorean ? article.korean : article.english
        return Product(
            fields: ProductFields(
                name: isKorean
                    ? "\(colour.korean) \(words.name) \(number + 1)호"
                    : "\(colour.english) \(words.name) no. \(number + 1)",
                description: words.description,
                price: price,
                currency: isKorean ? "KRW" : "USD",
                discount: generation.discount(share == 0 ? nil : amountOff, of: price),
                stock: stock
            ),
            pictures: (0..<views).map { view in
                let drawing = SeedDrawing(shape: article.shape, colour: colour, view: view)
                return Upload(bytes: drawing.png(), fileExtension: ".png")
            }
        )
    }

    private func dollars(_ steps: Int64, _ generation: Generation) -> ExactDecimal {
        generation == .v1 ? ExactDecimal(steps) : ExactDecimal("\(steps).9") ?? ExactDecimal(steps)
    }
}

extension Generation {
    /// The discount that a product of a seed shows: the sale price on v1, the amount off on v2.
    func discount(_ amountOff: ExactDecimal?, of price: ExactDecimal?) -> ExactDecimal? {
        self == .v2 ? amountOff ?? .zero : amountOff.flatMap { price?.subtracting($0) }
    }
}

/// A kind of random product.
private struct SeedArticle {
    struct Words {
        let name: String
        let description: String

        init(_ entry: YAMLNode?) {
            name = entry?["name"]?.text ?? ""
            description = entry?["description"]?.text ?? ""
        }
    }

    let shape: SeedDrawing.Shape
    /// In thousands of won, or in dollars.
    let price: ClosedRange<Int64>
    let english: Words
    let korean: Words

    static func all() throws -> [SeedArticle] {
        (try YAMLNode.parse(PackageResources.articles_yaml)?["articles"]?.items ?? []).compactMap { entry in
            let prices = (entry["price"]?.items ?? []).compactMap { $0.text.flatMap { Int64($0) } }
            let shape = entry["shape"]?.text.flatMap { SeedDrawing.Shape(rawValue: $0) }
            guard let shape, prices.count == 2 else { return nil }
            return SeedArticle(
                shape: shape,
                price: prices[0]...prices[1],
                english: Words(entry["english"]),
                korean: Words(entry["korean"])
            )
        }
    }
}
