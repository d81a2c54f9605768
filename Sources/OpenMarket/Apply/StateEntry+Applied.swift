/// The state's entry of a product after a write: the reply's value of each shown field, otherwise the sent value.
///
/// If the market deviated from the request, the entry has the market's values, so that the next plan shows the
/// difference.
extension StateEntry {
    /// The entry after a create.
    ///
    /// `capabilities` states which fields the market rewrites, and whether pictures are attached later. In that case
    /// the entry has only the pictures shown.
    ///
    /// `picturesAreCertain` is false if the product may belong to an equal create with other pictures; then the next
    /// plan sends the pictures again. `previous` is the entry of the replaced product.
    init(
        created product: LiveProduct,
        as wanted: NewProduct,
        by operation: PlannedOperation,
        previous: StateEntry?,
        on capabilities: MarketCapabilities,
        picturesAreCertain: Bool = true
    ) {
        let desired = wanted.values
        var applied = desired
        var shown = ProductValues()
        for field in ProductField.allCases where desired[field] != nil {
            applied[field] = product.applied(field, sent: desired)
            guard capabilities.normalisedFields.contains(field), applied[field] != desired[field] else { continue }
            (applied[field], shown[field]) = (desired[field], applied[field])
        }
        let awaitsPictures = capabilities.pictureStyle == .attach && !wanted.pictures.isEmpty
        if awaitsPictures {
            applied.images = (product.images ?? []).map { .unknown($0.reference) }
            applied.thumbnail = nil
        } else if !picturesAreCertain, let images = product.images {
            applied.images = images.map { .unknown($0.reference) }
        }
        // Values that were only copied from the old product are compared with the last applied ones.
        for field in operation.replacement?.carriedOver ?? [] {
            applied[field] = previous?.applied[field]
            if applied[field] != desired[field] { shown[field] = nil }
        }
        // The first picture is the thumbnail until a request chooses another.
        if desired.thumbnail != nil, !awaitsPictures, let first = applied.images?.first { applied.thumbnail = first }
        self.init(
            key: operation.key,
            id: product.id,
            vendorID: product.vendorID,
            applied: applied,
            shown: shown,
            images: picturesAreCertain && !awaitsPictures ? BoundImage.bind(desired.images, to: product.images) : nil,
            thumbnailURL: product.thumbnailURL,
            issuedAt: product.issuedAt,
            secret: operation.secret,
            isProtected: wanted.isProtected,
            origin: previous?.origin
        )
    }

    /// The product after an update: the previous entry with the written fields.
    init(
        updated product: LiveProduct,
        by update: PlannedOperation.Update,
        of operation: PlannedOperation,
        previous: StateEntry?,
        normalised: Set<ProductField>
    ) {
        let desired = update.desired
        let written = update.changedFields
        var applied = previous?.applied ?? ProductValues()
        var shown = previous?.shown ?? ProductValues()
        for field in ProductField.allCases where desired[field] != nil {
            if written.contains(field) {
                applied[field] = product.applied(field, sent: desired) ?? desired[field]
                shown[field] = nil
                guard normalised.contains(field), applied[field] != desired[field] else { continue }
                (applied[field], shown[field]) = (desired[field], applied[field])
            } else if update.live[field] == desired[field], applied[field] != desired[field] {
                // They were equal at plan time, so the state adopts the value.
                applied[field] = desired[field]
                shown[field] = nil
            }
        }
        self.init(
            key: operation.key,
            id: update.id,
            vendorID: product.vendorID ?? previous?.vendorID,
            applied: applied,
            shown: shown,
            images: written.contains(.images)
                ? BoundImage.bind(desired.images, to: product.images) : previous?.images,
            thumbnailURL: product.thumbnailURL ?? previous?.thumbnailURL,
            issuedAt: product.issuedAt ?? previous?.issuedAt,
            secret: operation.secret,
            isProtected: update.isProtected,
            origin: previous?.origin
        )
    }
}

extension StateEntry {
    /// Notes the number of attached pictures, as far as the market shows them.
    mutating func acknowledge(_ count: Int, of wanted: [PictureIdentity]?, shownBy product: LiveProduct?) {
        guard let wanted, let shown = product?.images, shown.count == count, count <= wanted.count,
            let bound = BoundImage.bind(Array(wanted.prefix(count)), to: shown)
        else { return }
        applied.images = Array(wanted.prefix(count))
        images = bound
    }
}

extension StateEntry.BoundImage {
    /// Binds sent pictures to shown ones by their order.
    ///
    /// `nil` if the counts differ, a digest is missing, or the pictures' ids contradict their positions. Then only
    /// their bytes decide.
    static func bind(_ sent: [PictureIdentity]?, to shown: [LiveProduct.Image]?) -> [Self]? {
        guard let sent, let shown, sent.count == shown.count else { return nil }
        let ids = shown.compactMap(\.id)
        // Textual ids do not show the order of pictures.
        let numbers = ids.compactMap(\.number)
        guard numbers == numbers.sorted() else { return nil }
        let bound = zip(sent, shown).compactMap { identity, image in
            if case .digest(let digest) = identity { Self(digest: digest, reference: image.reference) } else { nil }
        }
        return bound.count == sent.count ? bound : nil
    }
}

extension LiveProduct {
    /// The value of a field to store: the shown one, or the sent one if it is not shown or cannot be compared.
    fileprivate func applied(_ field: ProductField, sent: ProductValues) -> FieldValue? {
        guard field == .images, let images, images.count != sent.images?.count else {
            return values[field] ?? sent[field]
        }
        return .images(images.map { .unknown($0.reference) })
    }
}
