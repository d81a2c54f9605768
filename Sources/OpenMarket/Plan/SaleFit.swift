/// Whether a product's price and sale fit each other after some changes.
///
/// Unchanged values stay as on the market: buyers still pay the current sale price.
struct SaleFit {
    let listing: Listing
    let desired: ProductValues
    let live: ProductValues
    let changes: [FieldChange]
    /// Whether another product replaces it, which sets all values.
    let isReplaced: Bool

    private func moves(_ field: ProductField) -> Bool { changes.contains { $0.field == field } }

    /// A sale price above the price, or below zero.
    ///
    /// An error if the manifest requests it. A warning if it only restores drift or copies the market's values. One of
    /// the two values is the market's, because the manifest is valid. Buyers pay the same as before.
    var fault: Diagnostic? {
        let (movesPrice, movesSale) = (moves(.price), moves(.salePrice))
        guard movesPrice || movesSale || isReplaced,
            let price = movesPrice ? desired.price : live.price ?? desired.price,
            let salePrice = (movesSale ? desired.sale : live.sale ?? desired.sale)?.salePrice,
            salePrice > price || salePrice < .zero
        else { return nil }
        let isDrift = changes.allSatisfy { $0.kind == .drift || $0.field != .price && $0.field != .salePrice }
        let words =
            movesPrice || movesSale ? "left as it was changed on the market" : "not replaced until one of them changes"
        // The consequence only if the market causes the mistake, not the manifest.
        return Diagnostic(
            isDrift ? .warning : .error,
            .salePrice,
            "'\(listing.key)' would have the sale price \(salePrice), "
                + (salePrice > price ? "above its price of \(price)" : "which is below zero")
                + (isDrift ? ": it is \(words)" : ""),
            location: listing.location(of: .salePrice),
            help: "write both `price` and `sale_price`: one of them is now as the market has it"
        )
    }

    /// An amount on the market that would keep its number in another currency, so that buyers would pay another price.
    ///
    /// A currency that only the market changed returns to that of the amounts.
    var amountOfOldCurrency: Diagnostic? {
        guard changes.contains(where: { $0.field == .currency && $0.kind != .drift }) else { return nil }
        for (field, amount) in [(ProductField.salePrice, live.sale?.salePrice), (.price, live.price)] {
            guard let amount, !moves(field), !listing.manages(field) else { continue }
            let currencies = [live.currency, desired.currency].compactMap { $0?.description }.joined(separator: " to ")
            return Diagnostic(
                .error,
                .currency,
                "the currency of '\(listing.key)' changes from \(currencies), and its \(field.rawValue) of \(amount) on the "
                    + "market would stay",
                location: listing.location(of: .currency),
                help: "write both `price` and `sale_price` in the new currency; a `sale_price` at the price ends a sale"
            )
        }
        return nil
    }

    /// The change that ends a sale which a new price alone would restart or alter.
    func endOfSale(_ product: LiveProduct, _ capabilities: MarketCapabilities) -> FieldChange? {
        guard moves(.price), !moves(.salePrice) else { return nil }
        switch capabilities.saleEnding {
        case nil: return nil
        case .zeroDiscount:
            // The market would subtract an unreadable discount from the new price.
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
