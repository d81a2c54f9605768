import HTTPTypes
import Hummingbird
import Logging

/// One line per request: method, path, status and time.
///
/// Never a header, a query, a body or a delete key.
struct RequestLogMiddleware: RouterMiddleware {
    let logger: Logger

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        func log(_ status: String, _ level: Logger.Level = .info) {
            let (seconds, attoseconds) = start.duration(to: .now).components
            logger.log(
                level: level,
                "request",
                metadata: [
                    "method": .string(request.method.rawValue),
                    "path": .string(request.loggablePath),
                    "status": .string(status),
                    "ms": .stringConvertible(seconds * 1000 + attoseconds / 1_000_000_000_000_000),
                ]
            )
        }
        do {
            let response = try await next(request, context)
            log(String(response.status.code), response.status.code >= 500 ? .warning : .info)
            return response
        } catch {
            log("none", .warning)
            throw error
        }
    }
}

/// Turns errors of the handlers into replies, so that everything around them sees a response.
struct ReplyMiddleware: RouterMiddleware {
    let logger: Logger

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let reply as WireReply {
            return reply.response
        } catch let error as any HTTPResponseError {
            return WireReply(error.status, page: error.status.reasonPhrase).response
        } catch {
            logger.error("the request failed", metadata: ["reason": .string(PlainWords.of(error))])
            logger.debug("the failure in the library's words", metadata: ["error": .string("\(error)")])
            return WireReply(.internalServerError, page: "Internal Server Error").response
        }
    }
}
