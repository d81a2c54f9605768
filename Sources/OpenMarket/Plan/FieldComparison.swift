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
    /// The market's values, with pictures identified if possible.
    let live: ProductValues

    private(set) var changes: [FieldChange] = []

    /// The state's values without a write: the base, with the values that market and manifest share.
    private(set) var settled: ProductValues

    /// All managed values, and the end of a sale that has to end.
    private(set) var desired: ProductValues

    /// Whether the live pictures, if shown, are those of `settled`.
    private(set) var picturesAgree = false

    /// Compares all managed fields.
    ///
    /// An adopted product has an empty base. A field that the market does not show is assumed to be as last applied.
    /// `lacked` names the fields that are empty on the market although a value is wanted: see
    /// `LiveProduct.lackedFields(of:)`.
    init(
        listing: Listing,
        base: ProductValues,
        live: ProductValues,
        lacked: ProductFieldSet = [],
        capabilities: MarketCapabilities
    ) {
        self.live = live
        settled = base
        desired = listing.values
        // The manifest no longer states a sale that apply started, so it ends.
        if desired.sale == nil {
            if case .price = base.sale { desired.sale = Sale.fullPrice }
        } else {
            let shown = live.price ?? base.price
            // An unmanaged price stays as it is. A sale price is valid only below the price.
            let price = listing.ignoreChanges.contains(.price) ? shown ?? desired.price : desired.price ?? shown
            desired.sale = desired.sale?.normalized(price: price)
        }
        // Fast path for the common case, without boxing eight fields.
        if desired == base, live.agrees(with: base), live.name == nil || base.name != nil,
            lacked.isEmpty || !lacked.overlaps(desired.fields)
        {
            picturesAgree = live.images != nil && base.images != nil
            return
        }

        for field in ProductField.allCases {
            // A field that the manifest stops managing is not compared later either.
            guard let wanted = desired[field] else {
                settled[field] = nil
                continue
            }
            // If the thumbnail cannot be chosen, the live one is not compared.
            if field == .thumbnail, !capabilities.thumbnailIsChosen {
                settled[field] = wanted
                continue
            }
            if listing.ignoreChanges.contains(field) { continue }
            let last = Self.known(base[field], besides: live[field])
            let shown = live[field] ?? (lacked.contains(field) ? nil : last)
            if let shown, Self.equal(field, wanted, shown, base: last, capabilities: capabilities) {
                settled[field] = wanted
                if field == .images { picturesAgree = live.images != nil }
                continue
            }
            let kind: FieldChange.Kind =
                if last == nil || shown == last { .change } else if wanted == last { .drift } else { .conflict }
            changes.append(FieldChange(field: field, kind: kind, base: last, live: shown, manifest: wanted))
        }
    }

    /// The value last applied; the shown digest instead, if the text holds a credential that was loaded later.
    private static func known(_ value: FieldValue?, besides shown: FieldValue?) -> FieldValue? {
        guard case .text(let digest)? = shown, digest.isConcealed, case .text(let text)? = value, !text.isConcealed,
            SecretMask.current.isHeld(by: text)
        else { return value }
        return shown
    }

    private static func equal(
        _ field: ProductField,
        _ wanted: FieldValue,
        _ shown: FieldValue,
        base: FieldValue?,
        capabilities: MarketCapabilities
    ) -> Bool {
        if wanted == shown { return true }
        if capabilities.htmlFields.contains(field), capabilities.isForm(shown, of: wanted, in: field) { return true }
        // If pictures cannot be reordered, their order differs only if the manifest's order changed.
        if !capabilities.picturesChangeInPlace, case .images(let want) = wanted, case .images(let have) = shown,
            want.isReordering(of: have)
        {
            guard case .images(let last)? = base else { return true }
            return last == want || !last.isReordering(of: want)
        }
        // If the market changes the bytes, only the number of pictures can be compared before the first apply.
        if base == nil, !capabilities.keepsPictureBytes, case .images(let want) = wanted, case .images(let have) = shown
        {
            return want.count == have.count && have.allSatisfy { if case .unknown = $0 { true } else { false } }
        }
        return false
    }
}

extension LiveProduct {
    /// The product's values for a comparison, with pictures identified if possible.
    ///
    /// The state's entry maps the market's pictures to the sent bytes. `digests` has the fetched pictures by URL. A
    /// value is `nil` if the market does not show the field.
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
        // The pictures were sent, but the reply with their ids was lost. If bytes cannot be compared, the number of
        // pictures decides.
        if let entry, entry.images == nil, !capabilities.keepsPictureBytes, let sent = entry.applied.images,
            sent.count == images?.count
        {
            identities = sent
        }
        // Only details show whether the thumbnail is the first picture or another.
        var thumbnail: PictureIdentity?
        if let thumbnailURL, let images, let identities, images.contains(where: { $0.thumbnailURL != nil }) {
            let index = images.firstIndex { $0.thumbnailURL.isExactly(thumbnailURL) }
            thumbnail = index.map { identities[$0] } ?? .unknown(thumbnailURL)
        }
        var values = self.values
        // Some markets' clients do not normalize the sale.
        values.normalizeSale()
        entry?.recognize(in: &values)
        (values.images, values.thumbnail) = (identities, thumbnail)
        return values
    }
}
