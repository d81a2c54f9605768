import NIOCore
import NIOHTTP1
import OpenMarket

struct TransportReply: Sendable {
    var status: Int
    var headers: HTTPHeaders
    /// The body without a byte order mark at its beginning.
    var body: ByteBuffer
    /// Whether, according to the description, this reply means that there is no such product.
    var meansGone = false

    init(status: Int, headers: HTTPHeaders, body: ByteBuffer) {
        self.status = status
        self.headers = headers
        self.body = body
        if bytes(upTo: 3) == UTF8Mark.bytes { self.body.moveReaderIndex(forwardBy: 3) }
    }

    /// A reply with its bytes in memory.
    init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.init(
            status: status,
            headers: HTTPHeaders(headers.map { ($0.name, $0.value) }),
            body: ByteBuffer(bytes: body)
        )
    }

    var retryAfter: Duration? {
        RetryAfter.wait(headers.first(name: "Retry-After"), date: headers.first(name: "Date"))
    }

    /// Whether a cache stored the reply for a second or longer; some caches add `Age: 0` to fresh replies.
    var isFromCache: Bool { headers.first(name: "Age").map { Int($0.trimmed) != 0 } ?? false }

    /// The status and the type, for messages.
    func kind(masking mask: SecretMask) -> String {
        "HTTP \(status)" + (headers.first(name: "Content-Type").map { ", \(mask.masked($0).excerpt)" } ?? "")
    }

    /// The address of the market's page for people, as the market states it.
    var shopPage: String? { headers.first(name: "Shop-Page") }

    /// The redirect's target, for messages; empty if there is none.
    func target(masking mask: SecretMask) -> String {
        headers.first(name: "Location").map { " to \(mask.masked($0).prefix(200))" } ?? ""
    }

    /// The first bytes of the body, which suffice for a message.
    func bytes(upTo limit: Int = .max) -> [UInt8] { Array(body.readableBytesView.prefix(limit)) }

    /// The kind of a body, as evidence of its sender.
    enum Form {
        case none
        /// A JSON object, like the API's own refusals (docs/reference/open-market-versions.md, "Errors").
        case object
        /// A web page, which the API never sends: it comes from a server in front of the market.
        case webPage
        case other
    }

    var form: Form {
        guard body.readableBytes > 0 else { return .none }
        guard !isWebPage else { return .webPage }
        // A longer body that is cut off could not be parsed, so its beginning decides.
        guard body.readableBytes <= ErrorText.limit else {
            let first = body.readableBytesView.first { $0 > 0x20 }
            return first == UInt8(ascii: "{") ? .object : .other
        }
        return (try? JSONValue.parse(bytes()))?.members == nil ? .other : .object
    }

    /// Whether the body is a complete or partial web page, which comes from a server in front of the market.
    var isWebPage: Bool {
        guard let first = body.readableBytesView.first(where: { $0 > 0x20 }) else { return false }
        let type = headers.first(name: "Content-Type")?.lowercased() ?? ""
        return type.hasPrefix("text/html") || first == UInt8(ascii: "<")
    }

    /// Whether the body is a text, such as a proxy's message, and cannot be a picture.
    var isPlainText: Bool {
        guard headers.first(name: "Content-Type")?.lowercased().hasPrefix("image/") != true else { return false }
        let head = body.readableBytesView.prefix(256)
        // Apart from SVG, no picture format begins with printable characters only.
        return head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
    }

    /// Whether a 404 comes from the API itself: a JSON object, or an empty body.
    ///
    /// v2's 404 was never recorded, so its content is ignored.
    var isOwnNotFound: Bool { status == 404 && (form == .object || form == .none) }
}

/// The message of a reply that does not answer the request; another attempt may get another reply.
struct UnexpectedReply: Error {
    var message: String

    static let foreign = UnexpectedReply(message: "the market's answer is not one of its API")
}
