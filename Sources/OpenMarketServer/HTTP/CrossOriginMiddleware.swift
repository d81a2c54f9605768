import HTTPTypes
import Hummingbird

/// Lets pages of other origins call the API, where the configuration names them (the CORS protocol of the Fetch standard).
///
/// Answers preflights itself. Every other reply, also one that says no, gets the header that lets the page read it.
struct CrossOriginMiddleware: RouterMiddleware {
    /// The origins as browsers spell them, `https://app.example`; `*` stands for all.
    let origins: Set<String>

    private static let everyOrigin = "*"
    /// How long a browser may keep what a preflight allowed, in seconds.
    private static let preflightAge = "600"

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let origin = request.headers[.origin] else { return try await next(request, context) }
        let isPreflight = request.method == .options && request.headers[.accessControlRequestMethod] != nil
        var response = isPreflight ? Response(status: .noContent) : try await next(request, context)
        // A cache must not hand the reply for one origin to another.
        response.headers[values: .vary].append(HTTPField.Name.origin.canonicalName)
        guard origins.contains(Self.everyOrigin) || origins.contains(origin) else { return response }
        response.headers[.accessControlAllowOrigin] = origins.contains(Self.everyOrigin) ? Self.everyOrigin : origin
        if isPreflight {
            response.headers[.accessControlAllowMethods] = "GET, HEAD, POST, PATCH, DELETE"
            response.headers[.accessControlAllowHeaders] = "content-type, identifier"
            response.headers[.accessControlMaxAge] = Self.preflightAge
        } else {
            response.headers[.accessControlExposeHeaders] = HTTPField.Name.retryAfter.canonicalName
        }
        return response
    }
}
