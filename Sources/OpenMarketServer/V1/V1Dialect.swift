import HTTPTypes
import OpenMarket

enum V1Dialect {
    case a, b

    /// v1a answers `{"error":true,"reason":…}`, v1b `{"message":…}`.
    func failure(_ status: HTTPResponse.Status, _ message: String) -> WireReply {
        var reply = WireReply(status, contentType: Self.contentType) { json in
            if self == .a { json.member("error", true) }
            json.member(self == .a ? "reason" : "message", message)
        }
        reply.reason = message
        return reply
    }

    static let contentType = "application/json; charset=utf-8"

    /// The page that Heroku showed when the application failed on a form.
    static var unavailable: WireReply { WireReply(.serviceUnavailable, page: "Application Error") }
}

extension ReplyJSONWriter {
    mutating func item(_ product: StoredProduct, inList: Bool, base: String) {
        let fields = product.fields
        member("id", product.id)
        member("title", fields.name)
        if !inList { member("descriptions", fields.description) }
        member("price", literal: fields.price?.description ?? "0")
        member("currency", fields.currency ?? "")
        member("stock", fields.stock ?? 0)
        // The price after the discount; without a discount the key is missing.
        if let discount = fields.discount { member("discounted_price", literal: discount.description) }
        for folder in inList ? ["thumbnails"] : ["thumbnails", "images"] {
            member(folder, array: product.pictures) { $0.string("\(base)/\(folder)/\($1.v1FileName)") }
        }
        member("registration_date", literal: "\(product.createdAt)")
    }
}

extension StoredPicture {
    /// v1 named every picture `.png`, whatever its format.
    var v1FileName: String {
        var spelled = name.uppercased()
        for place in [20, 16, 12, 8] { spelled.insert("-", at: spelled.index(spelled.startIndex, offsetBy: place)) }
        return spelled + ".png"
    }
}
