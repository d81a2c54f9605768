import FoundationEssentials
import OpenMarket

/// A product as the journal keeps it with an operation, as JSON with sorted names.
enum StateLines {
    /// One product; the names are a promise to those who keep the file, while ``StateEntry`` may change.
    struct Product: Codable {
        var key: String
        var id: Int64
        var vendorID: Int64?
        var name: String?
        var description: String?
        var price: String?
        var currency: String?
        var sale: String?
        var stock: Int64?
        var images: [String]?
        var thumbnail: String?
        var sentImages: [StateEntry.BoundImage]?
        var thumbnailURL: String?
        var issuedAt: String?
        var secret: String?
        var isProtected: Bool?

        enum CodingKeys: String, CodingKey {
            case key, id, name, description, price, currency, sale, stock, images, thumbnail, secret
            case vendorID = "vendor_id"
            case sentImages = "sent_images"
            case thumbnailURL = "thumbnail_url"
            case issuedAt = "issued_at"
            case isProtected = "protected"
        }

        init(_ entry: StateEntry) {
            key = entry.key
            id = entry.id.rawValue
            vendorID = entry.vendorID
            name = entry.applied.name
            description = entry.applied.description
            price = entry.applied.price?.description
            currency = entry.applied.currency?.rawValue
            sale = entry.applied.sale?.stateText
            stock = entry.applied.stock
            images = entry.applied.images?.map(\.stateText)
            thumbnail = entry.applied.thumbnail?.stateText
            sentImages = entry.images
            thumbnailURL = entry.thumbnailURL
            issuedAt = entry.issuedAt
            secret = entry.secret?.stateText
            isProtected = entry.isProtected ? true : nil
        }

        /// The product; throws the reason why a value cannot be one.
        func entry() throws(Fault) -> StateEntry {
            func read<Text, Value>(_ text: Text?, _ name: String, _ read: (Text) -> Value?) throws(Fault) -> Value? {
                guard let text else { return nil }
                guard let value = read(text) else { throw Fault("\"\(name)\" cannot be read") }
                return value
            }
            guard !key.isEmpty else { throw Fault("\"key\" is empty") }
            return StateEntry(
                key: key.composed,
                id: ProductID(id),
                vendorID: vendorID,
                applied: ProductValues(
                    name: name,
                    description: description,
                    price: try read(price, "price") { ExactDecimal($0) },
                    currency: currency.map(Currency.init(rawValue:)),
                    sale: try read(sale, "sale", Sale.init(stateText:)),
                    stock: stock,
                    images: try read(images, "images") { texts in
                        let identities = texts.compactMap { PictureIdentity(stateText: $0) }
                        return identities.count == texts.count ? identities : nil
                    },
                    thumbnail: try read(thumbnail, "thumbnail") { PictureIdentity(stateText: $0) }
                ),
                images: sentImages,
                thumbnailURL: thumbnailURL,
                issuedAt: issuedAt,
                secret: try read(secret, "secret", SecretReference.init(stateText:)),
                isProtected: isProtected ?? false
            )
        }
    }

    /// What is wrong with a line.
    struct Fault: Error {
        var reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }

    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
