/// Whether price and sale of a product fit each other once some changes are made.
///
/// What is not changed stays as the market has it: buyers go on paying the sale price that they pay now.
struct SaleFit {
    let listing: Listing
    let desired: ProductValues
    let live: ProductValues
    let changes: [FieldChange]
    /// Whether another product takes its place, which is made with all its values.
    let isReplaced: Bool

    private func moves(_ field: ProductField) -> Bool { changes.contains { $0.field == field } }

    /// A sale price that would be above the price, or below zero: an error where the manifest asks for it, and a warning
    /// where it only puts back what was changed on the market, or makes again what the market has.
    ///
    /// One of the two is as the market has it, or the manifest would not be valid. Buyers go on paying what they pay.
    var fault: Diagnostic? {
        let (movesPrice, movesSale) = (moves(.price), moves(.salePrice))
        guard movesPrice || movesSale || isReplaced,
            let price = movesPrice ? desired.price : live.price ?? desired.price,
            let salePrice = (movesSale ? desired.sale : live.sale ?? desired.sale)?.salePrice,
            salePrice > price || salePrice < .zero
        else { return nil }
        let isDrift = changes.allSatisfy { $0.kind == .drift || $0.field != .price && $0.field != .salePrice }
        let words =
            movesPrice || movesSale ? "left as it was changed on the market" : "not replaced as long as that is so"
        return .saleDoesNotFit(listing, salePrice: salePrice, price: price, isDrift ? words : nil)
    }

    /// The change that ends what a new price alone would make a sale again, or another one.
    func endOfSale(_ product: LiveProduct, _ capabilities: MarketCapabilities) -> FieldChange? {
        guard moves(.price), !moves(.salePrice) else { return nil }
        switch capabilities.saleEnding {
        case nil: return nil
        case .zeroDiscount:
            // An amount off that cannot be read would be taken off the new price.
            guard product.blank.contains(.salePrice), desired.sale == nil, !listing.ignoreChanges.contains(.salePrice)
            else { return nil }
            return FieldChange(field: .salePrice, kind: .drift, base: nil, live: nil, manifest: .sale(.fullPrice))
        case .priceAsSalePrice:
            guard product.hasEndedSale, let price = product.price else { return nil }
            return FieldChange(
                field: .salePrice,
                kind: .change,
                base: nil,
                live: .sale(.price(price)),
                manifest: .sale(.fullPrice)
            )
        }
    }
}
