import HTTPTypes
import Hummingbird
import Logging

/// Logs one line per request: method, path, documented query parameters, status, time, and why a request was wrong.
///
/// It never logs a header, another query parameter, a body or a delete key.
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
            metadata["reason"] = context.reason.value.map { .string($0.withoutControls) }
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

extension String {
    /// The text with a question mark for each control character: a client may have chosen it.
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

extension Request {
    /// The path without delete keys: v2 has the key in the path, and clients send it with any method to any path.
    ///
    /// After `products`, a segment is logged only if it is a number or the name of a step. Elsewhere a segment as long
    /// as a key is masked, unless it is a picture's name.
    var loggablePath: String {
        var isAfterProducts = false
        var isPicture = false
        let segments = uri.path.split(separator: "/", omittingEmptySubsequences: false).enumerated().map {
            index,
            segment in
            let word = (String(segment).percentDecoded ?? String(segment)).lowercased()
            if index == 1 { isPicture = PictureRoutes.folders.contains(word) }
            let isNumber = word.utf8.count < 20 && word.utf8.allSatisfy { (0x30...0x39).contains($0) }
            let isShown =
                isAfterProducts
                ? isNumber || Self.loggableSteps.contains(word) : isPicture || word.utf8.count < Self.shortestKey
            // An escaped slash also ends a word.
            guard isAfterProducts || !word.contains("products") else {
                isAfterProducts = true
                return word == "products" ? segment : "•••"
            }
            return isShown ? segment : "•••"
        }
        return segments.joined(separator: "/")
    }

    private static let loggableSteps: Set = ["secret", "archived"]
    /// The number of digits of a UUID without dashes.
    private static let shortestKey = 32

    /// The documented query parameters, unchanged; others may contain anything, even a key.
    var loggableQuery: String? {
        let members = (uri.query ?? "").split(separator: "&").filter { member in
            Self.loggableNames.contains(String(member.prefix { $0 != "=" }))
        }
        return members.isEmpty ? nil : String(members.joined(separator: "&").prefix(Self.longestLoggedQuery))
    }

    private static let loggableNames: Set = ["page_no", "items_per_page", "search_value"]
    private static let longestLoggedQuery = 200
}
