import Crypto
import Foundation
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport

/// A listing as a person means it, from which its part of the manifest follows.
struct ShopItem: Sendable {
    /// What makes it the same listing under whatever key; a key never means two of them.
    var serial: Int
    var key: String
    var previously: [String] = []
    var name: String
    var description: String
    var price: ExactDecimal
    var currency = Currency.krw
    /// `nil` is not managed, here and below.
    var sale: Sale?
    var stock: Int64?
    var pictures: [Int]
    var thumbnail: Int?
    var ignored: Set<ProductField> = []
    var isAbsent = false

    static let names = [
        "Desk lamp", "Desk lamp", "Old phone", "Caf\u{E9} cup", "Cafe\u{301} cup", "\u{D55C}\u{C9C0}\u{B4F1}",
        "\u{1112}\u{1161}\u{11AB}\u{110C}\u{1175}\u{1103}\u{1173}\u{11BC}", "The Secret Garden",
    ]
    /// What markets rewrite in one way or another.
    static let rewritableNames = [
        "Salt & pepper", "A <b>bold</b> cup", "Cup  and  saucer", "Cook's knife", "Lamp \u{1F680} two", "A-frame",
    ]
    static let descriptions = [
        "Warm light, two arms.", "Works, with its charger and a case, from a house without smoke or cats.",
        "Cr\u{E8}me, from Sevres.", "Cre\u{300}me, from Sevres.", "A book about an identifier.",
    ]
    static let prices: [ExactDecimal] = [100, 200, 35_000, 12_000_000]
    static let pictureSets = [[1], [2], [1, 2], [2, 1], [1, 2, 3]]

    /// The listing in the manifest.
    var listing: Listing {
        var values = ProductValues(
            name: name,
            description: description,
            price: price,
            currency: currency,
            sale: sale,
            stock: stock,
            images: pictures.map { .digest(ShopPictures.all[$0].digest) }
        )
        if let thumbnail { values.thumbnail = .digest(ShopPictures.all[thumbnail].digest) }
        return Listing(
            key: key,
            file: "openmarket.yaml",
            position: SourcePosition(line: UInt32(serial + 1), column: 1),
            values: isAbsent ? ProductValues() : values,
            pictures: isAbsent ? [] : pictures.map { ShopPictures.all[$0].picture(name: "item\(serial)-\($0).png") },
            ignoreChanges: ignored,
            isAbsent: isAbsent,
            previously: previously
        )
    }

    /// Which listing a create's first file stands for.
    static func serial(fileName: String) -> Int? {
        guard fileName.hasPrefix("item") else { return nil }
        return Int(fileName.dropFirst(4).prefix { $0.isNumber })
    }

    /// In what a product of the market's database differs from it, unmanaged fields apart; empty when in nothing.
    ///
    /// With `folds` texts that are canonically equivalent count as equal, with `isRow` only what rows of the list show counts.
    func differences(
        from product: ModelProduct,
        profile: MarketProfile,
        folds: Bool,
        isRow: Bool = false
    ) -> [String] {
        var found: [String] = []
        func agree(_ what: String, _ wanted: String, _ there: String?) {
            guard let there else { return found.append("\(what) is missing") }
            let isEqual = folds ? wanted == there : wanted.utf8.elementsEqual(there.utf8)
            if !isEqual { found.append("\(what) is '\(there)' instead of '\(wanted)'") }
        }
        let isV1 = profile == .v1a || profile == .v1b
        agree("name", name, product.name)
        if !isRow || profile == .v2b { agree("description", description, product.description) }
        if product.price != price.double { found.append("price is \(product.price ?? -1) instead of \(price)") }
        agree("currency", currency.rawValue, product.currency)
        if let stock, !ignored.contains(.stock), product.stock.map(Int64.init) != stock {
            found.append("stock is \(product.stock ?? -1) instead of \(stock)")
        }
        if let sale, !ignored.contains(.salePrice) {
            let paid =
                isV1
                ? product.discounted ?? product.price : product.price.map { $0 - (product.discounted ?? 0) }
            let wanted = sale.salePrice?.double ?? price.double
            if paid != wanted { found.append("buyers pay \(paid ?? -1) instead of \(wanted)") }
        }
        guard !isRow else { return found }
        if product.pictures.map(\.bytes) != pictures.map({ ShopPictures.all[$0].bytes }) {
            found.append("other pictures")
        }
        if let thumbnail, product.pictures.indices.contains(product.thumbnail),
            product.pictures[product.thumbnail].bytes != ShopPictures.all[thumbnail].bytes
        {
            found.append("another thumbnail")
        }
        return found
    }
}

extension ExactDecimal {
    var double: Double { Double(description) ?? .nan }
}

/// The few pictures of all shops, once on the disk.
enum ShopPictures {
    struct Stored: Sendable {
        var bytes: [UInt8]
        var digest: ContentDigest
        var file: String

        func picture(name: String) -> Picture {
            Picture(
                path: name,
                file: file,
                digest: digest,
                byteCount: bytes.count,
                format: .png,
                width: 1,
                height: 1
            )
        }
    }

    /// Written by whoever asks first, always the same bytes under the same names.
    static let all: [Stored] = (0...5).map { number in
        let bytes = SmallPicture.png(number)
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent("openmarket-history-\(number).png")
        try? Data(bytes).write(to: file, options: .atomic)
        return Stored(bytes: bytes, digest: ContentDigest(bytes: SHA256.hash(data: bytes)), file: file.path)
    }
}
