import OpenMarket

/// Products that fill an empty shop: the same ones in the same order for the same seed.
package enum ShopSeed: Hashable, Sendable {
    /// Random products for each catalog, 1 to ``largest``; the value starts the random numbers.
    case drawn(products: Int, value: UInt64 = 1)
    case koreanShop

    package static let largest = 100_000

    /// Why a start value of random numbers does not fit a seed.
    package enum ValueFault: Error, Hashable, Sendable {
        case withoutSeed
        case notDrawn
    }

    /// Parses a seed: a number of products, or `korean-shop`; `nil` for any other text.
    package init?(_ text: String) {
        if text == "korean-shop" {
            self = .koreanShop
        } else {
            guard let products = Int(text), (1...Self.largest).contains(products) else { return nil }
            self = .drawn(products: products)
        }
    }

    /// The seed with its random numbers started at a value.
    package static func starting(_ seed: ShopSeed?, at value: UInt64?) throws(ValueFault) -> ShopSeed? {
        guard let value else { return seed }
        switch seed {
        case nil: throw .withoutSeed
        case .koreanShop?: throw .notDrawn
        case .drawn(let products, _)?: return .drawn(products: products, value: value)
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

    /// The products in order; the generation decides what a discount means.
    func products(for generation: Generation) throws -> AnySequence<Product> {
        switch self {
        case .koreanShop: return AnySequence(try KoreanShop.products(for: generation))
        case .drawn(let products, let value):
            var random = SplitMix64(seed: value)
            var drawings = DrawingCabinet()
            return AnySequence((0..<products).lazy.map { product($0, generation, &random, &drawings) })
        }
    }

    private func product(
        _ number: Int,
        _ generation: Generation,
        _ random: inout SplitMix64,
        _ drawings: inout DrawingCabinet
    ) -> Product {
        let article = SeedArticle.all[Int.random(in: 0..<SeedArticle.all.count, using: &random)]
        let colour = SeedColour.all[Int.random(in: 0..<SeedColour.all.count, using: &random)]
        let isKorean = Bool.random(using: &random)
        // Usual shop prices: whole thousands of won, or a number of dollars and 90 cents.
        let steps = Int64.random(in: article.thousands, using: &random)
        let price = isKorean ? ExactDecimal(steps * 1000) : dollars(steps, generation)
        // One in four is on sale, one in ten sold out.
        let share: Int64 =
            Int.random(in: 0..<4, using: &random) == 0 ? [10, 20, 30, 50].randomElement(using: &random) ?? 10 : 0
        let stock = Int.random(in: 0..<10, using: &random) == 0 ? 0 : Int64.random(in: 1...200, using: &random)
        let amountOff = isKorean ? ExactDecimal(steps * 10 * share) : ExactDecimal((steps * share + 99) / 100)
        let salePrice = price.subtracting(amountOff)
        let views = 1 + Int.random(in: 0..<3, using: &random)
        return Product(
            fields: ProductFields(
                name: isKorean
                    ? "\(colour.korean) \(article.korean) \(number + 1)호"
                    : "\(colour.english) \(article.english) no. \(number + 1)",
                description: isKorean ? article.koreanText : article.englishText,
                price: price,
                currency: isKorean ? "KRW" : "USD",
                discount: generation == .v2 ? (share == 0 ? .zero : amountOff) : (share == 0 ? nil : salePrice),
                stock: stock
            ),
            pictures: (0..<views).map { view in
                Upload(bytes: drawings.picture(article.shape, colour, view: view), fileExtension: ".png")
            }
        )
    }

    private func dollars(_ steps: Int64, _ generation: Generation) -> ExactDecimal {
        generation == .v1 ? ExactDecimal(steps) : ExactDecimal("\(steps).9") ?? ExactDecimal(steps)
    }
}

/// Caches drawings, which a large shop repeats.
private struct DrawingCabinet {
    private struct Key: Hashable {
        var shape: SeedDrawing.Shape
        var colour: String
        var view: Int
    }

    private var pictures: [Key: [UInt8]] = [:]

    mutating func picture(_ shape: SeedDrawing.Shape, _ colour: SeedColour, view: Int) -> [UInt8] {
        let key = Key(shape: shape, colour: colour.english, view: view)
        if let known = pictures[key] { return known }
        let drawn = SeedDrawing(shape: shape, colour: colour, view: view).png()
        pictures[key] = drawn
        return drawn
    }
}
