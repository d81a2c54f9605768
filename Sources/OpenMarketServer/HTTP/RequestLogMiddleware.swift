import HTTPTypes
import Hummingbird
import Logging

/// Logs one line per request: method, path, documented query members, status, time, and why a request was wrong.
///
/// It never logs a header, another query member, a body or a delete key.
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
            var metadata: Logger.Metadata = [
                "ms": .stringConvertible(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
            ]
            metadata["query"] = request.loggableQuery.map { .string($0.withoutControls) }
            metadata["reason"] = context.effect.reason.map { .string($0.withoutControls) }
            logger.log(level: level, "\(request.method.rawValue) \(request.loggablePath) \(status)", metadata: metadata)
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

/// Turns errors of the handlers into replies, so that all outer middlewares get a response.
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
            context.effect.reason = reply.reason
            return reply.response
        } catch let error as any HTTPResponseError {
            return WireReply(error.status, page: error.status.reasonPhrase).response
        } catch {
            logger.error("the request failed", metadata: ["reason": .string(ErrorText.of(error))])
            logger.debug("the failure in the library's words", metadata: ["error": .string("\(error)")])
            return WireReply(.internalServerError, page: "Internal Server Error").response
        }
    }
}

extension String {
    /// The text with a question mark for each character that a terminal obeys; a client may have chosen it.
    fileprivate var withoutControls: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "?"
                    default: scalar
                    }
                }
            )
        )
    }
}
