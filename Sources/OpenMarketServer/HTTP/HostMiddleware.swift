import Hummingbird
import NIOCore

/// Adds a host to a request without one, which HTTP/1.0 allows: the address that it arrived at.
struct HostMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        guard request.head.authority?.isEmpty ?? true, let address = context.channel.localAddress,
            let host = address.ipAddress, let port = address.port
        else { return try await next(request, context) }
        var head = request.head
        head.authority = NetworkAddress.authority(host: host, port: port)
        return try await next(Request(head: head, body: request.body), context)
    }
}
