import OpenMarket

/// A price that changes, and how far.
struct PriceMove: Hashable, Sendable {
    /// The price before.
    var old: ExactDecimal
    /// The price after.
    var new: ExactDecimal

    /// A move; `nil` where a price is unknown or stays.
    init?(from old: ExactDecimal?, to new: ExactDecimal?) {
        guard let old, let new, old != new else { return nil }
        self.old = old
        self.new = new
    }

    /// How far, in hundredths of a percent of the old price; `nil` from a price of 0, of which everything is more.
    var basisPoints: Int64? { new.changeInBasisPoints(from: old) }

    /// How far without its direction; a move from 0 is the largest.
    var magnitude: UInt64 { basisPoints?.magnitude ?? .max }

    /// The move in percent with one decimal place at most, signed: `-50%`, `+12.5%`; `nil` from a price of 0.
    var percent: String? { basisPoints.map(Self.percentage) }

    /// Hundredths of a percent as a move: `-50%`, `+0.1%`; what rounds to nothing is less than that: `+<0.1%`.
    static func percentage(_ basisPoints: Int64) -> String {
        let sign = basisPoints < 0 ? "-" : "+"
        let tenths = (basisPoints.magnitude + 5) / 10
        guard tenths > 0 else { return basisPoints == 0 ? "0%" : "\(sign)<0.1%" }
        return "\(sign)\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + "%"
    }
}

extension PlannedOperation {
    /// How far a change moves a price: the price itself, or with a sale what buyers pay.
    ///
    /// `nil` for other fields, and where ``priceMove`` is for the currency's sake.
    func move(of change: FieldChange) -> PriceMove? {
        switch (change.field, change.live, change.manifest) {
        case (.price, .number(let old)?, .number(let new)?):
            changes.contains { $0.field == .currency } ? nil : PriceMove(from: old, to: new)
        case (.salePrice, _, _): priceMove
        default: nil
        }
    }

    /// How far it moves what buyers pay for a product that exists: the sale price, or else the price.
    ///
    /// `nil` where that stays, is unknown on a side, or changes its currency, so that the numbers do not compare.
    var priceMove: PriceMove? {
        guard let (before, after) = sides else { return nil }
        if let old = before.currency, let new = after.currency, old != new { return nil }
        return PriceMove(from: before.payable, to: after.payable)
    }

    /// Whether a product that exists is on sale before it and not afterwards, whichever field does that.
    var endsSale: Bool {
        guard let (before, after) = sides else { return false }
        return before.isOnSale && after.sale != nil && !after.isOnSale
    }

    /// In which currency prices are before and after it, as far as that is known.
    var currencies: (before: Currency?, after: Currency?) {
        switch work {
        case .create(let product): (nil, product.values.currency)
        case .delete(let deletion): (deletion.live.currency, nil)
        case .update, .replace: (sides?.before.currency, sides?.after.currency)
        case .adopt, .forget: (nil, nil)
        }
    }

    /// A product that exists before and afterwards; `nil` for an operation without one of the two.
    private var sides: (before: ProductValues, after: ProductValues)? {
        switch work {
        case .update(let update): (update.live, update.outcome)
        case .replace(let replacement): (replacement.live, replacement.product.values)
        case .adopt, .create, .delete, .forget: nil
        }
    }
}

extension ProductValues {
    /// Whether buyers pay less than the price.
    fileprivate var isOnSale: Bool {
        guard let salePrice = sale?.salePrice else { return false }
        return price.map { salePrice < $0 } ?? true
    }
}
