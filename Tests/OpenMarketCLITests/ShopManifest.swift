/// A manifest that tests write and change.
struct ShopManifest: Sendable {
    struct Product: Sendable {
        var key: String
        var name: String
        var description: String
        var price: String
        var salePrice: String?
        var stock = 5
        var images: [String]
        var more = ""

        var yaml: String {
            """
              - key: \(key)
                name: \(name)
                description: \(description)
                price: \(price)
            \(salePrice.map { "    sale_price: \($0)\n" } ?? "")    stock: \(stock)
                images: [\(images.joined(separator: ", "))]
            \(more)
            """
        }
    }

    /// What is under `market:`, indented by two.
    var market = """
          identifier: !env OPENMARKET_IDENTIFIER
          secret: !env OPENMARKET_SECRET
        """
    /// Whole sections between the market and the products.
    var sections = "defaults:\n  currency: KRW\n"
    var products: [Product]

    var yaml: String {
        let list = products.isEmpty ? "products: []\n" : "products:\n" + products.map(\.yaml).joined()
        return "market:\n\(market)\n\(sections)\(list)"
    }

    subscript(key: String) -> Product {
        get { products.first { $0.key == key } ?? products[0] }
        set { products = products.map { $0.key == key ? newValue : $0 } }
    }

    /// Without a product.
    func without(_ key: String) -> ShopManifest {
        var changed = self
        changed.products.removeAll { $0.key == key }
        return changed
    }

    /// Three products: a sale, several pictures, texts that CSV and JSON have to quote.
    static let three = ShopManifest(
        products: [
            Product(
                key: "mug",
                name: "Blue mug",
                description: #""A \"blue\" mug, 300 ml.\nWith a line of its own.""#,
                price: "12000",
                images: ["images/1.png"]
            ),
            Product(
                key: "lamp",
                name: "책상 조명, 두 팔",
                description: "Warm light, two arms.",
                price: "35000",
                salePrice: "31500",
                stock: 12,
                images: ["images/2.jpg", "images/3.png"]
            ),
            Product(
                key: "fan",
                name: "Round fan",
                description: "=A fan of paper; and wood",
                price: "8000",
                stock: 0,
                images: ["images/4.png"]
            ),
        ]
    )

    /// So many plain products.
    static func plain(_ count: Int) -> ShopManifest {
        ShopManifest(
            products: (1...count).map { number in
                Product(
                    key: "thing-\(number)",
                    name: "Thing number \(number)",
                    description: "The description of thing number \(number).",
                    price: String(1000 * number),
                    images: ["images/1.png"]
                )
            }
        )
    }
}
