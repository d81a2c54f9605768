import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import OpenMarket

/// The endpoints of v2.
///
/// Some behaviour is unknown (docs/reference/open-market-versions.md, "Unknown"). Here `page_no` defaults to 1 and
/// `items_per_page` to 10, and a number below 1 means the default. The first page of an empty catalog is an empty page
/// and not 204. A search finds parts of the product's or the vendor's name in any ASCII case. Images are limited
/// neither in number nor in size, currencies are not checked, and an unknown `thumbnail_id` is ignored. A product of
/// another vendor is answered with 400. A delete key is valid as long as its product exists. Errors are
/// `{"code":…,"message":…}`.
struct V2Routes {
    let shop: Shop
    let dialect: V2Dialect
    let strict: ProductLimits?
    let bodies: BodyReader
    let address: PublicAddress

    private static let defaultPageSize = 10
    private static let maximumPageSize = 1000

    func add(to router: Router<ServerRequestContext>) {
        router.get("healthChecker") { _, _ in WireReply(.ok, text: "\"OK\"").response }
        let products = router.group("api/products")
        products.get(use: list)
        products.get(":id", use: detail)
        products.post(use: create)
        products.patch(":id", use: update)
        switch dialect {
        // `secret` answers a key, which ends the path of the delete.
        case .a:
            products.post(":id/secret", use: deleteKey)
            products.delete(":id/:key", use: deleteByKey)
        // `archived` answers the path of the delete.
        case .b:
            products.post(":id/archived", use: deleteKey)
            products.delete(":id", use: deleteByToken)
        }
    }

    @Sendable
    private func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
        try refuseFormWithoutBoundary(request)
        func parameter(_ name: String, default fallback: Int) throws -> Int {
            guard let text = request.queryValue(name), !text.isEmpty else { return fallback }
            guard let value = Int(text) else { throw V2Values.failure("'\(name)' is not an integer") }
            return value < 1 ? fallback : value
        }
        let size = min(try parameter("items_per_page", default: Self.defaultPageSize), Self.maximumPageSize)
        // Far beyond any catalog, and small enough for arithmetic without overflow.
        let number = min(try parameter("page_no", default: 1), 1 << 40)
        let search = dialect == .b ? request.queryValue("search_value") : nil
        if let fault = search?.fault(limit: TextLimits.search) { throw V2Values.failure("'search_value' \(fault)") }
        let (products, total) = try await shop.page(
            of: .v2,
            order: dialect == .a ? .newestFirst : .newestDayFirst,
            offset: (number - 1) * size,
            limit: size,
            search: search
        )
        guard !products.isEmpty || number == 1 else { return Response(status: .noContent) }
        let base = address.base(for: request)
        return WireReply(.ok) { json in
            json.page(products, number: number, size: size, total: total, base: base, dialect)
        }.response
    }

    @Sendable
    private func detail(_ request: Request, context: ServerRequestContext) async throws -> Response {
        try refuseFormWithoutBoundary(request)
        return detail(try await product(context.parameters.get("id")), request)
    }

    @Sendable
    private func create(_ request: Request, context: ServerRequestContext) async throws -> Response {
        let claimed = try await claimedVendor(request)
        let form = try await form(request, context)
        guard let parameters = form.parts.first(where: { $0.name == "params" }) else { throw missingPart("params") }
        let values = try V2Values(json: parameters.body)
        let images = form.parts.filter { $0.name == "images" }
        guard !images.isEmpty else { throw missingPart("images") }
        let vendor = try proven(claimed, values)
        guard images.allSatisfy({ !$0.body.isEmpty }) else { throw V2Values.failure("an image is empty") }
        let uploads = images.map { Upload($0) }
        let fields = try values.newFields(dialect)
        try check(fields, images: uploads)
        let product = try await shop.create(.v2, fields: fields, pictures: uploads, vendor: vendor)
        context.changedProduct.value = product.id
        return detail(product, request, status: dialect == .a ? .ok : .created)
    }

    @Sendable
    private func update(_ request: Request, context: ServerRequestContext) async throws -> Response {
        let claimed = try await claimedVendor(request)
        let values = try V2Values(json: try await body(request, context))
        let vendor = try proven(claimed, values)
        let product = try await product(context.parameters.get("id"))
        try own(product, vendor)
        let change = try values.change(dialect)
        var thumbnail: Int64?
        if let id = try values.integer(.thumbnailID) ?? nil {
            if product.pictures.contains(where: { $0.id == id }) {
                thumbnail = id
            } else if strict != nil {
                throw V2Values.failure("thumbnail_id is not one of the product's images")
            }
        }
        var preview = product.fields
        change(&preview)
        try check(preview, images: nil)
        let chosen = thumbnail
        guard
            let changed = try await shop.update(
                product.id,
                .v2,
                change: { product in
                    change(&product.fields)
                    if let chosen { product.thumbnail = chosen }
                }
            )
        else { throw notFound }
        context.changedProduct.value = changed.id
        return detail(changed, request)
    }

    // MARK: Deleting in two steps

    @Sendable
    private func deleteKey(_ request: Request, context: ServerRequestContext) async throws -> Response {
        let claimed = try await claimedVendor(request)
        let secret = try secret(in: try await body(request, context))
        let vendor = try proven(claimed, secret)
        let product = try await product(context.parameters.get("id"))
        try own(product, vendor)
        let key = try await shop.deleteKey(of: product, secret: secret)
        switch dialect {
        case .a:
            return WireReply(.ok, text: key).response
        case .b:
            let token = Data("\(product.id)|\(key)".utf8).base64EncodedString()
            return WireReply(.ok, text: "/api/products/\(token)").response
        }
    }

    @Sendable
    private func deleteByKey(_ request: Request, context: ServerRequestContext) async throws -> Response {
        try await delete(context.parameters.get("id"), key: context.parameters.get("key") ?? "", request, context)
    }

    @Sendable
    private func deleteByToken(_ request: Request, context: ServerRequestContext) async throws -> Response {
        let token = context.parameters.get("id")?.percentDecoded ?? ""
        let text = Data(base64Encoded: token).flatMap { String(validating: $0, as: UTF8.self) } ?? ""
        let halves = text.split(separator: "|", maxSplits: 1)
        guard halves.count == 2 else { throw V2Values.failure("not a path that archived answered") }
        return try await delete(String(halves[0]), key: String(halves[1]), request, context)
    }

    private func delete(
        _ id: String?,
        key: String,
        _ request: Request,
        _ context: ServerRequestContext
    ) async throws -> Response {
        let vendor = try await claimedVendor(request)
        let product = try await product(id)
        try own(product, vendor.shown)
        guard product.isDeleteKey(key) else { throw V2Values.failure("wrong product secret") }
        guard let deleted = try await shop.delete(product.id, .v2) else { throw notFound }
        context.changedProduct.value = deleted.id
        return detail(deleted, request)
    }

    // MARK: Parts

    /// The vendor of the request's header; the body is not read for unknown ones.
    private func claimedVendor(_ request: Request) async throws -> KnownVendor {
        try refuseFormWithoutBoundary(request)
        guard let identifier = request.headers[.identifier],
            let vendor = try await shop.vendor(identifier: identifier)
        else { throw wrongCredentials }
        return vendor
    }

    private func proven(_ vendor: KnownVendor, _ values: V2Values) throws -> StoredVendor {
        guard let secret = try values.text(.secret) ?? nil else { throw wrongCredentials }
        return try proven(vendor, secret)
    }

    private func proven(_ vendor: KnownVendor, _ secret: String) throws -> StoredVendor {
        guard vendor.secret.matches(secret) else { throw wrongCredentials }
        return vendor.shown
    }

    /// The secret for the first step of a delete.
    ///
    /// The real v2a accepted the secret alone, as a JSON text.
    private func secret(in body: [UInt8]) throws -> String {
        if strict == nil, dialect == .a, let secret = JSONValue(request: body)?.text { return secret }
        guard let secret = try V2Values(json: body).text(.secret) ?? nil else { throw wrongCredentials }
        return secret
    }

    private func own(_ product: StoredProduct, _ vendor: StoredVendor) throws {
        guard product.vendor?.id == vendor.id else { throw V2Values.failure("not your product") }
    }

    private func product(_ id: String?) async throws -> StoredProduct {
        guard let id = id.flatMap({ Int64($0) }), let product = try await shop.product(id, .v2) else { throw notFound }
        return product
    }

    /// The body; the markets did not check the Content-Type of JSON.
    private func body(_ request: Request, _ context: ServerRequestContext) async throws -> [UInt8] {
        do {
            return try await bodies.read(request, context)
        } catch {
            throw V2Values.failure(error.message, status: error.status)
        }
    }

    private func form(_ request: Request, _ context: ServerRequestContext) async throws -> MultipartForm {
        guard let boundary = request.formBoundary else {
            throw WireReply(.badRequest, text: "MultipartException: Current request is not a multipart request")
        }
        let body = try await body(request, context)
        guard let form = MultipartForm(body, boundary: boundary) else { throw missingPart("params") }
        return form
    }

    /// Refuses a form header without a boundary: on the market even a GET failed with it.
    private func refuseFormWithoutBoundary(_ request: Request) throws {
        guard let text = request.headers[.contentType] else { return }
        let contentType = HeaderValue(text)
        guard contentType.value.hasPrefix("multipart/"), contentType.parameters["boundary", default: ""].isEmpty else {
            return
        }
        throw WireReply(
            .badRequest,
            text: "FileUploadException: the request was rejected because no multipart boundary was found"
        )
    }

    private func check(_ fields: ProductFields, images: [Upload]?) throws {
        if let violation = strict?.violation(fields, salePrice: fields.bargainPrice, uploads: images) {
            throw V2Values.failure(violation)
        }
    }

    private func missingPart(_ name: String) -> WireReply {
        WireReply(
            .badRequest,
            text: "MissingServletRequestPartException: Required request part '\(name)' is not present"
        )
    }

    private var wrongCredentials: WireReply { V2Values.failure("the identifier or secret is missing or wrong") }

    private var notFound: WireReply { V2Values.failure("no such product", status: .notFound) }

    private func detail(
        _ product: StoredProduct,
        _ request: Request,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        WireReply(status) { $0.detail(product, base: address.base(for: request), dialect) }.response
    }
}
