import HTTPTypes
import OpenMarket

struct V1Dialect: Sendable {
    /// v1a answers a delete with the id alone, v1b with the item.
    var deleteAnswersItem: Bool
    /// v1a answers `{"error":true,"reason":…}`, v1b `{"message":…}`.
    var errorHasReason: Bool

    static let a = V1Dialect(deleteAnswersItem: false, errorHasReason: true)
    static let b = V1Dialect(deleteAnswersItem: true, errorHasReason: false)

    func failure(_ status: HTTPResponse.Status, _ message: String) -> WireReply {
        var reply = WireReply(status) { json in
            if errorHasReason {
                json.key("error")
                json.bool(true)
                json.key("reason")
            } else {
                json.key("message")
            }
            json.string(message)
        }
        reply.contentType = Self.contentType
        reply.reason = message
        return reply
    }

    static let contentType = "application/json; charset=utf-8"

    /// The page that Heroku showed when the application failed on a form.
    static var unavailable: WireReply { WireReply(.serviceUnavailable, page: "Application Error") }
}

extension ReplyJSONWriter {
    mutating func item(_ product: StoredProduct, inList: Bool, base: String) {
        object { json in
            let fields = product.fields
            json.key("id")
            json.integer(product.id)
            json.key("title")
            json.string(fields.name)
            if !inList {
                json.key("descriptions")
                json.string(fields.description)
            }
            json.key("price")
            json.literal(fields.price?.description ?? "0")
            json.key("currency")
            json.string(fields.currency ?? "")
            json.key("stock")
            json.integer(fields.stock ?? 0)
            // The price after the discount; without a discount the key is missing.
            if let discount = fields.discount {
                json.key("discounted_price")
                json.literal(discount.description)
            }
            json.key("thumbnails")
            json.array(product.pictures) { json, picture in json.string("\(base)/thumbnails/\(picture.v1FileName)") }
            if !inList {
                json.key("images")
                json.array(product.pictures) { json, picture in json.string("\(base)/images/\(picture.v1FileName)") }
            }
            json.key("registration_date")
            json.literal("\(product.createdAt)")
        }
    }
}

extension StoredPicture {
    /// v1 named every picture `.png`, whatever its format.
    var v1FileName: String { TimeUUID.dashed(name).uppercased() + ".png" }
}
