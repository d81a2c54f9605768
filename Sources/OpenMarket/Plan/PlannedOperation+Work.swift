extension PlannedOperation {
    /// What is done to a product, each kind with what it takes.
    ///
    /// On the heap: operations are handed around far more often than their work is looked at.
    package indirect enum Work: Hashable, Sendable {
        /// Take a live product under management: what the state will know of it, and what it is called on the market.
        case adopt(StateEntry, name: String?)
        /// Make a new product.
        case create(NewProduct)
        /// Change fields of a product in place.
        case update(Update)
        /// Make a new product, then delete the old one.
        case replace(Replacement)
        /// Delete a product.
        case delete(Deletion)
        /// Drop a product from the state that is gone from the market, and what it was called.
        case forget(MarketID, name: String?)
    }

    /// A change of a product in place.
    package struct Update: Hashable, Sendable {
        /// The product.
        var id: MarketID
        /// The fields that differ, in the order of ``ProductField``.
        var changes: [FieldChange]
        /// All managed values as the manifest wants them.
        package var desired: ProductValues
        /// Fields of `desired` whose changes on the market are ignored, so that one that moved since the plan was
        /// made does not make it stale.
        var ignored: [ProductField]
        /// The values that the market showed when the plan was made.
        package var live: ProductValues
        /// The pictures that the market showed then.
        package var livePictures: LivePictures
        /// The picture files behind `desired.images` where they are to be sent.
        package var pictures: [Picture]
        /// The market's number of the picture wanted as thumbnail, where that changes (v2).
        var thumbnailImageID: MarketID?
        /// The key that the product carries on the market and that gives way to the operation's; `nil` where it carries that, or
        /// goes on carrying another.
        var formerKey: String?
        /// Whether the manifest protects the product; remembered in the state.
        var isProtected: Bool

        /// A change of a product in place.
        init(
            id: MarketID,
            changes: [FieldChange],
            desired: ProductValues,
            ignored: [ProductField] = [],
            live: ProductValues,
            livePictures: LivePictures = LivePictures(),
            pictures: [Picture] = [],
            thumbnailImageID: MarketID? = nil,
            formerKey: String? = nil,
            isProtected: Bool = false
        ) {
            self.id = id
            self.changes = changes
            self.desired = desired
            self.ignored = ignored
            self.live = live
            self.livePictures = livePictures
            self.pictures = pictures
            self.thumbnailImageID = thumbnailImageID
            self.formerKey = formerKey
            self.isProtected = isProtected
        }

        /// The fields that differ.
        package var changedFields: Set<ProductField> { Set(changes.map(\.field)) }

        /// Whether the pictures that the product has are, as far as they are known, the first of those that it is to have.
        var keepsPictures: Bool { desired.keepsPictures(of: live) }

        /// The product as it is when the update is through: what it writes, and for the rest what the market showed.
        ///
        /// `nil` where that is not known.
        package var outcome: ProductValues {
            var values = live
            for field in changedFields { values[field] = desired[field] }
            // A price never moves what buyers pay in a sale: where the market stores an amount off, that moves along.
            values.normalizeSale()
            return values
        }
    }

    /// A new product in the place of an old one, which is deleted when the new one exists.
    ///
    /// Where the market has no room for both at once, the old one is deleted first.
    package struct Replacement: Hashable, Sendable {
        /// The old product.
        var id: MarketID
        /// The fields that differ, in the order of ``ProductField``.
        package var changes: [FieldChange]
        /// The new product.
        package var product: NewProduct
        /// Fields of the new product that only move over from the old one because they are not managed, ignored, or
        /// drift that is kept.
        ///
        /// What the state remembers of them stays as it was.
        package var carriedOver: [ProductField]
        /// The values of the old product that the market showed when the plan was made.
        package var live: ProductValues
        /// The pictures of the old product that the market showed then.
        package var livePictures: LivePictures
        /// Whether the old product is deleted before the new one is made: all that the new one takes is in the manifest, so
        /// that a later run makes it where this one is broken off.
        package var deletesFirst: Bool

        /// A replacement.
        init(
            id: MarketID,
            changes: [FieldChange],
            product: NewProduct,
            carriedOver: [ProductField] = [],
            live: ProductValues,
            livePictures: LivePictures = LivePictures(),
            deletesFirst: Bool = false
        ) {
            self.id = id
            self.changes = changes
            self.product = product
            self.carriedOver = carriedOver
            self.live = live
            self.livePictures = livePictures
            self.deletesFirst = deletesFirst
        }
    }

    /// A delete of a product.
    package struct Deletion: Hashable, Sendable {
        /// The product.
        var id: MarketID
        /// The values that the market showed when the plan was made.
        package var live: ProductValues
        /// The pictures that the market showed then.
        package var livePictures: LivePictures

        /// A delete.
        init(id: MarketID, live: ProductValues, livePictures: LivePictures = LivePictures()) {
            self.id = id
            self.live = live
            self.livePictures = livePictures
        }
    }
}

extension ProductValues {
    /// Whether the pictures that a product has are, as far as they are known, the first of those that are wanted.
    func keepsPictures(of live: ProductValues) -> Bool {
        guard let live = live.images, let images else { return true }
        guard live.count <= images.count else { return false }
        return zip(live, images).allSatisfy { live, wanted in
            if case .digest = live { live == wanted } else { true }
        }
    }
}

/// A product that is to be made.
package struct NewProduct: Hashable, Sendable {
    /// Its values: as the manifest wants them, and for a replace what moves over from the old product.
    package var values: ProductValues
    /// The picture files behind `values.images`.
    package var pictures: [Picture]
    /// Whether the manifest protects the product; remembered in the state.
    package var isProtected: Bool
    /// Whether it is to go again: a trial of what the market's description says.
    ///
    /// No plan has one, and no file says it.
    package var isTrial = false

    /// A product to be made.
    package init(values: ProductValues, pictures: [Picture] = [], isProtected: Bool = false) {
        self.values = values
        self.values.normalizeSale()
        self.pictures = pictures
        self.isProtected = isProtected
    }

    /// Its fields as changes from nothing.
    var changes: [FieldChange] {
        ProductField.allCases.compactMap { field in
            values[field].map { FieldChange(field: field, kind: .change, base: nil, live: nil, manifest: $0) }
        }
    }
}
