import OpenMarket
import YAML

/// The shop of `examples/korean-shop`, whose files are embedded in the program.
enum KoreanShop {
    private static let pictures: [String: [UInt8]] = [
        "images/bojagi-wrapped.png": PackageResources.bojagi_wrapped_png,
        "images/bojagi.png": PackageResources.bojagi_png,
        "images/brass-cutlery.png": PackageResources.brass_cutlery_png,
        "images/celadon-cup.jpg": PackageResources.celadon_cup_jpg,
        "images/celadon-pair.jpg": PackageResources.celadon_pair_jpg,
        "images/green-tea.png": PackageResources.green_tea_png,
        "images/hanji-lamp-lit.jpg": PackageResources.hanji_lamp_lit_jpg,
        "images/hanji-lamp-unlit.png": PackageResources.hanji_lamp_unlit_png,
        "images/moon-jar-blossom.jpg": PackageResources.moon_jar_blossom_jpg,
        "images/moon-jar.jpg": PackageResources.moon_jar_jpg,
        "images/round-fan.png": PackageResources.round_fan_png,
    ]

    static func products(for generation: Generation) throws -> [ShopSeed.Product] {
        let manifest = try YAMLNode.parse(PackageResources.openmarket_yaml)
        let currency = manifest?["defaults"]?["currency"]?.text
        return try (manifest?["products"]?.items ?? []).map { entry in
            func number(_ key: String) -> ExactDecimal? { entry[key]?.text.flatMap { ExactDecimal($0) } }
            let price = number("price")
            let off = number("discount") ?? number("sale_price").flatMap { sale in price?.subtracting(sale) }
            return ShopSeed.Product(
                fields: ProductFields(
                    name: entry["name"]?.text ?? "",
                    description: entry["description"]?.text ?? "",
                    price: price,
                    currency: currency,
                    discount: generation.discount(off, of: price),
                    stock: number("stock")?.wholeValue
                ),
                pictures: try (entry["images"]?.items ?? []).compactMap(\.text).map { try upload($0) }
            )
        }
    }

    private static func upload(_ path: String) throws -> Upload {
        guard let bytes = pictures[path] else { throw ServerError(.input, "\(path) is not part of the program") }
        return Upload(bytes: bytes, fileExtension: path.hasSuffix(".png") ? ".png" : ".jpg")
    }
}
