import HTTPTypes
import Hummingbird
import NIOCore

/// A reply that ends a request early: a status and a body in the market's format.
struct WireReply: HTTPResponseError {
    var status: HTTPResponse.Status
    var contentType: String
    var body: ByteBuffer
    /// Why the request was wrong, for the log; `nil` if the status is enough.
    var reason: String?

    init(_ status: HTTPResponse.Status, contentType: String, body: ByteBuffer) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    init(_ status: HTTPResponse.Status, json members: (inout ReplyJSONWriter) -> Void) {
        var writer = ReplyJSONWriter()
        writer.object(members)
        self.init(status, contentType: "application/json", body: writer.buffer)
    }

    /// Creates a plain text reply, as Spring sends it.
    init(_ status: HTTPResponse.Status, text: String) {
        self.init(status, contentType: "text/plain;charset=UTF-8", body: ByteBuffer(string: text))
        if status.kind == .clientError { reason = text }
    }

    /// Creates an HTML page, as a proxy in front of a market sends it.
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
