@testable import OpenMarket
@testable import OpenMarketTestSupport

/// Another seller on the same market, with listings that look just like ours.
struct ForeignSeller: Sendable {
    static let identifier = "00000000-0000-4000-8000-0000000000fe"
    static let secret = "not-ours"

    let server: ReferenceServer
    let api: String

    /// Lists a product; returns its id.
    @discardableResult
    func list(_ product: Assortment.Product) throws -> Int64 {
        let final = product.salePrice ?? product.price
        var parts: [(head: String, content: [UInt8])] = []
        func field(_ name: String, _ content: String) {
            parts.append(("Content-Disposition: form-data; name=\"\(name)\"", Array(content.utf8)))
        }
        if api.hasPrefix("v1") {
            field("title", product.name)
            field("descriptions", product.description)
            field("price", String(product.price))
            field("currency", "KRW")
            field("stock", String(product.stock))
            field("password", Self.secret)
            if product.salePrice != nil { field("discounted_price", String(final)) }
        } else {
            let text = JSONValue.object([
                .init("name", .string(product.name)),
                .init(api == "v2a" ? "descriptions" : "description", .string(product.description)),
                .init("price", .number(ExactDecimal(Int64(product.price)))),
                .init("currency", .string("KRW")),
                .init("discounted_price", .number(ExactDecimal(Int64(product.price - final)))),
                .init("stock", .number(ExactDecimal(Int64(product.stock)))),
                .init("secret", .string(Self.secret)),
            ])
            field("params", String(decoding: text.bytes(), as: UTF8.self))
        }
        for number in product.pictures {
            let name = api.hasPrefix("v1") ? "images[]" : "images"
            let head = "Content-Disposition: form-data; name=\"\(name)\"; filename=\"\(number).png\""
            parts.append((head + "\r\nContent-Type: image/png", SmallPicture.png(number)))
        }
        let body = parts.flatMap { Array("--xyz-xyz\r\n\($0.head)\r\n\r\n".utf8) + $0.content + Array("\r\n".utf8) }
        let reply = try HTTPExchange.send(
            "POST",
            server.url + (api.hasPrefix("v1") ? "/item" : "/api/products"),
            headers: ["Content-Type: multipart/form-data; boundary=xyz-xyz", "identifier: \(Self.identifier)"],
            body: body + Array("--xyz-xyz--\r\n".utf8)
        )
        guard (200..<300).contains(reply.status), let id = try JSONValue.parse(reply.body)["id"]?.integer else {
            throw Refused(description: "\(reply.status) \(String(decoding: reply.body, as: UTF8.self))")
        }
        return id
    }

    struct Refused: Error, CustomStringConvertible {
        var description: String
    }
}
