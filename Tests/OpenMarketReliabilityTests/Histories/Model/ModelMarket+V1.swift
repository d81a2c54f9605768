@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport

/// The two deployments on Heroku (part A).
extension ModelMarket {
    mutating func answerV1(
        _ request: ModelRequest,
        at now: Duration,
        day: Int,
        dice: inout SeededGenerator
    ) -> ModelReply {
        let parts = request.path.split(separator: "/")
        switch (request.method, parts.first, parts.count) {
        case ("GET", "items", 2):
            guard let page = Int(parts[1]), page > 0 else { return notFound() }
            return pageV1(page, at: now, dice: &dice)
        case ("GET", "item", 2):
            guard let product = visible(parts[1], at: now) else { return notFound() }
            return .json(200, ordered(itemV1(product, isRow: false), &dice))
        case ("POST", "item", 1): return createV1(request, at: now, day: day, dice: &dice)
        case ("PATCH", "item", 2): return editV1(request, parts[1], at: now, dice: &dice)
        case ("DELETE", "item", 2): return deleteV1(request, parts[1], at: now, dice: &dice)
        default: return notFound()
        }
    }

    private func visible(_ id: Substring, at now: Duration) -> ModelProduct? {
        Int(id).flatMap { products[$0] }.flatMap { $0.visibleFrom <= now ? $0 : nil }
    }

    private func pageV1(_ page: Int, at now: Duration, dice: inout SeededGenerator) -> ModelReply {
        // Neither by id nor by date, old items first.
        var rows = products.values.filter { !habits.delaysList || $0.visibleFrom <= now }
            .sorted { ($0.id / 3, -$0.id) < ($1.id / 3, -$1.id) }
        if Double.random(in: 0..<1, using: &dice) < habits.shufflesRows { rows.shuffle(using: &dice) }
        let slice = rows.dropFirst((page - 1) * 20).prefix(20).map { ordered(itemV1($0, isRow: true), &dice) }
        return .json(200, .object(of: ("page", .integer(page)), ("items", .array(Array(slice)))))
    }

    private func itemV1(_ product: ModelProduct, isRow: Bool) -> JSONValue {
        let media = "\(Self.base)/media"
        var item = JSONValue.object(of: ("id", id(product.id)), ("title", .string(product.name)))
        if !isRow { item[member: "descriptions"] = product.description.map { .string($0) } }
        item[member: "price"] = product.price.map { .integer(Int($0)) } ?? .null
        item[member: "currency"] = product.currency.map { .string($0) }
        item[member: "stock"] = product.stock.map { .integer($0) } ?? .null
        if let sale = product.discounted { item[member: "discounted_price"] = .integer(Int(sale)) }
        if isRow || !habits.hidesThumbnails {
            item[member: "thumbnails"] = .array(product.pictures.map { .string("\(media)/thumbnails/\($0.stem).png") })
        }
        if !isRow {
            item[member: "images"] = .array(product.pictures.map { .string("\(media)/images/\($0.stem).png") })
        }
        item[member: "registration_date"] = .unrepresentableNumber(
            "\(Double(product.createdDay) * 86_400 + Double(product.id) / 1000)"
        )
        return item
    }

    private mutating func createV1(
        _ request: ModelRequest,
        at now: Duration,
        day: Int,
        dice: inout SeededGenerator
    ) -> ModelReply {
        guard let form = WireForm(contentType: request.contentType, body: request.body) else { return .page(503) }
        let files = form.parts.filter { $0.name == "images[]" }
        guard let title = form["title"], let text = form["descriptions"],
            let price = form["price"].flatMap({ Int($0) }),
            let currency = form["currency"], let stock = form["stock"].flatMap({ Int($0) }),
            let password = form["password"], !files.isEmpty
        else { return bad("Something is missing.") }
        let pictures = files.map { stored($0.content, fileExtension: "png") }
        let product = ModelProduct(
            id: newID(&dice),
            vendor: 0,
            password: password,
            name: storedName(title),
            description: stored(text),
            price: Double(price),
            currency: currency,
            discounted: form["discounted_price"].flatMap { Double($0) },
            stock: stock,
            pictures: pictures,
            createdDay: day,
            editedDay: day,
            visibleFrom: now + habits.readDelay,
            maker: password == Self.secret ? .us(fileName: files[0].fileName ?? "") : .others
        )
        products[product.id] = product
        effects.append(.created(product))
        return .json(habits.createStatus == 201 ? 201 : 200, ordered(itemV1(product, isRow: false), &dice))
    }

    private mutating func editV1(
        _ request: ModelRequest,
        _ name: Substring,
        at now: Duration,
        dice: inout SeededGenerator
    ) -> ModelReply {
        guard let form = WireForm(contentType: request.contentType, body: request.body) else { return .page(503) }
        guard let password = form["password"] else { return bad("The password is missing.") }
        guard var product = visible(name, at: now) else { return notFound() }
        guard password == product.password else {
            // A proof of ownership is harmless, and how v1 is asked.
            if form.parts.count > 1 { effects.append(.trespassed(product.id, "PATCH")) }
            return notFound()
        }
        let before = product
        if let title = form["title"] { product.name = storedName(title) }
        if let text = form["descriptions"] { product.description = stored(text) }
        if let price = form["price"].flatMap({ Double($0) }) { product.price = price }
        if let currency = form["currency"] { product.currency = currency }
        if let stock = form["stock"].flatMap({ Int($0) }) { product.stock = stock }
        if let sale = form["discounted_price"].flatMap({ Double($0) }) { product.discounted = sale }
        let files = form.parts.filter { $0.name == "images[]" }
        if !files.isEmpty { product.pictures = files.map { stored($0.content, fileExtension: "png") } }
        if form.parts.count > 1 {
            product.visibleFrom = now + habits.readDelay
            effects.append(.changed(before: before, after: product))
        }
        products[product.id] = product
        return .json(200, ordered(itemV1(product, isRow: false), &dice))
    }

    private mutating func deleteV1(
        _ request: ModelRequest,
        _ name: Substring,
        at now: Duration,
        dice: inout SeededGenerator
    ) -> ModelReply {
        guard let body = try? JSONValue.parse(request.body), let password = body["password"]?.text else {
            return bad("The password is missing.")
        }
        if profile == .v1a, body["id"]?.decimal?.double != Double(name) { return bad("The id is missing.") }
        guard let product = visible(name, at: now) else { return notFound() }
        guard password == product.password else {
            effects.append(.trespassed(product.id, "DELETE"))
            return notFound()
        }
        products[product.id] = nil
        effects.append(.deleted(product))
        if profile == .v1a { return .json(200, .object(of: ("id", id(product.id)))) }
        return .json(200, ordered(itemV1(product, isRow: false), &dice))
    }
}
