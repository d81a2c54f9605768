@testable import OpenMarketTestSupport

/// What a seller wants to sell: a manifest as values, which the tests compare with the market themselves.
struct Assortment: Sendable {
    struct Product: Hashable, Sendable {
        var key: String
        var name: String
        var description: String
        var price: Int
        var salePrice: Int?
        var stock: Int
        /// Numbers of ``SmallPicture/png(_:)``.
        var pictures: [Int]
        /// The one of its pictures that is to be its thumbnail.
        var thumbnail: Int?

        var yaml: String {
            var lines = [
                "  - key: \(key)", "    name: \(name)", "    description: \(description)", "    price: \(price)",
                "    stock: \(stock)",
                "    images: [\(pictures.map { "images/\($0).png" }.joined(separator: ", "))]",
            ]
            if let salePrice { lines.append("    sale_price: \(salePrice)") }
            if let thumbnail { lines.append("    thumbnail: images/\(thumbnail).png") }
            return lines.joined(separator: "\n") + "\n"
        }
    }

    var products: [Product]

    var yaml: String {
        """
        market:
          identifier: !env OPENMARKET_IDENTIFIER
          secret: !env OPENMARKET_SECRET
        defaults:
          currency: KRW
        \(products.isEmpty ? "products: []\n" : "products:\n" + products.map(\.yaml).joined())
        """
    }

    /// So many products that differ in everything.
    static func plain(_ count: Int) -> Assortment {
        Assortment(products: (1...count).map(Product.init(number:)))
    }

    /// The pictures that any of these assortments names.
    static let pictures = 1...12

    /// Thirty products.
    ///
    /// From here to ``after(thumbnails:)``, and back, is a run of thirty operations: seven or eight creates and
    /// deletes, ten changes of fields, five of pictures.
    static let before = Assortment(
        products: (1...30).map { number in
            var product = Product(number: number)
            // Twins of which only the key differs.
            if number == 2 { product = Product(number: 1, key: "thing-2") }
            // Twins that differ in the picture only.
            if number == 4 { product = Product(number: 3, key: "thing-4", pictures: [9]) }
            return product
        }
    )

    /// Where ``before`` is to go: without the first seven, with eight others.
    static func after(thumbnails: Bool) -> Assortment {
        Assortment(
            products: (8...38).map { number in
                var product = Product(number: number)
                switch number {
                case 8, 9: product.price += 500
                case 10, 11: product.description = "Another text for thing \(number)."
                case 12: product.stock = 0
                case 13: product.name = "Renamed thing 13"
                case 14: product.salePrice = product.price - 100
                case 15: product.salePrice = nil
                case 16:
                    product.price += 70
                    product.stock += 7
                case 17: product.salePrice = product.price / 2
                case 18, 19: product.pictures = [11]
                case 20: product.pictures.append(12)
                case 21: product.pictures = [product.pictures[0]]
                case 22:
                    product.pictures = [10, 11, 12]
                    product.price += 1000
                case 32: product = Product(number: 31, key: "thing-32")
                case 34: product = Product(number: 33, key: "thing-34", pictures: [9])
                case 35 where thumbnails:
                    product.pictures = [1, 2]
                    product.thumbnail = 2
                default: break
                }
                return product
            }
        )
    }
}

extension Assortment.Product {
    init(number: Int) {
        self.init(number: number, key: "thing-\(number)")
    }

    fileprivate init(number: Int, key: String, pictures: [Int]? = nil) {
        self.init(
            key: key,
            name: "Thing number \(number)",
            description: "The description of thing number \(number).",
            price: 1000 * number,
            salePrice: number % 3 == 0 ? 900 * number : nil,
            stock: number,
            pictures: pictures ?? (number == 21 ? [3, 4] : [1 + number % 8])
        )
    }
}
