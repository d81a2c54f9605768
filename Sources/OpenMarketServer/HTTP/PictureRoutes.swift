import Hummingbird
import NIOCore
import OpenMarket

/// Serves pictures at the URLs that products show.
///
/// The server lacks an image library, so a thumbnail is the original bytes under another name.
struct PictureRoutes {
    let shop: Shop

    /// The first path segments of picture URLs.
    static let folders: Set = ["images", "thumbnails", "training-resources"]

    func add(to router: Router<ServerRequestContext>) {
        router.get("images/:file", use: picture)
        router.get("thumbnails/:file", use: picture)
        router.get("training-resources/:vendor/:folder/:file", use: picture)
    }

    @Sendable
    private func picture(_ request: Request, context: ServerRequestContext) async throws -> Response {
        let file = context.parameters.get("file") ?? ""
        // `11111111-2222-….png` on v1, `{hex}.jpg` on v2a, `{hex}_origin.jpg` on v2b.
        let name = file.prefix { $0 != "." && $0 != "_" }.lowercased().filter { $0 != "-" }
        let path = request.uri.path.percentDecoded
        guard let (picture, vendor, visibleAt) = try await shop.picture(named: name), visibleAt <= shop.clock(),
            Self.paths(picture, vendor).contains(where: { $0.percentDecoded == path })
        else { throw WireReply(.notFound, page: "Not Found") }
        // The picture may have been replaced or deleted after the lookup.
        guard let bytes = try await onDisk({ try shop.pictures.read(name: picture.name) }) else {
            var reply = WireReply(.notFound, page: "Not Found")
            reply.reason = "the picture's file is gone"
            throw reply
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: PictureFormat(head: bytes.readableBytesView)?.mediaType ?? "application/octet-stream",
                // A name's bytes never change.
                .cacheControl: "public, max-age=31536000, immutable",
            ],
            body: ResponseBody(byteBuffer: bytes)
        )
    }

    /// The paths that the profiles show a picture at; they stay valid when another profile is served.
    private static func paths(_ picture: StoredPicture, _ vendor: Int64?) -> [String] {
        ["/images/\(picture.v1FileName)", "/thumbnails/\(picture.v1FileName)"]
            + [V2Dialect.a, .b].flatMap { dialect in
                [
                    dialect.imageURL(picture, vendor: vendor, base: ""),
                    dialect.thumbnailURL(picture, vendor: vendor, base: ""),
                ]
            }
    }
}
