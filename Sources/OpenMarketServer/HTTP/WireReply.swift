import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// A reply that ends a request early: a status and a body in the market's format.
struct WireReply: Error {
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

    init(
        _ status: HTTPResponse.Status,
        contentType: String = "application/json",
        json members: (inout ReplyJSONWriter) -> Void
    ) {
        var writer = ReplyJSONWriter()
        writer.object(members)
        self.init(status, contentType: contentType, body: writer.buffer)
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
}

/// Converts errors of the handlers to replies, and adds the URL of the shop's page to every reply.
struct ReplyMiddleware: RouterMiddleware {
    let address: PublicAddress
    let logger: Logger

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let reply as WireReply {
            context.reason.value = reply.reason
            response = reply.response
        } catch let error as any HTTPResponseError {
            response = WireReply(error.status, page: error.status.reasonPhrase).response
        } catch {
            logger.error("the request failed", metadata: ["reason": .string(ErrorText.of(error))])
            logger.debug("the failure in the library's words", metadata: ["error": .string("\(error)")])
            response = WireReply(.internalServerError, page: "Internal Server Error").response
        }
        response.headers[.shopPage] = address.base(for: request) + "/"
        return response
    }
}
