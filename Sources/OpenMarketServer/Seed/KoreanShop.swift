import OpenMarket

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
        let root = try YAMLFile(PackageResources.openmarket_yaml, file: "korean-shop/openmarket.yaml")
        let currency = try root.required("defaults").required("currency").text()
        return try root.required("products").list().map { entry in
            func number(_ key: String) throws -> ExactDecimal? {
                guard let text = try entry[key]?.text() else { return nil }
                guard let number = ExactDecimal(text) else { throw entry.fault("'\(key)' is not a number") }
                return number
            }
            let price = try number("price")
            let off = try number("discount") ?? number("sale_price").flatMap { sale in price?.subtracting(sale) }
            return ShopSeed.Product(
                fields: ProductFields(
                    name: try entry.required("name").text(),
                    description: try entry.required("description").text(),
                    price: price,
                    currency: currency,
                    discount: generation.discount(off, of: price),
                    stock: try entry["stock"].map { Int64(try $0.integer()) }
                ),
                pictures: try entry.required("images").list().map { try upload($0) }
            )
        }
    }

    private static func upload(_ image: YAMLFile) throws -> Upload {
        let path = try image.text()
        guard let bytes = pictures[path] else { throw image.fault("\(path) is not part of the program") }
        return Upload(bytes: bytes, fileExtension: path.hasSuffix(".png") ? ".png" : ".jpg")
    }
}
