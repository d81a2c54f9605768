import OpenMarket

/// Compares a product with what it was when a plan was made.
enum StaleCheck {
    /// Finds what moved; only what the plan knew and the market shows is compared.
    ///
    /// - Parameters:
    ///   - planned: The live values that the plan holds.
    ///   - entry: What the state knows, to find the market's names of pictures known by digest.
    ///   - shown: The product now.
    /// - Returns: A clause for each difference.
    static func differences(planned: ProductValues, entry: StateEntry?, shown: LiveProduct) -> [String] {
        let fields = Set(ProductField.allCases).subtracting([.images, .thumbnail])
        var differences = WriteComparison.differences(sent: planned, fields: fields, shown: shown)
            .map { "\($0.field.rawValue) was \($0.sent), is \($0.shown)" }
        if let planned = planned.images, let images = shown.images, !agree(planned, images, entry?.images ?? []) {
            differences.append("the pictures changed")
        }
        return differences
    }

    private static func agree(
        _ planned: [PictureIdentity],
        _ shown: [LiveProduct.Image],
        _ bound: [StateEntry.BoundImage]
    ) -> Bool {
        guard planned.count == shown.count else { return false }
        return zip(planned, shown).allSatisfy { identity, image in
            switch identity {
            case .unknown(let reference): return reference.isExactly(image.reference)
            case .digest(let digest):
                let references = bound.filter { $0.digest == digest }.map(\.reference)
                return references.isEmpty || references.contains { $0.isExactly(image.reference) }
            }
        }
    }
}
