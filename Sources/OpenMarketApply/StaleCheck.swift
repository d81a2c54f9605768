import OpenMarket

/// Compares a product with what it was when a plan was made.
enum StaleCheck {
    /// Finds what moved; only what the plan knew, what the market shows and what the operation is about is compared.
    ///
    /// - Parameters:
    ///   - operation: The operation, with the live values that the plan holds.
    ///   - entry: What the state knows, to find the market's names of pictures known by digest.
    ///   - shown: The product now.
    /// - Returns: A clause for each difference.
    static func differences(_ operation: Operation, entry: StateEntry?, shown: LiveProduct) -> [String] {
        let fields = operation.watchedFields
        var differences = WriteComparison.differences(
            sent: operation.live,
            fields: fields.subtracting([.images, .thumbnail]),
            shown: shown
        )
        .map { "\($0.field.rawValue) was \($0.sent), is \($0.shown)" }
        if fields.contains(.images), let planned = operation.live.images, let images = shown.images,
            !agree(planned, images, entry?.images ?? [])
        {
            differences.append("the pictures changed")
        }
        return differences
    }

    /// Whether these are the same pictures, in whatever order: some markets show them now in this one, now in that.
    private static func agree(
        _ planned: [PictureIdentity],
        _ shown: [LiveProduct.Image],
        _ bound: [StateEntry.BoundImage]
    ) -> Bool {
        let digests = Dictionary(bound.map { ($0.reference, $0.digest) }, uniquingKeysWith: { first, _ in first })
        let now = shown.map { image in
            digests[image.reference].map(PictureIdentity.digest) ?? .unknown(image.reference)
        }
        if now.isReordering(of: planned) { return true }
        // Pictures whose digests were fetched for the plan, and that nobody bound, can only be counted.
        return planned.count == shown.count
            && planned.contains { if case .digest(let digest) = $0 { !digests.values.contains(digest) } else { false } }
    }
}

extension Operation {
    /// The fields whose moves since the plan make it stale.
    ///
    /// An update need not care about what is not managed or ignored; a replace takes that over as it is by then. A delete
    /// is refused when anything of the product that it destroys moved.
    fileprivate var watchedFields: Set<ProductField> {
        let all = Set(ProductField.allCases)
        return switch action {
        case .update: changedFields.union(all.filter { desired[$0] != nil && !ignored.contains($0) })
        case .replace: all.subtracting(carriedOver)
        case .adopt, .create, .delete, .forget: all
        }
    }

    /// Takes over what a product shows by now of the fields that are left alone.
    mutating func refresh(from product: LiveProduct) {
        for field in ProductField.allCases where !changedFields.contains(field) {
            guard field != .images, field != .thumbnail, let now = product[field] else { continue }
            switch action {
            case .update where desired[field] == nil || ignored.contains(field): live[field] = now
            case .replace where carriedOver.contains(field):
                live[field] = now
                desired[field] = now
            default: break
            }
        }
        if action == .replace { desired.sale = desired.sale?.normalized(price: desired.price) }
    }

    /// A sale price that does not fit the price, once the operation is through.
    var misfit: String? {
        guard action == .update || action == .replace, let price = outcome.price,
            let salePrice = outcome.sale?.salePrice, salePrice > price || salePrice < .zero
        else { return nil }
        return "its sale price is \(salePrice) by now, which does not fit a price of \(price)"
    }
}

extension LiveProduct {
    /// A field that is no picture, as the market shows it.
    fileprivate subscript(field: ProductField) -> FieldValue? {
        switch field {
        case .name: name.map(FieldValue.text)
        case .description: description.map(FieldValue.text)
        case .price: price.map(FieldValue.number)
        case .currency: currency.map { .text($0.rawValue) }
        case .salePrice: sale.map { .sale($0.normalized(price: price)) }
        case .stock: stock.map(FieldValue.integer)
        case .images, .thumbnail: nil
        }
    }
}
