/// The three-way comparison of one product: last applied, live, manifest.
///
/// | base | live | manifest | result |
/// | --- | --- | --- | --- |
/// | a | a | b | change |
/// | a | b | a | drift |
/// | a | b | c | conflict |
/// | a | b | b | nothing to write; the state catches up |
/// | – | b | c | change |
/// | a | null | a | drift |
struct FieldComparison {
    /// The fields to write.
    private(set) var changes: [FieldChange] = []

    /// What the state should hold when nothing is written: the base, caught up where market and manifest agree.
    private(set) var settled: ProductValues

    /// All managed values, a sale that has to end included.
    private(set) var desired: ProductValues

    /// Whether the live pictures, where they are shown, are those of `settled`.
    private(set) var picturesAgree = false

    /// Compares all managed fields.
    ///
    /// - Parameters:
    ///   - listing: what the manifest wants.
    ///   - base: what was last applied; empty for a product that is being adopted.
    ///   - live: what the market shows. A field that it does not show is taken to be as last applied.
    ///   - lacked: the fields in which the market shows nothing where a value is wanted: see `LiveProduct.lackedFields(of:)`.
    ///   - capabilities: how far pictures can be compared.
    init(
        listing: Listing,
        base: ProductValues,
        live: ProductValues,
        lacked: ProductFieldSet = [],
        capabilities: MarketCapabilities
    ) {
        settled = base
        desired = listing.values
        // The manifest no longer speaks of a sale that we made: it is over.
        if desired.sale == nil {
            if case .price = base.sale { desired.sale = Sale.fullPrice }
        } else {
            let shown = live.price ?? base.price
            // A price that is not managed stays as it is, and a sale is one only below it.
            let price = listing.ignoreChanges.contains(.price) ? shown ?? desired.price : desired.price ?? shown
            desired.sale = desired.sale?.normalized(price: price)
        }
        // The common case, without boxing eight fields.
        if desired == base, live.agrees(with: base), live.name == nil || base.name != nil,
            lacked.isEmpty || !lacked.overlaps(desired.fields)
        {
            picturesAgree = live.images != nil && base.images != nil
            return
        }

        for field in ProductField.allCases {
            // What the manifest stopped managing is no longer ours to compare with later.
            guard let wanted = desired[field] else {
                settled[field] = nil
                continue
            }
            // Where the thumbnail cannot be chosen, what the market shows is not compared.
            if field == .thumbnail, !capabilities.thumbnailIsChosen {
                settled[field] = wanted
                continue
            }
            if listing.ignoreChanges.contains(field) { continue }
            let last = base[field]
            if live[field] == nil, lacked.contains(field) {
                let kind: FieldChange.Kind =
                    if last == nil { .change } else if wanted == last { .drift } else { .conflict }
                changes.append(FieldChange(field: field, kind: kind, base: last, live: nil, manifest: wanted))
                continue
            }
            guard let shown = live[field] ?? last else {
                changes.append(FieldChange(field: field, kind: .change, base: nil, live: nil, manifest: wanted))
                continue
            }
            if Self.equal(wanted, shown, base: last, capabilities: capabilities) {
                settled[field] = wanted
                if field == .images { picturesAgree = live.images != nil }
                continue
            }
            let kind: FieldChange.Kind =
                if last == nil || shown == last { .change } else if wanted == last { .drift } else { .conflict }
            changes.append(FieldChange(field: field, kind: kind, base: last, live: shown, manifest: wanted))
        }
    }

    /// Whether the market already shows what is wanted.
    private static func equal(
        _ wanted: FieldValue,
        _ shown: FieldValue,
        base: FieldValue?,
        capabilities: MarketCapabilities
    ) -> Bool {
        if wanted == shown { return true }
        // Where pictures cannot be put in another order, the market's order is not a change unless the manifest's is one.
        if !capabilities.picturesChangeInPlace, case .images(let want) = wanted, case .images(let have) = shown,
            want.isReordering(of: have)
        {
            guard case .images(let last)? = base else { return true }
            return last == want || !last.isReordering(of: want)
        }
        // Where the market changes the bytes, the number of pictures is all that can be compared before the
        // first apply.
        if base == nil, !capabilities.keepsPictureBytes, case .images(let want) = wanted, case .images(let have) = shown
        {
            return want.count == have.count && have.allSatisfy { if case .unknown = $0 { true } else { false } }
        }
        return false
    }
}

extension LiveProduct {
    /// The product's values as a comparison needs them, its pictures identified where that is possible.
    ///
    /// - Parameters:
    ///   - entry: what the state knows of the product: which of the market's pictures are bytes that we sent.
    ///   - digests: pictures fetched and hashed, by URL.
    ///   - capabilities: whether fetched pictures could show anything.
    /// - Returns: `nil` where the market does not show the field.
    package func values(
        entry: StateEntry?,
        digests: [ExactText: ContentDigest],
        capabilities: MarketCapabilities
    ) -> ProductValues {
        func identity(of image: Image) -> PictureIdentity {
            if let bound = entry?.images?.first(where: { $0.reference.isExactly(image.reference) }) {
                return .digest(bound.digest)
            }
            return digests[image.url].map(PictureIdentity.digest) ?? .unknown(image.reference)
        }
        var identities = images?.map(identity)
        // Sent, but the reply that would have bound them was lost; where bytes cannot be compared, their number decides.
        if let entry, entry.images == nil, !capabilities.keepsPictureBytes, let sent = entry.applied.images,
            sent.count == images?.count
        {
            identities = sent
        }
        // Whether the thumbnail is the first picture's or another's shows only where details do.
        var thumbnail: PictureIdentity?
        if let thumbnailURL, let images, let identities, images.contains(where: { $0.thumbnailURL != nil }) {
            let index = images.firstIndex { $0.thumbnailURL.isExactly(thumbnailURL) }
            thumbnail = index.map { identities[$0] } ?? .unknown(thumbnailURL)
        }
        var values = self.values
        // Not every market's client has done it.
        values.normalizeSale()
        entry?.recognize(in: &values)
        (values.images, values.thumbnail) = (identities, thumbnail)
        return values
    }
}
