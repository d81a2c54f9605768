@testable import OpenMarket
@testable import OpenMarketClient

extension Dialect {
    /// The request that a write becomes on this profile.
    ///
    /// - Throws: ``MarketError``: `credentials` when a secret is missing, `refused` when a value cannot be said here.
    func request(for write: WriteRequest, credentials: Credentials) throws(MarketError) -> RequestDescription {
        let proof = WireField(authentication.secretField, .secret(try secret(for: write, credentials)))
        let headers = try identification(credentials)
        switch write.kind {
        case .create(let values, let pictures):
            let fields = try createFields(values) + [proof]
            return RequestDescription(
                method: .post,
                path: productPath,
                headers: headers,
                body: .multipart(parts(fields, createShape) + pictures.map { .picture(name: pictureField, $0) })
            )
        case .update(let id, let update):
            let fields = try updateFields(update) + [proof]
            let pictures = update.changed.contains(.images) ? update.pictures : []
            let body: RequestDescription.Body =
                switch updateShape {
                case .json: .json(.object(fields))
                case .form: .multipart(parts(fields, .form) + pictures.map { .picture(name: pictureField, $0) })
                }
            return RequestDescription(method: .patch, path: path(of: id), headers: headers, body: body)
        case .upload, .attach:
            throw MarketError(.refused, "\(profile) takes pictures with the product")
        case .proveOwnership(let id):
            guard case .form = updateShape else {
                throw MarketError(.refused, "\(profile) has no request that proves ownership without effect")
            }
            return RequestDescription(
                method: .patch,
                path: path(of: id),
                headers: headers,
                body: .multipart(parts([proof], .form))
            )
        case .deleteKey(let id):
            guard case .keyed(let keyRequest, _) = deletion else {
                throw MarketError(.refused, "\(profile) deletes without a key")
            }
            return RequestDescription(
                method: .post,
                path: "\(path(of: id))/\(keyRequest)",
                headers: headers,
                body: .json(.object([proof]))
            )
        case .delete(let id, let key):
            switch deletion {
            case .direct(let namesID):
                let name = namesID ? [WireField("id", .id(id))] : []
                return RequestDescription(
                    method: .delete,
                    path: path(of: id),
                    headers: headers,
                    body: .json(.object(name + [proof]))
                )
            case .keyed:
                let path = try deletePath(of: id, key: key)
                return RequestDescription(method: .delete, path: path, headers: headers, body: .none)
            }
        }
    }

    /// The header that says who asks, where there is one.
    private func identification(_ credentials: Credentials) throws(MarketError) -> [RequestDescription.Header] {
        guard case .vendor(let header, _) = authentication else { return [] }
        guard let identifier = credentials.identifier else {
            throw MarketError(.credentials, "the market's identifier is not set")
        }
        guard identifier.revealed.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !identifier.revealed.isEmpty else {
            throw MarketError(.credentials, "the market's identifier has characters that no header can carry")
        }
        return [RequestDescription.Header(name: header, value: .secret(identifier))]
    }

    private func secret(for write: WriteRequest, _ credentials: Credentials) throws(MarketError) -> Secret {
        if let reference = write.secret, case .password = authentication {
            guard let secret = credentials.itemSecrets[reference] else {
                throw MarketError(.input, "the product's own secret is not set (\(reference.words))")
            }
            return secret
        }
        guard let secret = credentials.secret else {
            throw MarketError(.credentials, "the market's secret is not set")
        }
        return secret
    }

    /// The parts of a multipart body, without pictures.
    private func parts(_ fields: [WireField], _ shape: BodyShape) -> [RequestDescription.Part] {
        switch shape {
        case .form: fields.map { .field($0) }
        case .json: [.json(name: "params", .object(fields))]
        }
    }

    /// The path that a delete key leads to.
    ///
    /// v2a answers a bare key, v2b a whole path; either is taken for either, and nothing that could lead anywhere else.
    ///
    /// Without a key, for showing a request whose key is not known yet, `{key}` stands for it.
    private func deletePath(of id: MarketID, key: String?) throws(MarketError) -> String {
        guard case .keyed(_, let keyReplacesID) = deletion else { return path(of: id) }
        if let key {
            guard DeleteKey.isSafe(key) else {
                throw MarketError(.unreadable, "the market's delete key is neither a key nor a path")
            }
            if key.hasPrefix("/") { return key }
        }
        return "\(keyReplacesID ? productPath : path(of: id))/\(key ?? "{key}")"
    }

    // MARK: Values

    /// All managed values, as a POST encodes them.
    private func createFields(_ values: ProductValues) throws(MarketError) -> [WireField] {
        var fields: [WireField] = []
        if let name = values.name { fields.append(WireField(nameField, .text(name))) }
        if let text = values.description { fields.append(WireField(descriptionField, .text(text))) }
        if let price = values.price { fields.append(try money("price", price)) }
        if let currency = values.currency { fields.append(WireField("currency", .text(currency.rawValue))) }
        let stock = values.stock.map { WireField("stock", .integer($0)) }
        var discounted: WireField?
        // No sale is what a product starts with, so the key is left out.
        if case .price(let salePrice) = values.sale {
            discounted = try discountField(.price(salePrice), price: values.price)
        }
        switch createShape {
        case .form: fields += [stock, discounted].compactMap(\.self)
        case .json: fields += [discounted, stock].compactMap(\.self)
        }
        return fields
    }

    /// What a PATCH has to say: the changed fields, and the discount where the wire's number moves with the price.
    private func updateFields(_ update: ProductUpdate) throws(MarketError) -> [WireField] {
        let changed = update.changed
        let desired = update.desired
        var fields: [WireField] = []
        if changed.contains(.name), let name = desired.name { fields.append(WireField(nameField, .text(name))) }
        if changed.contains(.description), let text = desired.description {
            fields.append(WireField(descriptionField, .text(text)))
        }
        if case .json = updateShape, changed.contains(.thumbnail), let id = update.thumbnailImageID {
            fields.append(WireField("thumbnail_id", .id(id)))
        }
        if changed.contains(.price), let price = desired.price { fields.append(try money("price", price)) }
        if changed.contains(.currency), let currency = desired.currency {
            fields.append(WireField("currency", .text(currency.rawValue)))
        }
        let stock = changed.contains(.stock) ? desired.stock.map { WireField("stock", .integer($0)) } : nil
        let discounted = try discountChange(update)
        switch updateShape {
        case .form: fields += [stock, discounted].compactMap(\.self)
        case .json: fields += [discounted, stock].compactMap(\.self)
        }
        // The planner saw a change that the wire does not: say the sale again rather than nothing.
        if fields.isEmpty, changed.contains(.salePrice), let sale = desired.sale {
            fields.append(try discountField(sale, price: update.priceAfter))
        }
        return fields
    }

    /// `discounted_price` for a PATCH; `nil` where it need not move.
    private func discountChange(_ update: ProductUpdate) throws(MarketError) -> WireField? {
        let isWritten = update.changed.contains(.salePrice)
        let live = update.live
        switch discount {
        case .salePrice:
            guard isWritten, let wanted = update.desired.sale else { return nil }
            return try discountField(wanted, price: update.priceAfter)
        case .amountOff:
            guard isWritten || update.changed.contains(.price) else { return nil }
            // Where the sale is not managed, buyers go on paying what they pay now.
            guard let sale = isWritten ? update.desired.sale : live.sale ?? update.desired.sale else { return nil }
            let field = try discountField(sale, price: update.priceAfter)
            if let liveSale = live.sale, let livePrice = live.price,
                field == (try? discountField(liveSale, price: livePrice))
            {
                return nil
            }
            return field
        }
    }

    /// `discounted_price` for a sale at a price.
    private func discountField(_ sale: Sale, price: ExactDecimal?) throws(MarketError) -> WireField {
        let name = "discounted_price"
        switch (discount, sale) {
        case (.salePrice, .price(let salePrice)): return try money(name, salePrice)
        case (.salePrice, .fullPrice):
            guard let price else { throw MarketError(.refused, "a sale cannot be ended without knowing the price") }
            return try money(name, price)
        case (.amountOff, .fullPrice): return WireField(name, .number(.zero))
        case (.amountOff, .price(let salePrice)):
            guard let off = price?.subtracting(salePrice) else {
                throw MarketError(.refused, "a sale price cannot be sent without knowing the price")
            }
            return WireField(name, .number(max(off, .zero)))
        }
    }

    /// A price; v1 carries whole numbers only.
    private func money(_ name: String, _ value: ExactDecimal) throws(MarketError) -> WireField {
        if profile.limits.wholePrices, value.wholeValue == nil {
            throw MarketError(.refused, "\(profile) carries whole prices only, not \(value)")
        }
        return WireField(name, .number(value))
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
