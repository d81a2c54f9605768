@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketClient

/// The bytes between the tool and a drawn market: the tool's encoder and reader at one end, and a market at the other that
/// reads and writes them by code of its own.
struct WireModel: Sendable {
    /// A request on its way.
    struct Sent: Sendable {
        var request: WriteRequest
        /// The values that its body says, as they were read from its bytes.
        var body: JSONValue?
        /// The product as it was when the request was made.
        var shown: JSONValue?
        /// What its address and its headers do that they are not to do.
        var faults: [String] = []
    }

    let drawn: DrawnDescription
    let wire: MarketWire
    /// Whether nothing is sent back, for a test of the judge.
    private let sendsNothingBack: Bool

    var form: DrawnWire { drawn.form }

    init(_ drawn: DrawnDescription, _ profile: MarketProfile, sendsNothingBack: Bool = false) {
        self.drawn = drawn
        self.sendsNothingBack = sendsNothingBack
        wire = MarketWire(profile)
    }

    // MARK: The tool's end

    /// A product as the tool reads it by itself.
    func read(_ product: LiveProduct, version: Int) throws -> LiveProduct {
        let document = document(of: product, version: version)
        let bytes = (form.isWrapped ? JSONValue.object([.init("data", document)]) : document).bytes()
        guard let found = try wire.details.read(bytes.span)?.product else { throw SentBody.Fault("no product is read") }
        return found
    }

    /// Whether a request cannot be made without reading its product.
    func sendsBack(_ request: WriteRequest) -> Bool { wire.productSentBack(by: request) != nil }

    /// What a request says, by its bytes; the product, with its version, is `nil` if there is none.
    func sent(_ request: WriteRequest, _ product: LiveProduct?, version: Int) throws -> Sent {
        switch request.kind {
        case .create, .update: break
        case .upload, .attach, .deleteKey, .delete, .proveOwnership:
            let made = try wire.request(for: request, credentials: Credentials())
            return Sent(request: request, faults: addressFaults(of: request, made))
        }
        let shown = product.map { self.document(of: $0, version: version) }
        var made = request
        var document: JSONValue?
        if wire.productSentBack(by: request) != nil, let product, !sendsNothingBack {
            document = shown
            made.kind = made.kind.following(
                try read(product, version: version).values,
                but: wire.market.normalisedFields
            )
        }
        var described = try wire.request(for: made, credentials: Credentials(), sendingBack: document)
        let faults = addressFaults(of: request, described)
        described.body = described.body.withoutFiles
        let body = try described.transportBody(boundaries: BoundarySource { "openmarket-boundary" })
        let tree = try SentBody(try body.bytes(), type: body.contentType ?? "").tree
        guard form.isWrapped else { return Sent(request: request, body: tree, shown: shown, faults: faults) }
        guard let inside = tree["data"], tree.members?.count == 1 else { throw SentBody.Fault("values beside /data") }
        return Sent(request: request, body: inside, shown: shown, faults: faults)
    }

    // MARK: The market's end

    func member(_ field: ProductField) -> String {
        switch field {
        case .name: "name"
        case .description: "text"
        case .salePrice: "sale"
        default: field.rawValue
        }
    }

    /// What others wrote beside our texts, and their element beside ours.
    private static let others = JSONValue.string("autre")
    private static let otherShelf = JSONValue.object([
        .init("shelf", .string("s-2")), .init("price", .number(7)), .init("stock", .number(1)),
    ])

    /// A product as the market holds it.
    func document(of product: LiveProduct, version: Int) -> JSONValue {
        var tree = JSONValue.object([])
        switch product.id {
        case .number(let number): tree.set(.number(ExactDecimal(number)), at: ["id"])
        case .text(let text): tree.set(.string(text), at: ["id"])
        }
        if let vendor = product.vendorID { tree.set(.number(ExactDecimal(vendor)), at: ["seller"]) }
        if drawn.uniqueness != nil { tree.set(product.key.map { .string($0) } ?? .null, at: ["sku"]) }
        for (field, text) in [(ProductField.name, product.name), (.description, product.description)]
        where field == .name || drawn.fields.contains(field) {
            let isUnset = field == .description && form.unsetsDescription && text == ""
            let value = isUnset ? .null : text.map { JSONValue.string($0) } ?? .null
            if form.maps.contains(field) {
                tree.set(.object([.init("fr", Self.others), .init("ko", value)]), at: [member(field)])
            } else {
                tree.set(value, at: [member(field)])
            }
        }
        var own = JSONValue.object([.init("shelf", .string("s-1")), .init("own", .bool(true))])
        let shown = prices(of: product)
        for (field, value) in [
            (ProductField.price, shown.price), (.salePrice, shown.sale),
            (.stock, product.stock.map { .number(ExactDecimal($0)) } ?? .null),
        ] where field == .price || drawn.fields.contains(field) {
            if form.shelved.contains(field) {
                own.set(value, at: [member(field)])
            } else {
                tree.set(value, at: [member(field)])
            }
        }
        if !form.shelved.isEmpty { tree.set(.array([Self.otherShelf, own]), at: ["shelves"]) }
        if drawn.fields.contains(.currency) {
            tree.set(product.currency.map { .string($0.rawValue) } ?? .null, at: ["currency"])
        }
        if form.countsStock, drawn.fields.contains(.stock), !form.shelved.contains(.stock) {
            tree.set(.bool(true), at: ["counted"])
        }
        if form.hasVersions { tree.set(.number(ExactDecimal(Int64(version))), at: ["version"]) }
        tree.set(.string("kept"), at: ["note"])
        let pictures = (product.images ?? []).map { image -> JSONValue in
            let id: JSONValue = if case .number(let number)? = image.id { .number(ExactDecimal(number)) } else { .null }
            return .object([.init("id", id), .init("url", .string(image.url))])
        }
        tree.set(drawn.holdsOnePicture ? pictures.first ?? .null : .array(pictures), at: ["pictures"])
        return tree
    }

    /// The product that a body makes, or makes of another one.
    func carriedOut(_ body: JSONValue, on document: JSONValue?) -> JSONValue {
        guard let document, form.sending == .changed else { return body }
        return document.merged(with: body, replacing: form.maps.map { [member($0)] })
    }

    /// The values of a tree.
    func values(of tree: JSONValue, currency other: Currency?) -> ProductValues {
        var values = ProductValues()
        for field in [ProductField.name, .description] where field == .name || drawn.fields.contains(field) {
            values[field] =
                tree.value(at: [member(field)] + (form.maps.contains(field) ? ["ko"] : []))?.text.map { .text($0) }
        }
        if drawn.fields.contains(.currency) { values.currency = tree["currency"]?.text.map { Currency(rawValue: $0) } }
        let currency = drawn.fields.contains(.currency) ? values.currency ?? other : form.currency
        let shelf = tree["shelves"]?.elements?.first { $0["shelf"]?.text == "s-1" }
        func place(_ field: ProductField) -> JSONValue? {
            form.shelved.contains(field) ? shelf?[member(field)] : tree[member(field)]
        }
        if drawn.fields.contains(.stock) { values.stock = place(.stock).flatMap(Self.number)?.wholeValue }
        values.price = amount(place(.price), form.price, currency)
        guard drawn.fields.contains(.salePrice) else { return values }
        let sale = amount(tree["sale"], form.sale, currency)
        switch drawn.saleMeaning {
        case "amount_off":
            values.sale = sale.flatMap { off in
                off == .zero ? nil : values.price?.subtracting(off).map { .price($0) }
            }
        case "compare_at":
            if let sale {
                values.sale = values.price.map { .price($0) }
                values.price = sale
            }
        default: values.sale = sale.flatMap { $0 == values.price && drawn.saleEnding == "price" ? nil : .price($0) }
        }
        values.sale = values.sale ?? .fullPrice
        return values
    }

    /// The key that a tree holds.
    func key(of tree: JSONValue) -> String? { tree["sku"]?.text }

    /// The version that a tree names.
    func version(of tree: JSONValue) -> Int? { tree["version"]?.integer.map { Int($0) } }

    var hasVersions: Bool { form.hasVersions }

    /// The ids of the pictures that a product keeps after a change that is not about them; `nil` where it keeps all.
    func keptPictures(in tree: JSONValue) -> [MarketID]? {
        guard form.sending != .changed, [.base64, .url, .upload].contains(drawn.style) else { return nil }
        return elements(in: tree).compactMap { Self.id(of: $0) }
    }

    private func elements(in tree: JSONValue) -> [JSONValue] {
        guard let place = tree["pictures"], !place.isNull else { return [] }
        return place.elements ?? [place]
    }

    /// The id of a picture's element; in a form it is a text.
    private static func id(of element: JSONValue) -> MarketID? {
        element["id"].flatMap(number)?.wholeValue.map { MarketID($0) }
    }

    /// Whether a field stays: as it is shown, or as what the market makes that of.
    private func isSame(_ field: ProductField, shown: FieldValue?, sent: FieldValue?) -> Bool {
        guard wire.market.normalisedFields.contains(field), case .text(let shown)? = shown, case .text(let sent)? = sent
        else { return shown == sent }
        return shown == sent.uppercased()
    }

    /// What a request does that it is not to do.
    func faults(of sent: Sent) -> [String] {
        var faults = sent.faults
        guard let body = sent.body else { return faults }
        let writesPlaces = [DrawnDescription.Style.base64, .url, .upload].contains(drawn.style)
        switch sent.request.kind {
        case .create(_, let pictures):
            if form.hasConstants, body["kind"]?.text != "lamp" { faults.append("a create without its constant") }
            if form.countsStock, drawn.fields.contains(.stock), !form.shelved.contains(.stock),
                body["counted"] != .bool(true)
            {
                faults.append("a stock without its companion")
            }
            if writesPlaces, elements(in: body).count != pictures.count { faults.append("pictures are missing") }
        case .update(let id, let update):
            guard let before = sent.shown else { return faults }
            let after = carriedOut(body, on: before)
            let own = (values(of: before, currency: nil), values(of: after, currency: nil))
            for field in ProductField.allCases
            where !update.changed.contains(field) && !isSame(field, shown: own.0[field], sent: own.1[field]) {
                faults.append(
                    "a change of \(update.changed.map(\.rawValue).sorted()) of \(id) changed \(field.rawValue) from "
                        + "\(String(describing: own.0[field])) to \(String(describing: own.1[field]))"
                )
            }
            if !update.changesKey, key(of: before)?.uppercased() != key(of: after)?.uppercased() {
                faults.append("a change took the key of \(id) away")
            }
            for field in form.maps where after.value(at: [member(field), "fr"]) != Self.others {
                faults.append("another language of \(field.rawValue) is gone from \(id)")
            }
            if !form.shelved.isEmpty, after["shelves"]?.elements?.contains(Self.otherShelf) != true {
                faults.append("another shelf is gone from \(id)")
            }
            if form.sending == .merged, after["note"]?.text != "kept" { faults.append("a note is gone from \(id)") }
            guard writesPlaces else { break }
            let shown = elements(in: before).map(Self.id)
            let said = elements(in: after)
            if !update.changed.contains(.images) {
                if said.map(Self.id) != shown { faults.append("a change took pictures of \(id) away") }
            } else if drawn.changesPicturesInPlace {
                let kept = said.enumerated().compactMap { index, element in
                    Self.id(of: element).map { (index, $0) }
                }
                if said.count != update.pictures.count
                    || Dictionary(kept, uniquingKeysWith: { first, _ in first }) != update.keptPictures
                {
                    faults.append("a change says other pictures of \(id)")
                }
            }
        case .upload, .attach, .deleteKey, .delete, .proveOwnership: break
        }
        return faults
    }

    // MARK: Money

    private func prices(of product: LiveProduct) -> (price: JSONValue, sale: JSONValue) {
        let currency = drawn.fields.contains(.currency) ? product.currency : form.currency
        func spelled(_ amount: ExactDecimal?, _ kind: String) -> JSONValue {
            guard let amount else { return .null }
            switch kind {
            case "decimal_text": return .string(amount.description)
            case "minor_units":
                let digits = (currency?.fractionDigits ?? 0) - Int(amount.scale)
                let units = (0..<max(0, digits)).reduce(amount.significand) { units, _ in units * 10 }
                return .number(ExactDecimal(units))
            default: return .number(amount)
            }
        }
        let paid = product.sale?.salePrice
        let none: JSONValue =
            switch drawn.saleEnding {
            case "price": spelled(product.price, form.sale)
            case "0": spelled(.zero, form.sale)
            default: form.isTree ? .null : .string("")
            }
        switch drawn.saleMeaning {
        case "amount_off":
            let off = paid.flatMap { product.price?.subtracting($0) }
            return (spelled(product.price, form.price), off.map { spelled($0, form.sale) } ?? none)
        case "compare_at":
            guard let paid, paid != product.price else { return (spelled(product.price, form.price), none) }
            return (spelled(paid, form.price), spelled(product.price, form.sale))
        default: return (spelled(product.price, form.price), paid.map { spelled($0, form.sale) } ?? none)
        }
    }

    /// A number, or a text that is one.
    private static func number(_ value: JSONValue) -> ExactDecimal? {
        value.decimal ?? value.text.flatMap { ExactDecimal($0) }
    }

    private func amount(_ value: JSONValue?, _ kind: String, _ currency: Currency?) -> ExactDecimal? {
        guard let number = value.flatMap(Self.number) else { return nil }
        guard kind == "minor_units" else { return number }
        return number.wholeValue.flatMap { ExactDecimal(significand: $0, scale: currency?.fractionDigits ?? 0) }
    }
}

extension RequestDescription.Body {
    /// The same without the files of pictures, which no simulation has.
    fileprivate var withoutFiles: RequestDescription.Body {
        switch self {
        case .json(let value, let type): .json(value.withoutFiles, type: type)
        case .form(let fields): .form(fields.map { WireField($0.name, $0.value.withoutFiles) })
        case .multipart(let parts):
            .multipart(
                parts.compactMap { part in
                    switch part {
                    case .field(let field): .field(WireField(field.name, field.value.withoutFiles))
                    case .json(let name, let value): .json(name: name, value.withoutFiles)
                    case .picture: nil
                    }
                }
            )
        case .none, .picture: self
        }
    }
}

extension WireField.Value {
    fileprivate var withoutFiles: WireField.Value {
        switch self {
        case .picture(let picture): .text(picture.path)
        case .object(let fields): .object(fields.map { WireField($0.name, $0.value.withoutFiles) })
        case .array(let values): .array(values.map(\.withoutFiles))
        default: self
        }
    }
}
