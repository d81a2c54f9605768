import HTTPTypes
import Hummingbird

/// Adds the address of the shop's page to every reply, in the header `Shop-Page`.
struct ShopPageMiddleware: RouterMiddleware {
    let address: PublicAddress

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if let name = Self.name { response.headers[name] = address.base(for: request) + "/" }
        return response
    }

    private static let name = HTTPField.Name("Shop-Page")
}
