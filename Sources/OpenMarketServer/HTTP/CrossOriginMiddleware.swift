import HTTPTypes
import Hummingbird

/// Lets pages of other origins call the API if the configuration names them (the CORS protocol of the Fetch standard).
///
/// It answers preflights itself. Every other reply, an error too, gets the header that lets the page read it. Changes
/// by pages of other origins are refused, because browsers send forms and plain texts without a preflight.
struct CrossOriginMiddleware: RouterMiddleware {
    /// The origins as browsers spell them, `https://app.example`; `*` means all.
    let origins: Set<String>
    let address: PublicAddress

    private static let everyOrigin = "*"
    /// How long a browser may cache a preflight's reply, in seconds.
    private static let preflightAge = "600"

    private static let readingMethods: Set<HTTPRequest.Method> = [.get, .head, .options]
    private static let refusal = "pages of this origin may not write here; --allow-origin lets them"

    /// Whether a page is this server's own: its origin is the host that the request names, or the public address.
    private func isOwn(_ origin: String, _ request: Request) -> Bool {
        guard let host = Self.host(of: origin) else { return false }
        return host == request.head.authority?.lowercased() || host == Self.host(of: address.base(for: request))
    }

    /// The host and the port of an `http` or `https` URL; `nil` for anything else.
    private static func host(of url: String) -> String? {
        let url = url.lowercased()
        guard let scheme = ["http://", "https://"].first(where: url.hasPrefix) else { return nil }
        return String(url.dropFirst(scheme.count).prefix { $0 != "/" })
    }

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let origin = request.headers[.origin] else { return try await next(request, context) }
        let isAllowed = origins.contains(Self.everyOrigin) || origins.contains(origin)
        let isPreflight = request.method == .options && request.headers[.accessControlRequestMethod] != nil
        let isReading = Self.readingMethods.contains(request.method) && !isPreflight
        guard isReading || isAllowed || isOwn(origin, request) else {
            context.effect.reason = Self.refusal
            return WireReply(.forbidden, text: Self.refusal).response
        }
        guard !origins.isEmpty else { return try await next(request, context) }
        var response = isPreflight ? Response(status: .noContent) : try await next(request, context)
        // A cache must not return the reply for one origin to another.
        response.headers[values: .vary].append(HTTPField.Name.origin.canonicalName)
        guard isAllowed else { return response }
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
