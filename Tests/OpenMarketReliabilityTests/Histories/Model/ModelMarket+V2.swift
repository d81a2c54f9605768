import Foundation
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport

/// The two deployments of the academy (part B).
extension ModelMarket {
    mutating func answerV2(_ request: ModelRequest, day: Int, dice: inout SeededGenerator) -> ModelReply {
        let pieces = request.path.split(separator: "?", maxSplits: 1)
        let parts = pieces[0].split(separator: "/")
        if request.method == "GET", pieces[0] == "/healthChecker" { return .text(200, "\"OK\"") }
        guard parts.count >= 2, parts[0] == "api", parts[1] == "products" else { return notFound() }
        switch (request.method, parts.count) {
        case ("GET", 2): return pageV2(pieces.count > 1 ? pieces[1] : "", dice: &dice)
        case ("GET", 3):
            guard let product = Int(parts[2]).flatMap({ products[$0] }) else { return notFound() }
            return .json(200, ordered(detailV2(product), &dice))
        case ("POST", 2): return createV2(request, day: day, dice: &dice)
        case ("PATCH", 3): return editV2(request, parts[2], day: day, dice: &dice)
        case ("POST", 4) where parts[3] == (profile == .v2a ? "secret" : "archived"):
            return deleteKey(request, parts[2], dice: &dice)
        case ("DELETE", profile == .v2a ? 4 : 3):
            return deleteV2(request, key: String(parts[parts.count - 1]), named: parts[2], dice: &dice)
        default: return notFound()
        }
    }

    /// Why a writing request is refused before anything else; `nil` when it is from us.
    private func refusal(of request: ModelRequest, secret: String?) -> ModelReply? {
        guard request.headers["identifier"] == Self.identifier, secret == Self.secret else {
            return bad("The identifier or the secret is wrong.")
        }
        return nil
    }

    // MARK: - Reading

    private func pageV2(_ query: Substring, dice: inout SeededGenerator) -> ModelReply {
        func parameter(_ name: String) -> Int? {
            query.split(separator: "&").first { $0.hasPrefix(name + "=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
        }
        let size = min(max(1, parameter("items_per_page") ?? 20), habits.pageCap)
        let page = max(1, parameter("page_no") ?? 1)
        // Newest first; what was made on one day is in no certain order.
        var rank: [Int: Int] = [:]
        if Double.random(in: 0..<1, using: &dice) < habits.shufflesRows {
            for id in products.keys.sorted() { rank[id] = Int.random(in: 0..<1000, using: &dice) }
        }
        let rows = products.values.sorted { left, right in
            (-left.createdDay, rank[left.id] ?? 0, -left.id) < (-right.createdDay, rank[right.id] ?? 0, -right.id)
        }
        let first = (page - 1) * size
        guard first < rows.count || page == 1 else { return ModelReply(status: 204) }
        let slice = rows.dropFirst(first).prefix(size).map { ordered(rowV2($0), &dice) }
        let isA = profile == .v2a
        func key(_ snake: String, _ camel: String) -> String { isA ? snake : camel }
        return .json(
            200,
            .object(
                of: (key("page_no", "pageNo"), .integer(page)),
                (key("items_per_page", "itemsPerPage"), .integer(size)),
                (key("total_count", "totalCount"), .integer(rows.count)),
                ("offset", .integer(first)),
                ("limit", .integer(first + size)),
                (key("last_page", "lastPage"), .integer((rows.count + size - 1) / size)),
                (key("has_next", "hasNext"), .bool(first + size < rows.count)),
                (key("has_prev", "hasPrev"), .bool(page > 1)),
                ("pages", .array(Array(slice)))
            )
        )
    }

    private func rowV2(_ product: ModelProduct) -> JSONValue {
        var row = JSONValue.object(of: ("id", id(product.id)), ("vendor_id", id(product.vendor)))
        if profile == .v2b { row[member: "vendorName"] = .string("vendor \(product.vendor)") }
        row[member: "name"] = .string(product.name)
        if profile == .v2b { row[member: "description"] = .string(product.description ?? "") }
        row[member: "thumbnail"] = .string(thumbnail(of: product))
        addNumbers(of: product, to: &row)
        return row
    }

    private func detailV2(_ product: ModelProduct) -> JSONValue {
        var detail = JSONValue.object(
            of: ("id", id(product.id)),
            ("vendor_id", id(product.vendor)),
            ("name", .string(product.name)),
            ("description", .string(product.description ?? "")),
            ("thumbnail", .string(thumbnail(of: product)))
        )
        addNumbers(of: product, to: &detail)
        detail[member: "images"] = .array(
            product.pictures.map { picture in
                var image = JSONValue.object(
                    of: ("id", id(picture.id)),
                    ("url", .string(url(of: picture, product, "origin"))),
                    ("thumbnail_url", .string(url(of: picture, product, "thumb")))
                )
                if profile == .v2a { image[member: "succeed"] = .bool(true) }
                image[member: "issued_at"] = .string(date(product.createdDay))
                return image
            }
        )
        detail[member: "vendors"] = .object(
            of: ("id", id(product.vendor)),
            ("name", .string("vendor \(product.vendor)"))
        )
        return detail
    }

    private func addNumbers(of product: ModelProduct, to object: inout JSONValue) {
        object[member: "currency"] = product.currency.map { .string($0) } ?? .null
        object[member: "price"] = number(product.price)
        object[member: "bargain_price"] = number(product.price.map { $0 - (product.discounted ?? 0) })
        object[member: "discounted_price"] = number(product.discounted ?? 0)
        object[member: "stock"] = product.stock.map { .integer($0) } ?? .null
        object[member: "created_at"] = .string(date(product.createdDay))
        object[member: "issued_at"] = .string(date(product.editedDay))
    }

    private func date(_ day: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (year, month, day) = calendarDay(day)
        return "\(year)-\(two(month))-\(two(day))T00:00:00" + (profile == .v2a ? ".00" : "")
    }

    private func thumbnail(of product: ModelProduct) -> String {
        guard product.pictures.indices.contains(product.thumbnail) else { return "" }
        return url(of: product.pictures[product.thumbnail], product, "thumb")
    }

    private func url(of picture: ModelProduct.Picture, _ product: ModelProduct, _ kind: String) -> String {
        let ending = picture.fileExtension.isEmpty ? "" : ".\(picture.fileExtension)"
        let root = "\(Self.base)/media/training-resources/\(product.vendor)"
        return profile == .v2a
            ? "\(root)/\(kind)/\(picture.stem)\(ending)" : "\(root)/20221115/\(picture.stem)_\(kind)\(ending)"
    }

    /// A number as Java spells a double.
    private func number(_ value: Double?) -> JSONValue {
        guard let value else { return .null }
        guard value != 0, habits.spellsExponents || abs(value) >= 1e7 else { return .unrepresentableNumber("\(value)") }
        // The digits without zeros at the end, and where the point is in them.
        let parts = "\(abs(value))".split(separator: ".")
        var digits = parts[0] + (parts.count > 1 && parts[1] != "0" ? parts[1] : "")
        var exponent = parts[0].count - 1
        while digits.first == "0", digits.count > 1 {
            digits.removeFirst()
            exponent -= 1
        }
        while digits.last == "0", digits.count > 1 { digits.removeLast() }
        let fraction = digits.dropFirst()
        return .unrepresentableNumber(
            (value < 0 ? "-" : "") + "\(digits.prefix(1)).\(fraction.isEmpty ? "0" : fraction)E\(exponent)"
        )
    }

    // MARK: - Writing

    private mutating func createV2(_ request: ModelRequest, day: Int, dice: inout SeededGenerator) -> ModelReply {
        guard let form = WireForm(contentType: request.contentType, body: request.body), let text = form["params"]
        else {
            return bad("MissingServletRequestPartException: Required request part 'params' is not present")
        }
        guard let params = try? JSONValue.parse(Array(text.utf8)) else { return bad("JSON parse error") }
        if let refusal = refusal(of: request, secret: params["secret"]?.text) { return refusal }
        let files = form.parts.filter { $0.name == "images" }
        guard let name = params["name"]?.text, let price = params["price"]?.decimal?.double,
            let currency = params["currency"]?.text, !files.isEmpty
        else { return bad("Something is missing.") }
        let pictures = files.map { file in
            let dotted = (file.fileName ?? "").split(separator: ".")
            return stored(file.content, fileExtension: dotted.count > 1 ? String(dotted[dotted.count - 1]) : "")
        }
        let product = ModelProduct(
            id: newID(&dice),
            vendor: ourVendor,
            password: "",
            name: storedName(name),
            description: params[descriptionField]?.text.map(stored),
            price: price,
            currency: currency,
            discounted: params["discounted_price"]?.decimal?.double ?? 0,
            stock: (params["stock"]?.decimal?.double).map { Int($0) } ?? 0,
            pictures: pictures,
            createdDay: day,
            editedDay: day,
            maker: .us(fileName: files[0].fileName ?? "")
        )
        products[product.id] = product
        effects.append(.created(product))
        return .json(habits.createStatus, ordered(detailV2(product), &dice))
    }

    /// What requests call the long text; another name is dropped silently.
    private var descriptionField: String { profile == .v2a ? "descriptions" : "description" }

    private mutating func editV2(
        _ request: ModelRequest,
        _ name: Substring,
        day: Int,
        dice: inout SeededGenerator
    ) -> ModelReply {
        guard let params = try? JSONValue.parse(request.body) else { return bad("JSON parse error") }
        if let refusal = refusal(of: request, secret: params["secret"]?.text) { return refusal }
        guard var product = Int(name).flatMap({ products[$0] }) else { return notFound() }
        if let refusal = trespass(on: product, "PATCH") { return refusal }
        let before = product
        if let name = params["name"]?.text { product.name = storedName(name) }
        if let text = params[descriptionField]?.text { product.description = stored(text) }
        if let price = params["price"]?.decimal?.double { product.price = price }
        if let currency = params["currency"]?.text { product.currency = currency }
        if let off = params["discounted_price"]?.decimal?.double { product.discounted = off }
        if let stock = params["stock"]?.decimal?.double { product.stock = Int(stock) }
        if let wanted = params["thumbnail_id"]?.decimal?.double {
            product.thumbnail = product.pictures.firstIndex { Double($0.id) == wanted } ?? product.thumbnail
        }
        product.editedDay = day
        products[product.id] = product
        effects.append(.changed(before: before, after: product))
        return .json(200, ordered(detailV2(product), &dice))
    }

    private mutating func deleteKey(
        _ request: ModelRequest,
        _ name: Substring,
        dice: inout SeededGenerator
    ) -> ModelReply {
        if let refusal = refusal(of: request, secret: (try? JSONValue.parse(request.body))?["secret"]?.text) {
            return refusal
        }
        guard let product = Int(name).flatMap({ products[$0] }) else { return notFound() }
        if let refusal = trespass(on: product, "POST for a delete key") { return refusal }
        let number = String(UInt32.random(in: 0...(.max), using: &dice), radix: 16)
        let uuid = "11111111-2222-11ec-abfa-" + String(repeating: "0", count: 12 - number.count) + number
        guard profile == .v2b else {
            deleteKeys[uuid] = product.id
            return .text(habits.keyStatus, uuid)
        }
        let token = Data("\(product.id)|\(uuid)".utf8).base64EncodedString()
        deleteKeys[token] = product.id
        return .text(habits.keyStatus, "/api/products/\(token)")
    }

    private mutating func deleteV2(
        _ request: ModelRequest,
        key: String,
        named name: Substring,
        dice: inout SeededGenerator
    ) -> ModelReply {
        guard request.headers["identifier"] == Self.identifier else {
            return bad("The identifier or the secret is wrong.")
        }
        guard let id = deleteKeys[key], profile == .v2b || Int(name) == id else { return bad("The key is wrong.") }
        guard let product = products.removeValue(forKey: id) else { return notFound() }
        deleteKeys[key] = nil
        effects.append(.deleted(product))
        if habits.deleteAnswersNothing { return ModelReply(status: habits.deleteStatus) }
        return .json(habits.deleteStatus, ordered(detailV2(product), &dice))
    }

    private mutating func trespass(on product: ModelProduct, _ what: String) -> ModelReply? {
        guard product.vendor != ourVendor else { return nil }
        effects.append(.trespassed(product.id, what))
        return .json(habits.foreignStatus, .object(of: ("message", .string("This product is not yours."))))
    }
}
