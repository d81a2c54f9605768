import HTTPTypes
import Hummingbird
import NIOCore
import OpenMarket

/// The page at `/`, which shows the shop to a person over the public API.
///
/// Its files are embedded in the program, which is installed without a resource folder.
struct ShopPage {
    let profiles: [ServedProfile]
    /// The origin of the picture URLs if it is not the page's own.
    let pictureOrigin: String?

    func add(to router: Router<ServerRequestContext>) {
        // v2 comes first because it reports the number of products.
        let generations = profiles.map(\.generation).sorted { $0.rawValue > $1.rawValue }.map { "v\($0.rawValue)" }
        let page = String(decoding: PackageResources.shop_html, as: UTF8.self)
            .replacing(Self.generationsPlace, with: generations.joined(separator: " "))
        add("/", "text/html; charset=utf-8", Array(page.utf8), to: router)
        add("shop.css", "text/css; charset=utf-8", PackageResources.shop_css, to: router)
        add("shop.js", "text/javascript; charset=utf-8", PackageResources.shop_js, to: router)
    }

    private static let generationsPlace = "GENERATIONS"

    private func add(
        _ path: RouterPath,
        _ contentType: String,
        _ bytes: [UInt8],
        to router: Router<ServerRequestContext>
    ) {
        let body = ByteBuffer(bytes: bytes)
        let pictures = (["'self'", "data:"] + [pictureOrigin].compactMap(\.self)).joined(separator: " ")
        let policy = """
            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src \(pictures); \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
        let headers: HTTPFields = [
            .contentType: contentType,
            .contentSecurityPolicy: policy,
            .xContentTypeOptions: "nosniff",
            // The next version of the program may have another page.
            .cacheControl: "no-cache",
        ]
        router.get(path) { _, _ in Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body)) }
    }
}
