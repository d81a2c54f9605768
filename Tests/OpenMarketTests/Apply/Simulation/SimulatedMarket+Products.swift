@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport

/// What products become on the simulated market.
extension SimulatedMarket {
    func insert(
        _ values: ProductValues,
        key: String?,
        pictures: [PictureIdentity],
        isOurs: Bool,
        now: Duration,
        into state: inout State
    ) -> MarketID {
        let number = state.next
        state.next += 1
        let id: MarketID =
            if capabilities.choosesIDs { .text(key ?? "p\(number)") } else if capabilities.idKind == .text {
                .text("p\(number * 7919 % 10_007)")
            } else {
                MarketID(
                    capabilities.idsRise && traits.missing != .risingIDs ? number : number * 7919 % 10_007
                )
            }
        let images = store(pictures, &state)
        let fields = description.fields
        var product = LiveProduct(
            id: id,
            vendorID: !capabilities.listShowsVendor ? nil : isOurs ? Self.ourVendor : Self.otherVendor,
            name: shown(values.name, as: .name),
            description: shown(values.description, as: .description).map {
                String($0.prefix(state.descriptionLimit))
            },
            price: values.price,
            currency: values.currency ?? capabilities.fixedCurrency,
            sale: fields.sale == nil ? nil : values.sale ?? Sale.fullPrice,
            stock: fields.stock == nil ? nil : values.stock ?? 0,
            thumbnailURL: images.first?.thumbnailURL,
            images: images,
            createdAt: fields.created == nil ? nil : "\(now)",
            issuedAt: fields.updated == nil ? nil : "\(now)"
        )
        product.key = capabilities.key == nil ? nil : traits.kept(key)
        state.rows[id] = Row(product: product, isOurs: isOurs, madeAt: now, visibleFrom: now + hiding)
        return id
    }

    /// A text as the market shows it.
    func shown(_ text: String?, as field: ProductField) -> String? {
        capabilities.normalisedFields.contains(field) ? text?.uppercased() : text
    }

    func store(_ pictures: [PictureIdentity], _ state: inout State) -> [LiveProduct.Image] {
        let shown = description.pictures?.shown
        return pictures.map { picture in
            let number = state.nextImage
            state.nextImage += 1
            let url = "https://market.example/\(number)_origin"
            if case .digest(let digest) = picture { state.digests[url] = digest }
            return LiveProduct.Image(
                id: shown?.id == nil ? nil : MarketID(number),
                url: url,
                thumbnailURL: description.fields.thumbnail == nil
                    ? nil : "https://market.example/\(number)_thumb"
            )
        }
    }

    func write(
        _ update: ProductUpdate,
        _ pictures: [PictureIdentity],
        to product: inout LiveProduct,
        _ state: inout State
    ) {
        for field in update.changed {
            switch field {
            case .name: product.name = shown(update.desired.name, as: .name)
            case .description: product.description = shown(update.desired.description, as: .description)
            case .price, .currency, .salePrice, .stock: product.values[field] = update.desired[field]
            case .images:
                let shown = product.images ?? []
                var sent = store(pictures, &state)[...]
                product.images = update.pictures.indices.compactMap { index in
                    guard let id = update.keptPictures[index] else { return sent.popFirst() }
                    return shown.first { $0.id == id }
                }
                product.thumbnailURL = product.images?.first?.thumbnailURL
            case .thumbnail:
                if let image = product.images?.first(where: { $0.id == update.thumbnailImageID }) {
                    product.thumbnailURL = image.thumbnailURL
                }
            }
        }
    }

    /// Another seller lists what we list, too: what is being listed, or was last.
    func listForeignTwin(of request: WriteRequest) {
        guard distinguishesOthers else { return }
        let asked = ([request] + requests.reversed()).lazy.compactMap { request -> ProductValues? in
            if case .create(let values, _) = request.kind { values } else { nil }
        }
        if let values = asked.first { add(values, isOurs: false) }
    }

    // MARK: - What requests may do

    /// Why no second product of a key is made.
    func duplicate(of request: WriteRequest, _ now: Duration, _ state: State) -> WriteRefusal? {
        guard let key = request.key else { return nil }
        let uniqueness = capabilities.key?.uniqueness
        guard traits.missing != .uniqueKey else { return nil }
        let holder = state.rows.values.first { row in
            guard !capabilities.choosesIDs else { return row.product.id == MarketID(text: key) }
            // Two requests at once do not see each other.
            return row.product.key == (traits.comparesFirst ? key : traits.kept(key))
                && (uniqueness == .enforced || now - row.madeAt > .milliseconds(300))
        }
        guard holder != nil, capabilities.choosesIDs || uniqueness != .unenforced else { return nil }
        return WriteRefusal(.duplicate, status: 400, message: "the key '\(key)' is taken")
    }

    /// The pictures of a change, those that stay included; `nil` where one is not known.
    func digests(
        of request: WriteRequest,
        _ id: MarketID,
        _ update: ProductUpdate,
        _ now: Duration,
        _ state: State
    ) -> [PictureIdentity]? {
        let shown = state.rows[id]?.product.images ?? []
        guard update.keptPictures.values.allSatisfy({ id in shown.contains { $0.id == id } }) else {
            return nil
        }
        let isSent = { (index: Int) in update.keptPictures[index] == nil }
        var sent = request
        if !sent.references.isEmpty {
            sent.references = update.pictures.indices.filter(isSent).map { request.references[$0] }
        }
        let new = update.pictures.indices.filter(isSent).map { update.pictures[$0] }
        return digests(of: sent, new, now, state)
    }

    /// The pictures that a request shows; `nil` where one is not known.
    func digests(
        of request: WriteRequest,
        _ pictures: [Picture],
        _ now: Duration,
        _ state: State
    ) -> [PictureIdentity]? {
        switch capabilities.pictureStyle {
        case .attach, .none: return []
        case .upload:
            let lifetime = capabilities.pictureReferenceLifetime ?? .zero
            let known = request.references.compactMap { reference in
                state.uploads[reference].flatMap {
                    now - $0.at < lifetime ? PictureIdentity.digest($0.digest) : nil
                }
            }
            return known.count == pictures.count ? known : nil
        case .url:
            return request.references.count == pictures.count ? pictures.map { .digest($0.digest) } : nil
        case .parts, .base64: return pictures.map { .digest($0.digest) }
        }
    }

    /// Does something to a product, if it is there, shows, and is ours.
    func own(
        _ id: MarketID,
        _ trespass: String?,
        _ now: Duration,
        _ state: inout State,
        _ body: (inout Row, inout State) -> WriteReply
    ) -> WriteOutcome {
        guard var row = state.rows[id], row.visibleFrom <= now else {
            return .refused(WriteRefusal(.notFound, status: 404, message: "Not Found"))
        }
        guard row.isOurs else {
            if let trespass { state.trespasses.append("\(trespass) of \(id)") }
            return capabilities.answersDeniedAsMissing
                ? .refused(WriteRefusal(.notFound, status: 404, message: "Not Found"))
                : .refused(WriteRefusal(.other, status: 403, message: "not yours"))
        }
        let reply = body(&row, &state)
        state.rows[id] = row
        return .succeeded(reply)
    }
}
