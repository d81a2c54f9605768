extension PlannedOperation {
    /// The change of a product.
    ///
    /// Indirect: operations are copied far more often than their work is read.
    package indirect enum Work: Hashable, Sendable {
        /// Adopts a live product, with its state entry and its name on the market.
        case adopt(StateEntry, name: String?)
        case create(NewProduct)
        case update(Update)
        /// Creates a new product, then deletes the old one.
        case replace(Replacement)
        case delete(Deletion)
        /// Removes from the state a product that is gone from the market, with its last name.
        case forget(MarketID, name: String?)
        /// Changes only the key, and not the product, which has this name.
        case rename(MarketID, name: String?)
    }

    package struct Update: Hashable, Sendable {
        var id: MarketID
        /// In the order of ``ProductField``.
        var changes: [FieldChange]
        package var desired: ProductValues
        /// Fields of `desired` whose changes on the market are ignored, so that they leave the plan valid.
        var ignored: [ProductField] = []
        /// The market's values when the plan was created.
        package var live: ProductValues
        /// The market's pictures when the plan was created.
        package var livePictures: LivePictures = LivePictures()
        /// The picture files of `desired.images`, if the update sends them.
        package var pictures: [Picture] = []
        /// The market's id of the wanted thumbnail, if the thumbnail changes (v2).
        var thumbnailImageID: MarketID?
        /// The key on the live product that the operation's key replaces.
        ///
        /// `nil` if the product carries the operation's key already, or keeps another.
        var formerKey: String?
        /// Whether the manifest protects the product; stored in the state.
        var isProtected: Bool = false

        package var changedFields: Set<ProductField> { Set(changes.map(\.field)) }

        /// Whether the live pictures are provably the first of the wanted ones.
        var keepsPictures: Bool { desired.keepsPictures(of: live) }

        /// The product after the update: written values, otherwise the market's.
        ///
        /// Unknown values are `nil`.
        package var outcome: ProductValues {
            var values = live
            for field in changedFields { values[field] = desired[field] }
            // A new price never changes the sale price. If the market stores a discount, the discount changes too.
            values.normalizeSale()
            return values
        }
    }

    /// A new product that replaces an old one, which is deleted after the create.
    ///
    /// If the market does not allow both at once, the old one is deleted first.
    package struct Replacement: Hashable, Sendable {
        var id: MarketID
        /// In the order of ``ProductField``.
        package var changes: [FieldChange]
        package var product: NewProduct
        /// Fields copied from the old product because they are unmanaged, ignored, or drift to keep.
        ///
        /// Their values in the state stay.
        package var carriedOver: [ProductField] = []
        /// The old product's values when the plan was created.
        package var live: ProductValues
        /// The old product's pictures when the plan was created.
        package var livePictures: LivePictures = LivePictures()
        /// Whether the old product is deleted before the new one is created.
        ///
        /// Then the manifest has all values of the new product, so that a later run can create it after an
        /// interruption.
        package var deletesFirst: Bool = false
    }

    package struct Deletion: Hashable, Sendable {
        var id: MarketID
        package var live: ProductValues
        package var livePictures: LivePictures = LivePictures()
    }
}

extension PlannedOperation.Deletion {
    /// The delete of a product whose pictures' bytes are unknown.
    init(of product: LiveProduct) {
        self.init(id: product.id, live: product.values, livePictures: LivePictures(product))
        live.images = product.images?.map { .unknown($0.reference) }
    }
}

extension PlannedOperation {
    /// The delete of a product that another operation left on the market.
    init(deleting product: LiveProduct, of origin: PlannedOperation, reason: String) {
        self.init(
            key: origin.key,
            reason: reason,
            source: origin.source,
            secret: origin.secret,
            work: .delete(Deletion(of: product))
        )
    }
}

extension ProductValues {
    /// Whether the live pictures are provably the first of the wanted ones.
    func keepsPictures(of live: ProductValues) -> Bool {
        guard let live = live.images, let images else { return true }
        guard live.count <= images.count else { return false }
        return zip(live, images).allSatisfy { live, wanted in
            if case .digest = live { live == wanted } else { true }
        }
    }
}

package struct NewProduct: Hashable, Sendable {
    /// The manifest's values, and for a replace those copied from the old product.
    package var values: ProductValues
    package var pictures: [Picture]
    /// Whether the manifest protects the product; stored in the state.
    package var isProtected: Bool
    /// Whether the product is deleted again: a trial of the market's description.
    ///
    /// No saved plan has such a product; the journal stores the flag for the run that deletes it after a crash.
    package var isTrial = false

    package init(values: ProductValues, pictures: [Picture] = [], isProtected: Bool = false) {
        self.values = values
        self.values.normalizeSale()
        self.pictures = pictures
        self.isProtected = isProtected
    }

    /// The product's fields as changes from no value.
    var changes: [FieldChange] {
        ProductField.allCases.compactMap { field in
            values[field].map { FieldChange(field: field, kind: .change, base: nil, live: nil, manifest: $0) }
        }
    }
}
