enum StaleCheck {
    /// A clause for each change since the plan in a field that the operation watches, the plan has and the market
    /// shows.
    ///
    /// `entry` gives the market's names of pictures with a stored digest.
    static func differences(_ work: ExistingWork, entry: StateEntry?, shown: LiveProduct) -> [String] {
        let (fields, planned) = (work.watchedFields, work.planned)
        var product = shown
        entry?.recognize(in: &product.values)
        var differences = WriteComparison.differences(
            sent: planned.values,
            fields: fields.subtracting([.images, .thumbnail]),
            shown: product
        )
        .map { "\($0.field.rawValue) was \($0.sent), is \($0.shown)" }
        if fields.contains(.images), let wanted = planned.values.images, let images = shown.images,
            !agree(wanted, planned.pictures.images, images, entry?.images ?? [])
        {
            differences.append("the pictures changed")
        }
        if !shown.isManageable { differences.append("it is of another kind, which is not written") }
        return differences
    }

    /// Whether these are the same pictures in any order, because some markets vary the order.
    private static func agree(
        _ planned: [PictureIdentity],
        _ read: [LiveProduct.Image]?,
        _ shown: [LiveProduct.Image],
        _ bound: [StateEntry.BoundImage]
    ) -> Bool {
        // The plan may have fetched bytes that no entry has.
        if let read, shown.map(\.reference).isReordering(of: read.map(\.reference)) { return true }
        let digests = Dictionary(bound.map { ($0.reference, $0.digest) }, uniquingKeysWith: { first, _ in first })
        let now = shown.map { image in
            digests[image.reference].map(PictureIdentity.digest) ?? .unknown(image.reference)
        }
        if now.isReordering(of: planned) { return true }
        // Addresses may change with each reply: fetched pictures without an entry can only be counted.
        return planned.count == shown.count
            && planned.contains { if case .digest(let digest) = $0 { !digests.values.contains(digest) } else { false } }
    }
}
