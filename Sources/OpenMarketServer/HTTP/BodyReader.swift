import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Reads whole bodies into memory.
struct BodyReader: Sendable {
    /// The largest body, in bytes.
    let limit: Int

    struct Fault: Error, Hashable {
        let status: HTTPResponse.Status
        let message: String

        static let tooLarge = Fault(status: .contentTooLarge, message: "the body is too large")
        /// It ended too early, or was framed incorrectly.
        static let cut = Fault(status: .badRequest, message: "the body is not whole")
    }

    func read(_ request: Request, _ context: ServerRequestContext) async throws(Fault) -> [UInt8] {
        let announced = request.headers[.contentLength].flatMap { Int($0) }
        if let announced, announced > limit { throw .tooLarge }
        // The client waits for a request to send the body (RFC 9110, 10.1.1). If it has gone, the read below fails.
        if request.headers[.expect]?.lowercased() == "100-continue" {
            try? await context.channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue))).get()
        }
        let bytes: [UInt8]
        do {
            bytes = Array(buffer: try await request.body.collect(upTo: limit))
        } catch is NIOTooManyBytesError {
            throw .tooLarge
        } catch {
            throw .cut
        }
        guard announced == nil || announced == bytes.count else { throw .cut }
        return bytes
    }
}
