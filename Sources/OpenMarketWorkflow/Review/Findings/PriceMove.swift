import OpenMarket

struct PriceMove: Hashable, Sendable {
    var old: ExactDecimal
    var new: ExactDecimal

    /// Returns `nil` if a price is unknown or does not change.
    init?(from old: ExactDecimal?, to new: ExactDecimal?) {
        guard let old, let new, old != new else { return nil }
        self.old = old
        self.new = new
    }

    /// The change in hundredths of a percent of the old price; `nil` if the old price is 0.
    var basisPoints: Int64? { new.changeInBasisPoints(from: old) }

    /// The size of the change without its direction; a move from 0 is the largest.
    var magnitude: UInt64 { basisPoints?.magnitude ?? .max }

    /// The move in percent with at most one decimal digit, signed: `-50%`, `+12.5%`; `nil` if the old price is 0.
    var percent: String? { basisPoints.map(Self.percentage) }

    /// Formats hundredths of a percent: `-50%`, `+0.1%`; a change that rounds to zero prints as `+<0.1%`.
    static func percentage(_ basisPoints: Int64) -> String {
        let sign = basisPoints < 0 ? "-" : "+"
        let tenths = (basisPoints.magnitude + 5) / 10
        guard tenths > 0 else { return basisPoints == 0 ? "0%" : "\(sign)<0.1%" }
        return "\(sign)\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + "%"
    }
}

extension PlannedOperation {
    /// The price move of a change: of the price itself, or for a sale of the price that buyers pay.
    ///
    /// `nil` for other fields, and if ``priceMove`` is `nil` because of the currency.
    func move(of change: FieldChange) -> PriceMove? {
        switch (change.field, change.live, change.manifest) {
        case (.price, .number(let old)?, .number(let new)?):
            changes.contains { $0.field == .currency } ? nil : PriceMove(from: old, to: new)
        case (.salePrice, _, _): priceMove
        default: nil
        }
    }

    /// The change of the price that buyers pay for an existing product: the sale price, or else the price.
    ///
    /// `nil` if it does not change, is unknown on one side, or changes its currency, so that the numbers are
    /// incomparable.
    var priceMove: PriceMove? {
        guard let (before, after) = sides else { return nil }
        if let old = before.currency, let new = after.currency, old != new { return nil }
        return PriceMove(from: before.payable, to: after.payable)
    }

    /// Whether the operation ends the sale of an existing product, whichever field causes it.
    var endsSale: Bool {
        guard let (before, after) = sides else { return false }
        return before.isOnSale && after.sale != nil && !after.isOnSale
    }

    /// The currencies of the prices before and after, if available.
    var currencies: (before: Currency?, after: Currency?) {
        switch work {
        case .create(let product): (nil, product.values.currency)
        case .delete(let deletion): (deletion.live.currency, nil)
        case .update, .replace: (sides?.before.currency, sides?.after.currency)
        case .adopt, .forget, .rename: (nil, nil)
        }
    }

    /// The values before and after of a product that exists on both sides, otherwise `nil`.
    private var sides: (before: ProductValues, after: ProductValues)? {
        switch work {
        case .update(let update): (update.live, update.outcome)
        case .replace(let replacement): (replacement.live, replacement.product.values)
        case .adopt, .create, .delete, .forget, .rename: nil
        }
    }
}

extension ProductValues {
    fileprivate var isOnSale: Bool {
        guard let salePrice = sale?.salePrice else { return false }
        return price.map { salePrice < $0 } ?? true
    }
}
