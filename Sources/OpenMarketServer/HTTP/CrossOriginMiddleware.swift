import HTTPTypes
import Hummingbird
import NIOCore
import OpenMarket

/// Lets pages of other origins call the API if the configuration lists them (the CORS protocol of the Fetch standard).
///
/// It answers preflights itself. Every other reply, including errors, gets the header that lets the page read it.
/// Changes by pages of other origins are refused, because browsers send forms and plain texts without a preflight.
///
/// DNS rebinding lets a foreign name resolve to this server, so that a foreign page has the server's origin. So requests
/// for other names are refused. A trusted proxy may have names of its own, but not for the endpoints for tests.
struct CrossOriginMiddleware: RouterMiddleware {
    /// The origins as browsers spell them, `https://app.example`; `*` means all.
    let origins: Set<String>
    let address: PublicAddress
    /// The host that the server listens on.
    let host: String

    private static let everyOrigin = "*"
    /// How long a browser may cache a preflight's reply, in seconds.
    private static let preflightAge = "600"

    private static let readingMethods: Set<HTTPRequest.Method> = [.get, .head, .options]
    private static let refusal = "pages of this origin may not write here; --allow-origin lets them"
    private static let unknownHost = "this is not the server's host; --public-url names another one"

    /// Whether a page is this server's own: its origin is the request's host, or the public URL.
    private func isOwn(_ origin: String, _ request: Request) -> Bool {
        guard let host = Self.host(of: origin) else { return false }
        return host == request.head.authority?.lowercased() && isKnown(host)
            || host == Self.host(of: address.base(for: request)) && (address.fixed != nil || address.trustsProxy)
    }

    /// Whether a host, with or without a port, is an address, or a name in the configuration.
    private func isKnown(_ authority: String) -> Bool {
        let name = Self.name(in: authority)
        return name == "localhost" || name == host.lowercased()
            || name == address.fixed.flatMap(Self.host).map(Self.name)
            || (try? SocketAddress(ipAddress: name, port: 0)) != nil
    }

    /// A host without its port, in lower case.
    private static func name(in authority: String) -> String {
        let text = authority.lowercased()
        return String(text.hasPrefix("[") ? text.dropFirst().prefix { $0 != "]" } : text.prefix { $0 != ":" })
    }

    /// Whether a request is for the endpoints for tests: `_shop`, `_faults`, `_log`.
    private static func isControl(_ request: Request) -> Bool {
        let path = request.uri.path
        return (path.percentDecoded ?? path).split(separator: "/").first?.hasPrefix("_") ?? false
    }

    /// The host and port of an `http` or `https` URL; `nil` for anything else.
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
        guard isKnown(request.head.authority ?? "") || address.trustsProxy && !Self.isControl(request) else {
            context.reason.value = Self.unknownHost
            return WireReply(.misdirectedRequest, text: Self.unknownHost).response
        }
        guard let origin = request.headers[.origin] else { return try await next(request, context) }
        let isAllowed = origins.contains(Self.everyOrigin) || origins.contains(origin)
        let isPreflight = request.method == .options && request.headers[.accessControlRequestMethod] != nil
        let isReading = Self.readingMethods.contains(request.method) && !isPreflight
        guard isReading || isAllowed || isOwn(origin, request) else {
            context.reason.value = Self.refusal
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

extension ServerConfiguration {
    /// Whether a text is an origin as browsers spell it, or `*` for all.
    package static func takesOrigin(_ text: String) -> Bool {
        if text.contains("*") { return text == "*" }
        // An origin is a URL in canonical spelling that ends with the host or the port.
        return (try? MarketURL(text))?.description == text && text.count { $0 == "/" } == 2
    }
}
