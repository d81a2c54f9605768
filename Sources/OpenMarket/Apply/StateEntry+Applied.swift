/// What the state remembers of a product after a write: the reply where it shows a field, else what was sent.
///
/// Where the market did something else than it was asked, the entry holds what it did, so that the next plan shows the
/// difference.
extension StateEntry {
    /// The product that a create made.
    ///
    /// - Parameters:
    ///   - product: The product as the market shows it.
    ///   - wanted: The product as it was sent.
    ///   - operation: The create, or the replace.
    ///   - previous: What the state knew of the product that a replace takes the place of.
    ///   - capabilities: Which fields the market shows otherwise than they were sent, and whether pictures are attached later:
    ///     then the product has what is shown, whatever was to follow.
    ///   - picturesAreCertain: `false` when the product may be that of a twin with other pictures; then the next plan
    ///     sends the pictures again.
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
        // What only moved over from the old product was not applied by us: it compares with what we last applied.
        for field in operation.replacement?.carriedOver ?? [] {
            applied[field] = previous?.applied[field]
            if applied[field] != desired[field] { shown[field] = nil }
        }
        // Until a request chooses another, the first picture is the thumbnail.
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
            isProtected: wanted.isProtected
        )
    }

    /// The product after an update: what was known, and the fields written.
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
                // Found equal when the plan was made: the state catches up.
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
            isProtected: update.isProtected
        )
    }
}

extension StateEntry {
    /// Takes over that a product has the first pictures of those that are attached to it, as far as the market shows them.
    mutating func acknowledge(_ count: Int, of wanted: [PictureIdentity]?, shownBy product: LiveProduct?) {
        guard let wanted, let shown = product?.images, shown.count == count, count <= wanted.count,
            let bound = BoundImage.bind(Array(wanted.prefix(count)), to: shown)
        else { return }
        applied.images = Array(wanted.prefix(count))
        images = bound
    }
}

extension StateEntry.BoundImage {
    /// Binds pictures sent to pictures shown, by their order; `nil` where the numbers differ or a digest is missing, or
    /// where the pictures' ids say another order than their positions: then only their bytes decide.
    static func bind(_ sent: [PictureIdentity]?, to shown: [LiveProduct.Image]?) -> [Self]? {
        guard let sent, let shown, sent.count == shown.count else { return nil }
        let ids = shown.compactMap(\.id)
        // Texts say nothing of the order in which pictures came.
        let numbers = ids.compactMap(\.number)
        guard numbers == numbers.sorted() else { return nil }
        var bound: [Self] = []
        for (identity, image) in zip(sent, shown) {
            guard case .digest(let digest) = identity else { return nil }
            bound.append(Self(digest: digest, reference: image.reference))
        }
        return bound
    }
}

extension LiveProduct {
    /// The value of a field to remember: as shown, or as sent where it is not shown or cannot be compared.
    fileprivate func applied(_ field: ProductField, sent: ProductValues) -> FieldValue? {
        guard field == .images, let images, images.count != sent.images?.count else {
            return values[field] ?? sent[field]
        }
        return .images(images.map { .unknown($0.reference) })
    }
}
