import HTTPTypes
import Hummingbird
import NIOCore

/// A reply that ends a request early: a status and a body in the market's own manner.
struct WireReply: HTTPResponseError {
    var status: HTTPResponse.Status
    var contentType: String
    var body: ByteBuffer
    /// What was wrong with the request, for the log; `nil` where the status says it.
    var reason: String?

    init(_ status: HTTPResponse.Status, contentType: String, body: ByteBuffer) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// JSON, built on the spot.
    init(_ status: HTTPResponse.Status, json members: (inout ReplyJSONWriter) -> Void) {
        var writer = ReplyJSONWriter()
        writer.object(members)
        self.init(status, contentType: "application/json", body: writer.buffer)
    }

    /// Plain text, as Spring answers it.
    init(_ status: HTTPResponse.Status, text: String) {
        self.init(status, contentType: "text/plain;charset=UTF-8", body: ByteBuffer(string: text))
        if status.kind == .clientError { reason = text }
    }

    /// An HTML page, as a proxy in front of a market answers it.
    init(_ status: HTTPResponse.Status, page title: String) {
        let page = "<!DOCTYPE html>\n<html><head><title>\(title)</title></head><body><h1>\(title)</h1></body></html>\n"
        self.init(status, contentType: "text/html; charset=utf-8", body: ByteBuffer(string: page))
    }

    var response: Response {
        Response(
            status: status,
            headers: [.contentType: contentType],
            body: ResponseBody(byteBuffer: body)
        )
    }

    func response(from request: Request, context: some RequestContext) throws -> Response { response }
}
