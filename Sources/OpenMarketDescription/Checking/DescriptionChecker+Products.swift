import OpenMarket
import YAML

/// Contradictions in the description of a product.
extension DescriptionChecker {
    mutating func checkIdentity() {
        let identity = market.identity
        if identity.id.kind == .text, identity.id.order == .rising {
            report("identity.id.order", "texts do not rise with age", help: "leave 'order' out")
        }
        if identity.id.place == .whole { report("identity.id.at", "a row is not its own id", help: "write 'at: /id'") }
        checkChosenID()
        if let key = identity.key { checkKey(key) }
        switch identity.proof {
        case .deleteKey? where market.operations.deleteKey == nil:
            report("identity.proof", "'delete_key' is not described")
        case .changeOfNothing? where market.operations.update == nil:
            report("identity.proof", "'update' is not described")
        case .changeOfNothing? where market.operations.update?.saysMoreThanChanges == true:
            report(
                "identity.proof",
                "an empty change is impossible: 'operations.update' always sends more ('send', 'keep' or 'with')"
            )
        case .deleteKey?, .changeOfNothing?, nil: break
        }
    }

    /// Checks that a client can create a product under its own id without replacing another product.
    private mutating func checkChosenID() {
        guard market.identity.id.chosenBy == .us, let create = market.operations.create else { return }
        if !create.path.names(.id), !create.query.contains(where: { $0.value.contains { $0.names(.id) } }),
            !create.values.contains(where: { $0.value.placeholders.contains(.id) })
        {
            report("identity.id.chosen_by", "'create' does not send the chosen id")
        }
        if create.method == .put, market.operations.detail == nil {
            report(
                "operations.create.method",
                "a PUT would replace a product with the same id, and no 'detail' shows whether one exists",
                help: "describe 'operations.detail'"
            )
        }
    }

    private mutating func checkKey(_ key: MarketDescription.Identity.Key) {
        if key.place == .whole { report("identity.key.at", "a row is not its own key", help: "write 'at: /sku'") }
        for operation in key.operations where operation != .create {
            if operation != .update {
                report(
                    "identity.key.for",
                    "'\(operation.rawValue)' does not send the key",
                    help: "write 'for: [create, update]'"
                )
            } else if market.operations.update == nil {
                report("identity.key.for", "'update' is not described")
            }
        }
        if !key.operations.contains(.create) {
            report(
                "identity.key.for",
                "a product that is created without its key is not found by it",
                help: "write 'for: [create, update]'"
            )
        }
        if let find = key.find {
            let templates = (find.path.map { [$0] } ?? []) + find.query.flatMap(\.value)
            if !templates.contains(where: { $0.names(.key) }) {
                report(
                    "identity.key.find",
                    "this does not name '{key}'",
                    help: "a query names it: 'query: {sku: \"{key}\"}'"
                )
            }
        }
    }

    mutating func checkFields() {
        let fields = market.fields
        checkPlaces(fields)
        checkLanguages(fields)
        if let sale = fields.sale { checkSale(sale, beside: fields.price) }
        checkCurrency(fields)
        if !market.list.omits.isEmpty, market.operations.detail == nil {
            report(
                "list.omits",
                "rows omit fields, and 'operations.detail' is missing",
                help: "describe 'operations.detail'"
            )
        }
    }

    /// Checks that each field has a position for reading and writing as described.
    private mutating func checkPlaces(_ fields: MarketDescription.Fields) {
        for name in fields.order {
            let path = "fields.\(name.rawValue)"
            guard let place = fields.place(of: name) else { continue }
            if place.both.count > 1, place.write == nil, name != .ownerName, name != .created, name != .updated,
                canWrite
            {
                report(
                    path,
                    "the place for writes is missing, and 'at' lists several",
                    help: "write 'read: […]' and 'write: …'"
                )
            }
            for (pointers, key) in [(place.both, "at"), (place.read, "read")]
            where pointers.contains(.whole) && place.item == nil {
                report("\(path).\(key)", "a row is not one of its fields", help: "write '/' and the member's name")
            }
            if place.operations?.contains(where: \.isRead) == true {
                report("\(path).for", "a read does not send fields")
            }
            if let item = place.item { checkItem(item, at: "\(path).item") }
            if place.echo == .html, name != .name, name != .description {
                report("\(path).echo", "only 'name' and 'description' are HTML")
            }
        }
    }

    private mutating func checkLanguages(_ fields: MarketDescription.Fields) {
        for (name, field) in [
            ("name", fields.name), ("description", fields.description), ("owner_name", fields.ownerName),
        ] {
            guard let field else { continue }
            if field.kind == .languageMap, field.language == nil {
                report(
                    "fields.\(name)",
                    "a map of languages needs 'language'",
                    help: "declare a parameter: 'language: \"{language}\"'"
                )
            } else if field.kind == .text, field.language != nil {
                report(
                    "fields.\(name).language",
                    "a text is not in several languages",
                    help: "write 'as: language_map'"
                )
            }
        }
    }

    private mutating func checkSale(
        _ sale: MarketDescription.SaleField,
        beside price: MarketDescription.MoneyField?
    ) {
        if price == nil {
            let word = sale.meaning?.rawValue ?? "a sale"
            report("fields.sale", "'\(word)' needs 'price'", help: "describe 'price'")
        }
        if sale.meaning == nil, sale.shown.isEmpty || sale.place.writing != nil {
            report("fields.sale", "the meaning of the number is missing", help: "write 'means: sale_price'")
        }
        // If one position is the former price, the price is the current one, for every other position and for writing.
        if let index = sale.shown.firstIndex(where: { $0.meaning == .compareAt }), sale.meaning != .compareAt {
            report(
                "fields.sale.read[\(index)].means",
                "'compare_at' means that 'price' is the current price, in reads and writes",
                help: "write 'means: compare_at' next to 'read'"
            )
        } else if sale.meaning == .compareAt,
            let index = sale.shown.firstIndex(where: { $0.meaning != .compareAt })
        {
            report(
                "fields.sale.read[\(index)].means",
                "with 'means: compare_at' the price is the current one, so it cannot be reduced",
                help: "all places of a sale mean 'compare_at', or none does"
            )
        }
        if sale.ending == .price, sale.meaning != .salePrice {
            report("fields.sale.none", "'none: price' needs 'means: sale_price'")
        }
        for operation in sale.omitted where operation.isRead {
            report("fields.sale.omit_none", "a read does not send fields")
        }
    }

    private mutating func checkCurrency(_ fields: MarketDescription.Fields) {
        let minor = [fields.price?.kind, fields.sale?.kind].contains(.minorUnits)
        if minor, fields.currency == nil {
            report("fields", "smallest units need the currency, which sets their number", help: "describe 'currency'")
        }
        if let fixed = fields.currency?.fixed, fixed.placeholders.isEmpty, !TextForm.currency.takes(fixed.description) {
            report(
                "fields.currency.fixed",
                "'\(fixed)' is not a currency code",
                help: "write a code such as KRW, or a parameter"
            )
        }
        for case .parameter(let name) in fields.currency?.fixed?.placeholders ?? [] {
            guard let parameter = market.parameter(name), parameter.kind != .code else { continue }
            report(
                "fields.currency.fixed",
                "'{\(name)}' is not a currency code",
                help: "write 'as: code' in the parameter"
            )
        }
        for (index, code) in (fields.currency?.codes ?? []).enumerated() where !Currency(rawValue: code).isStandard {
            report("fields.currency.one_of[\(index)]", "'\(code)' is not a currency of ISO 4217")
        }
    }

    /// Checks that writing into an element cannot change the value that identifies it.
    private mutating func checkItem(_ item: MarketDescription.Place.Item, at path: String) {
        if item.inside == .whole {
            report("\(path).value", "an element is not one of its values", help: "write 'value: /price'")
        } else if item.place == .whole {
            report("\(path).where", "an element cannot distinguish itself", help: "write 'where: /currency'")
        } else if item.place.overlaps(item.inside) {
            report("\(path).value", "the value overlaps the member that distinguishes the element ('\(item.place)')")
        }
        guard item.inside != .whole, item.place != .whole else { return }
        for value in item.values {
            let isSame = value.name == item.place && value.value == item.value
            guard let taken = [item.place, item.inside].first(where: { $0.overlaps(value.name) }), !isSame else {
                continue
            }
            report(
                "\(path).with",
                "'\(value.name)' overwrites '\(taken)', the place of 'where' or 'value'",
                help: "'with' lists other values of a new element"
            )
        }
    }

    mutating func checkPictures() {
        guard let pictures = market.pictures else { return }
        checkStyle(of: pictures)
        if let attach = pictures.attach { checkAttach(attach, of: pictures) }
        for (key, request) in [("upload", pictures.upload), ("attach", pictures.attach)]
        where request?.body == .parts && request?.part == nil {
            report("pictures.\(key)", "parts need a name", help: "write 'part: file'")
        }
        let needsPlace = [.base64, .url, .upload].contains(pictures.style)
        if needsPlace, pictures.written == nil {
            report("pictures", "the place for writing pictures is missing", help: "describe 'write'")
        }
        if [.parts, .attach].contains(pictures.style), ![nil, .never].contains(pictures.clearing) {
            report(
                "pictures.clear",
                "these pictures are outside the product, so a change of it cannot remove them",
                help: "write 'clear: never'"
            )
        }
        if pictures.written?.kept != nil, pictures.shown?.id == nil {
            report(
                "pictures.write.kept",
                "the id of a kept picture is not shown",
                help: "describe 'pictures.read' with its 'id'"
            )
        }
        if pictures.style != .none, pictures.change == nil {
            report(
                "pictures",
                "the effect of a change of pictures is missing",
                help: "write 'change: in_place' or 'change: replace'"
            )
        }
        if let shown = pictures.shown, shown.isSingle, shown.id != nil, shown.url == nil {
            report("pictures.read", "one picture with an id needs the place of its address", help: "write 'url: …'")
        }
    }

    /// Checks that the requirements of a style are described, and not those of another style.
    private mutating func checkStyle(of pictures: MarketDescription.Pictures) {
        let own: [(MarketDescription.Pictures.Style, key: String, isSaid: Bool, missing: String, help: String)] = [
            (.parts, "part", pictures.part != nil, "the name of the parts", "write 'part: images'"),
            (.upload, "upload", pictures.upload != nil, "the request that takes the bytes", "describe 'upload'"),
            (.attach, "attach", pictures.attach != nil, "the request that adds a picture", "describe 'attach'"),
        ]
        for (style, key, isSaid, missing, help) in own where (pictures.style == style) != isSaid {
            if isSaid {
                report("pictures.\(key)", "only the style '\(style.rawValue)' has one")
            } else {
                report("pictures", "\(missing) is missing", help: help)
            }
        }
    }

    private mutating func checkAttach(
        _ attach: MarketDescription.Pictures.Upload,
        of pictures: MarketDescription.Pictures
    ) {
        if !attach.path.names(.id) {
            report("pictures.attach.path", "this does not name the product", help: "the path names '{id}'")
        }
        let holdsOne = pictures.shown?.isSingle == true || market.limits.images?.count?.upperBound ?? 2 < 2
        if pictures.change == .inPlace, !holdsOne {
            report("pictures.change", "no request removes an added picture", help: "write 'change: replace'")
        }
    }

    private var canWrite: Bool { market.operations.create != nil || market.operations.update != nil }
}

extension MarketDescription.Write {
    /// Whether a change sends more than the changed fields.
    ///
    /// If not, a change without fields has no effect. If so, it is still a change.
    fileprivate var saysMoreThanChanges: Bool { sending != .changed || !kept.isEmpty || !values.isEmpty }
}
