import NIOCore
import NIOHTTP1
import OpenMarket

/// A reply, read to its end.
package struct TransportReply: Sendable {
    /// The status.
    package var status: Int
    var headers: HTTPHeaders
    var body: ByteBuffer

    init(status: Int, headers: HTTPHeaders, body: ByteBuffer) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A reply of a transport that has its bytes at hand.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
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

    /// Where the market sends one, in words; empty where it says nothing.
    func target(masking mask: SecretMask) -> String {
        headers.first(name: "Location").map { " to \(mask.masked($0).prefix(200))" } ?? ""
    }

    /// The body's bytes; of a text for people, its beginning is enough.
    func bytes(upTo limit: Int = .max) -> [UInt8] { Array(body.readableBytesView.prefix(limit)) }
}
