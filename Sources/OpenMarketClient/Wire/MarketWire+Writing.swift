import OpenMarket
import OpenMarketDescription

/// The requests that write, as far as a market takes flat fields: all that the built-in markets have.
extension MarketWire {
    /// The request that a write becomes on this market.
    ///
    /// - Throws: ``MarketError``: `credentials` when a secret is missing, `refused` when a value cannot be said here.
    func request(for write: WriteRequest, credentials: Credentials) throws(MarketError) -> RequestDescription {
        let operation = write.operation
        let proofs = try proofs(for: write, credentials)
        guard let endpoint = endpoint(operation), let described = market.operations.write(operation),
            let method = RequestDescription.Method(rawValue: described.method.rawValue)
        else {
            switch write.kind {
            case .deleteKey: throw MarketError(.refused, "\(name) deletes without a key")
            default: throw MarketError(.refused, "\(name) has no request for '\(operation.rawValue)'")
            }
        }
        if case .proveOwnership = write.kind, market.identity.proof != .updateNothing {
            throw MarketError(.refused, "\(name) has no request that proves ownership without effect")
        }
        let headers = try headers(of: operation, credentials)
        guard endpoint.query.isEmpty, described.kept.isEmpty, described.sending == .changed else {
            throw unwritable(operation)
        }
        let path = try path(endpoint.path, write)
        var fields = try constants(described, write)
        var pictures: [Picture] = []
        switch write.kind {
        case .create(let values, let files):
            fields += try createFields(values)
            pictures = files
        case .update(_, let update):
            fields += try updateFields(update)
            if market.pictures?.change == .inPlace, update.changed.contains(.images) { pictures = update.pictures }
        case .deleteKey, .delete, .proveOwnership: break
        }
        return RequestDescription(
            method: method,
            path: path,
            headers: headers,
            body: try body(described.body, fields + proofs, pictures, operation)
        )
    }

    /// Whether a product is deleted with a key that is asked for first.
    var deletesWithKey: Bool { market.operations.deleteKey != nil }

    private func unwritable(_ operation: MarketDescription.Operation) -> MarketError {
        MarketError(.refused, "the request '\(operation.rawValue)' of \(name) has a form that is not written yet")
    }

    // MARK: Parts of a request

    /// The fields of a body that hold credentials, which are its last.
    private func proofs(for write: WriteRequest, _ credentials: Credentials) throws(MarketError) -> [WireField] {
        var proofs: [WireField] = []
        for case .field(let field) in market.auth {
            let secret = try secret(field, for: write, credentials)
            guard field.audience.includes(write.operation) else { continue }
            proofs.append(WireField(try name(of: field.place, write.operation), .secret(secret)))
        }
        return proofs
    }

    private func secret(
        _ field: MarketDescription.Credential.Field,
        for write: WriteRequest,
        _ credentials: Credentials
    ) throws(MarketError) -> Secret {
        if let reference = write.secret, field.perProduct != nil {
            guard let secret = credentials.itemSecrets[reference] else {
                throw MarketError(.input, "the product's own secret is not set (\(reference.words))")
            }
            return secret
        }
        let secret = field.slot == .identifier ? credentials.identifier : credentials.secret
        guard let secret else { throw MarketError(.credentials, "the market's \(field.slot.rawValue) is not set") }
        return secret
    }

    /// The path of a write.
    ///
    /// What a market answered as the key of a delete is a key or a whole path; either is taken for either, and nothing that
    /// could lead anywhere else. Without a key, for showing a request whose key is not known yet, `{key}` stands for it.
    private func path(_ template: Template, _ write: WriteRequest) throws(MarketError) -> String {
        var key = "{key}"
        if case .delete(_, let given?) = write.kind, template.names(.deleteKey) {
            guard DeleteKey.isSafe(given) else {
                throw MarketError(.unreadable, "the market's delete key is neither a key nor a path")
            }
            if given.hasPrefix("/") { return given }
            key = given
        }
        var path = ""
        for piece in template.pieces {
            switch piece {
            case .text(let text): path += text
            case .placeholder(.deleteKey): path += key
            case .placeholder(let placeholder):
                let value = placeholder == .id ? write.product?.description : parameters.value(of: placeholder)
                guard let value, !["", ".", ".."].contains(value) else {
                    throw MarketError(.refused, "the path '\(template)' of \(name) cannot be filled")
                }
                path += value.percentEncoded
            }
        }
        return path
    }

    /// The values that a body always has.
    private func constants(
        _ described: MarketDescription.Write,
        _ write: WriteRequest
    ) throws(MarketError) -> [WireField] {
        var fields: [WireField] = []
        for value in described.values {
            let name = try name(of: value.name, write.operation)
            switch value.value {
            case .text(let template) where template.placeholders == [.id] && template.pieces.count == 1:
                guard let id = write.product else { throw unwritable(write.operation) }
                fields.append(WireField(name, .id(id)))
            case .text(let template):
                fields.append(WireField(name, .text(try text(template, .verbatim, parameters.value(of:)))))
            case .number(let number): fields.append(WireField(name, .number(number)))
            case .boolean, .null: throw unwritable(write.operation)
            }
        }
        return fields
    }

    /// The name of a field at the top of a body.
    private func name(
        of place: JSONPointer,
        _ operation: MarketDescription.Operation
    ) throws(MarketError) -> String {
        guard place.tokens.count == 1, case .member(let name) = place.tokens[0] else { throw unwritable(operation) }
        return name
    }

    private func body(
        _ body: MarketDescription.Body?,
        _ fields: [WireField],
        _ pictures: [Picture],
        _ operation: MarketDescription.Operation
    ) throws(MarketError) -> RequestDescription.Body {
        guard let body else { return .none }
        guard body.inside == nil, body.type == nil else { throw unwritable(operation) }
        switch body.form {
        case .json:
            guard pictures.isEmpty else { throw unwritable(operation) }
            return .json(fields)
        case .parts:
            var parts: [RequestDescription.Part] =
                body.part.map { [.json(name: $0, fields)] } ?? fields.map { .field($0) }
            if !pictures.isEmpty {
                guard market.pictures?.style == .parts, let part = market.pictures?.part else {
                    throw unwritable(operation)
                }
                parts += pictures.map { .picture(name: part, $0) }
            }
            return .multipart(parts)
        case .form, .raw: throw unwritable(operation)
        }
    }

    // MARK: Values

    /// The fields that requests of an operation can say, in the order of the wire, with their names.
    private func written(
        _ operation: MarketDescription.Operation
    ) throws(MarketError) -> [(field: MarketDescription.Fields.Name, name: String)] {
        var written: [(MarketDescription.Fields.Name, String)] = []
        for field in market.fields.order {
            guard let place = market.fields.place(of: field), let pointer = place.writing,
                place.operations?.contains(operation) ?? true
            else { continue }
            guard place.item == nil, place.companions.isEmpty else { throw unwritable(operation) }
            written.append((field, try name(of: pointer, operation)))
        }
        return written
    }

    /// All managed values, as a new product has them.
    private func createFields(_ values: ProductValues) throws(MarketError) -> [WireField] {
        var fields: [WireField] = []
        for (field, name) in try written(.create) {
            if field == .sale {
                guard let sale = values.sale,
                    sale != .fullPrice || market.fields.sale?.omitted.contains(.create) != true
                else { continue }
                fields.append(try saleField(sale, price: values.price))
            } else if let value = try value(field, values) {
                fields.append(WireField(name, value))
            }
        }
        return fields
    }

    /// What a change has to say: the changed fields, and the sale where the wire's number moves with the price.
    private func updateFields(_ update: ProductUpdate) throws(MarketError) -> [WireField] {
        var fields: [WireField] = []
        for (field, name) in try written(.update) {
            switch field {
            case .sale: if let sale = try saleChange(update) { fields.append(sale) }
            case .thumbnail:
                guard update.changed.contains(.thumbnail), let id = update.thumbnailImageID else { continue }
                fields.append(WireField(name, .id(id)))
            default:
                guard let changed = ProductField(rawValue: field.rawValue), update.changed.contains(changed),
                    let value = try value(field, update.desired)
                else { continue }
                fields.append(WireField(name, value))
            }
        }
        // The planner saw a change that the wire does not: say the sale again rather than nothing.
        if fields.isEmpty, update.changed.contains(.salePrice), let sale = update.desired.sale {
            fields.append(try saleField(sale, price: update.priceAfter))
        }
        return fields
    }

    private func value(
        _ field: MarketDescription.Fields.Name,
        _ values: ProductValues
    ) throws(MarketError) -> WireField.Value? {
        switch field {
        case .name: return values.name.map { .text($0) }
        case .description: return values.description.map { .text($0) }
        case .price:
            return try values.price.map { (price) throws(MarketError) in try money(price, market.fields.price?.kind) }
        case .currency:
            return values.currency.map { currency in
                .text(market.fields.currency?.letterCase == .lower ? currency.rawValue.lowercased() : currency.rawValue)
            }
        case .stock: return values.stock.map { .integer($0) }
        case .thumbnail, .sale, .ownerName, .created, .updated: return nil
        }
    }

    /// The sale's number for a change; `nil` where it need not move.
    private func saleChange(_ update: ProductUpdate) throws(MarketError) -> WireField? {
        let isWritten = update.changed.contains(.salePrice)
        guard market.fields.sale?.meaning == .amountOff else {
            guard isWritten, let wanted = update.desired.sale else { return nil }
            return try saleField(wanted, price: update.priceAfter)
        }
        guard isWritten || update.changed.contains(.price) else { return nil }
        let live = update.live
        // Where the sale is not managed, buyers go on paying what they pay now.
        guard let sale = isWritten ? update.desired.sale : live.sale ?? update.desired.sale else { return nil }
        let field = try saleField(sale, price: update.priceAfter)
        if let liveSale = live.sale, let livePrice = live.price,
            field == (try? saleField(liveSale, price: livePrice))
        {
            return nil
        }
        return field
    }

    /// The sale's number for a sale at a price.
    private func saleField(_ sale: Sale, price: ExactDecimal?) throws(MarketError) -> WireField {
        guard let described = market.fields.sale, let place = described.place.writing else {
            throw MarketError(.refused, "\(name) takes no sale")
        }
        let name = try name(of: place, .update)
        switch (described.meaning, sale) {
        case (.salePrice, .price(let salePrice)): return WireField(name, try money(salePrice, described.kind))
        case (.salePrice, .fullPrice) where described.ending == .price:
            guard let price else { throw MarketError(.refused, "a sale cannot be ended without knowing the price") }
            return WireField(name, try money(price, described.kind))
        case (.amountOff, .fullPrice): return WireField(name, .number(.zero))
        case (.amountOff, .price(let salePrice)):
            guard let off = price?.subtracting(salePrice) else {
                throw MarketError(.refused, "a sale price cannot be sent without knowing the price")
            }
            return WireField(name, .number(max(off, .zero)))
        case (.salePrice, .fullPrice), (.compareAt, _), (nil, _): throw unwritable(.update)
        }
    }

    /// A price; some markets carry whole numbers only.
    private func money(
        _ value: ExactDecimal,
        _ kind: MarketDescription.MoneyKind?
    ) throws(MarketError) -> WireField.Value {
        switch kind {
        case .number?: return .number(value)
        case .whole?:
            guard value.wholeValue != nil else {
                throw MarketError(.refused, "\(name) carries whole prices only, not \(value)")
            }
            return .number(value)
        case .decimalText?, .minorUnits?, nil: throw unwritable(.update)
        }
    }
}

extension WriteRequest {
    /// The operation of a description that it is.
    var operation: MarketDescription.Operation {
        switch kind {
        case .create: .create
        case .update, .proveOwnership: .update
        case .deleteKey: .deleteKey
        case .delete: .delete
        }
    }

    /// The product that it is about; `nil` for a new one.
    fileprivate var product: MarketID? {
        switch kind {
        case .create: nil
        case .update(let id, _), .proveOwnership(let id), .deleteKey(let id), .delete(let id, _): id
        }
    }
}

extension ProductUpdate {
    /// The price once the change is made.
    fileprivate var priceAfter: ExactDecimal? {
        changed.contains(.price) ? desired.price : live.price ?? desired.price
    }
}

extension SecretReference {
    /// Where the secret was to come from.
    fileprivate var words: String {
        switch self {
        case .environment(let name): "!env \(name)"
        case .file(let path): "!file \(path)"
        case .manifest(let file, let path): "\(path) of \(file)"
        }
    }
}
