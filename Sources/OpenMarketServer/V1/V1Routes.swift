import HTTPTypes
import Hummingbird
import NIOCore
import OpenMarket

/// The endpoints of v1.
///
/// Some behaviour is unknown (docs/reference/open-market-versions.md, "Unknown"). This server accepts any currency,
/// limits neither the sizes nor the number of images, and allows a sale price above the price. An unknown page number
/// is page 1. An item in its read-after-write delay is listed and can be changed. A password missing from a form is a
/// missing field.
struct V1Routes {
    let shop: Shop
    let dialect: V1Dialect
    let strict: ProductLimits?
    let bodies: BodyReader
    let address: PublicAddress
    let faults: FaultControl?

    static let pageSize = 20

    func add(to router: Router<ServerRequestContext>) {
        router.get("items/:page", use: list)
        router.get("item/:id", use: detail)
        router.post("item", use: create)
        router.patch("item/:id", use: update)
        router.delete("item/:id", use: delete)
    }

    @Sendable
    private func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
        let page = Self.number(ofPage: context.parameters.get("page") ?? "")
        let (offset, overflow) = (page - 1).multipliedReportingOverflow(by: Self.pageSize)
        let (products, _) = try await shop.page(
            of: .v1,
            order: .oldestFirst,
            offset: overflow ? .max : offset,
            limit: Self.pageSize
        )
        let base = address.base(for: request)
        return reply { json in
            json.member("page", page)
            json.member("items", array: products) { json, product in
                json.object { $0.item(product, inList: true, base: base) }
            }
        }
    }

    /// The number of a page: 1 for other texts, and the largest integer for larger numbers.
    private static func number(ofPage text: String) -> Int {
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return max(1, Int(text) ?? (isNumber ? .max : 1))
    }

    @Sendable
    private func detail(_ request: Request, context: ServerRequestContext) async throws -> Response {
        let product = try await product(context)
        guard product.visibleAt <= shop.clock(), faults?.mayRead(product.id) ?? true else { throw notFound }
        return item(product, request)
    }

    @Sendable
    private func create(_ request: Request, context: ServerRequestContext) async throws -> Response {
        let form = try await form(request, context)
        let fields = ProductFields(
            name: try form.required("title"),
            description: try form.required("descriptions"),
            price: try form.price("price") ?? form.missing("price"),
            currency: try form.required("currency"),
            discount: try form.price("discounted_price"),
            stock: try form.integer("stock") ?? form.missing("stock")
        )
        let password = try form.required("password")
        // A part named `images` got the error page (hrjy6278).
        guard !form.images.isEmpty else { throw V1Dialect.unavailable }
        try check(fields, images: form.images)
        let product = try await shop.create(
            .v1,
            fields: fields,
            pictures: form.images,
            password: SaltedHash(of: password)
        )
        context.changedProduct.value = product.id
        return item(product, request)
    }

    @Sendable
    private func update(_ request: Request, context: ServerRequestContext) async throws -> Response {
        // The body is not read if the item does not exist.
        let product = try await product(context)
        let form = try await form(request, context)
        try authorize(product, password: try form.required("password"))
        let title = form.text("title")
        let descriptions = form.text("descriptions")
        let currency = form.text("currency")
        let price = try form.price("price")
        let discount = try form.price("discounted_price")
        let stock = try form.integer("stock")
        let change: @Sendable (inout StoredProduct) -> Void = { product in
            if let title { product.fields.name = title }
            if let descriptions { product.fields.description = descriptions }
            if let currency { product.fields.currency = currency }
            if let price { product.fields.price = price }
            if let discount { product.fields.discount = discount }
            if let stock { product.fields.stock = stock }
        }
        let images = form.images.isEmpty ? nil : form.images
        var preview = product
        change(&preview)
        try check(preview.fields, images: images)
        guard let changed = try await shop.update(product.id, .v1, pictures: images, change: change) else {
            throw notFound
        }
        context.changedProduct.value = changed.id
        return item(changed, request)
    }

    @Sendable
    private func delete(_ request: Request, context: ServerRequestContext) async throws -> Response {
        let known = try await product(context)
        let body = try await body(request, context)
        guard let members = JSONValue(request: body), let password = members["password"]?.text else {
            throw dialect.failure(.badRequest, "Value required for key 'password'.")
        }
        if strict != nil, let id = members["id"], id.integer != known.id {
            throw dialect.failure(.badRequest, "the id of the body is not that of the path")
        }
        try authorize(known, password: password)
        guard let product = try await shop.delete(known.id, .v1) else { throw notFound }
        context.changedProduct.value = product.id
        // v1a answers with the id alone.
        return dialect == .a ? reply { $0.member("id", product.id) } : item(product, request)
    }

    // MARK: Parts

    private func body(_ request: Request, _ context: ServerRequestContext) async throws -> [UInt8] {
        do {
            return try await bodies.read(request, context)
        } catch {
            throw dialect.failure(error.status, error.message)
        }
    }

    private func form(_ request: Request, _ context: ServerRequestContext) async throws -> V1Form {
        guard let boundary = request.formBoundary else { throw V1Dialect.unavailable }
        let body = try await body(request, context)
        // The real markets did not require the two final dashes.
        guard let form = MultipartForm(body, boundary: boundary, needsFinalDashes: strict != nil) else {
            throw V1Dialect.unavailable
        }
        return try V1Form(form, dialect: dialect)
    }

    private func product(_ context: ServerRequestContext) async throws -> StoredProduct {
        guard let id = context.parameters.get("id", as: Int64.self), let product = try await shop.product(id, .v1)
        else {
            throw notFound
        }
        return product
    }

    /// A wrong password gets the same reply as an unknown item.
    private func authorize(_ product: StoredProduct, password: String) throws {
        guard product.password?.matches(password) == true else { throw notFound }
    }

    private func check(_ fields: ProductFields, images: [Upload]?) throws {
        let salePrice = fields.discount ?? fields.price
        if let violation = strict?.violation(fields, salePrice: salePrice, uploads: images) {
            throw dialect.failure(.badRequest, violation)
        }
    }

    private var notFound: WireReply { dialect.failure(.notFound, "Not Found") }

    private func item(_ product: StoredProduct, _ request: Request) -> Response {
        reply { $0.item(product, inList: false, base: address.base(for: request)) }
    }

    private func reply(_ members: (inout ReplyJSONWriter) -> Void) -> Response {
        WireReply(.ok, contentType: V1Dialect.contentType, json: members).response
    }
}
