import NIOCore
import NIOHTTP1
import OpenMarket

/// A reply, read to its end.
struct TransportReply: Sendable {
    var status: Int
    var headers: HTTPHeaders
    var body: ByteBuffer

    init(status: Int, headers: HTTPHeaders, body: ByteBuffer) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A reply of a transport that has its bytes at hand.
    init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.init(
            status: status,
            headers: HTTPHeaders(headers.map { ($0.name, $0.value) }),
            body: ByteBuffer(bytes: body)
        )
    }

    /// How long the market asks to wait.
    var retryAfter: Duration? {
        RetryAfter.wait(headers.first(name: "Retry-After"), date: headers.first(name: "Date"))
    }

    /// Where a person can look at the market, as it says itself.
    var shopPage: String? { headers.first(name: "Shop-Page") }

    /// The redirect's target, for messages; empty where it says nothing.
    func target(masking mask: SecretMask) -> String {
        headers.first(name: "Location").map { " to \(mask.masked($0).prefix(200))" } ?? ""
    }

    /// The body's bytes; of a text for people, its beginning is enough.
    func bytes(upTo limit: Int = .max) -> [UInt8] { Array(body.readableBytesView.prefix(limit)) }

    /// What a body is, as far as that shows who wrote it.
    enum Form {
        /// No body.
        case none
        /// A JSON object: what the API's own refusals are (docs/profiles.md, "Errors").
        case object
        /// A web page, which the API never answers: it comes from something in front of it.
        case webPage
        /// Anything else.
        case other
    }

    /// The form of the body.
    var form: Form {
        guard body.readableBytes > 0 else { return .none }
        guard !isWebPage else { return .webPage }
        // Of a longer one the beginning says it: cut off, it could not be read.
        guard body.readableBytes <= ErrorText.limit else {
            let first = body.readableBytesView.first { $0 > 0x20 }
            return first == UInt8(ascii: "{") ? .object : .other
        }
        return (try? JSONValue.parse(bytes()))?.members == nil ? .other : .object
    }

    /// Whether the body is a web page, which comes from something before the market.
    var isWebPage: Bool {
        guard body.readableBytes > 0 else { return false }
        let type = headers.first(name: "Content-Type")?.lowercased() ?? ""
        return type.hasPrefix("text/html")
            || ErrorText.isHTML(String(decoding: bytes(upTo: ErrorText.limit), as: UTF8.self))
    }

    /// Whether the body is a text, such as a proxy's message, and does not claim to be a picture.
    var isPlainText: Bool {
        guard headers.first(name: "Content-Type")?.lowercased().hasPrefix("image/") != true else { return false }
        let head = body.readableBytesView.prefix(256)
        // No format of pictures but SVG begins with printable characters alone.
        return head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
    }

    /// Whether a 404 is the API's own: a JSON object, or nothing.
    ///
    /// v2's was never recorded, so its words are not looked at.
    var isOwnNotFound: Bool { status == 404 && (form == .object || form == .none) }
}

/// The message of a reply that does not answer the request; a retry may get another one.
struct UnexpectedReply: Error {
    var message: String
}
