/// Compares a product with what it was when a plan was made.
enum StaleCheck {
    /// Finds what moved; only what the plan knew, what the market shows and what the operation is about is compared.
    ///
    /// - Parameters:
    ///   - work: What is to be done, with the live values that the plan holds.
    ///   - entry: What the state knows, to find the market's names of pictures known by digest.
    ///   - shown: The product now.
    /// - Returns: A clause for each difference.
    static func differences(_ work: ExistingWork, entry: StateEntry?, shown: LiveProduct) -> [String] {
        let fields = work.watchedFields
        var product = shown
        entry?.recognize(in: &product.values)
        var differences = WriteComparison.differences(
            sent: work.live,
            fields: fields.subtracting([.images, .thumbnail]),
            shown: product
        )
        .map { "\($0.field.rawValue) was \($0.sent), is \($0.shown)" }
        if fields.contains(.images), let planned = work.live.images, let images = shown.images,
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
        // Pictures whose digests were fetched for the plan, and that were not bound, can only be counted.
        return planned.count == shown.count
            && planned.contains { if case .digest(let digest) = $0 { !digests.values.contains(digest) } else { false } }
    }
}
