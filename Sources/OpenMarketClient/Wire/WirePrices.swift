import OpenMarket
import OpenMarketDescription

struct WirePrices {
    private let wire: MarketWire
    /// The price before any reduction.
    let price: ExactDecimal?
    let sale: Sale?
    private let currency: Currency?

    init(_ wire: MarketWire, price: ExactDecimal?, sale: Sale?, currency: Currency?) {
        self.wire = wire
        self.price = price
        self.sale = sale
        self.currency = currency ?? wire.market.fixedCurrency(wire.parameters)
    }

    /// Whether a sale changes the price's number: it is the price that buyers pay, and the former price is another
    /// number.
    var saleMovesPrice: Bool { wire.market.fields.sale?.meaning == .compareAt }

    var dependOnCurrency: Bool {
        wire.market.fields.price?.kind == .minorUnits || wire.market.fields.sale?.kind == .minorUnits
    }

    /// The number for the price's position.
    ///
    /// Throws ``MarketError`` if the market cannot express it.
    func shownPrice() throws(MarketError) -> WireField.Value {
        guard let price else { throw MarketError(.refused, "a price cannot be sent without knowing it") }
        let shown = saleMovesPrice ? sale?.normalized(price: price).salePrice ?? price : price
        return try money(shown, wire.market.fields.price?.kind)
    }

    /// The number of a sale at this price.
    ///
    /// Throws ``MarketError`` if the market cannot express it.
    func sale(_ sale: Sale, _ write: WriteRequest) throws(MarketError) -> WireField.Value {
        guard let described = wire.market.fields.sale, described.place.writing != nil else {
            throw MarketError(.refused, "\(wire.name) does not take sales")
        }
        switch (described.meaning, sale) {
        case (.salePrice, .price(let salePrice)): return try money(salePrice, described.kind)
        case (.amountOff, .price(let salePrice)):
            guard let off = price?.subtracting(salePrice) else {
                throw MarketError(.refused, "a sale price cannot be sent without knowing the price")
            }
            return try money(max(off, .zero), described.kind)
        case (.compareAt, .price(let salePrice)):
            guard let price else {
                throw MarketError(.refused, "a sale price cannot be sent without knowing the price")
            }
            return salePrice == price ? try end(described, write) : try money(price, described.kind)
        case (_, .fullPrice): return try end(described, write)
        case (nil, .price): throw MarketError(.refused, "\(wire.name) does not take sales")
        }
    }

    private func end(
        _ described: MarketDescription.SaleField,
        _ write: WriteRequest
    ) throws(MarketError) -> WireField.Value {
        switch described.ending {
        case .value(let literal)?:
            let value = try wire.value(of: literal, in: write)
            // A number is written like other numbers at its position.
            if described.kind == .decimalText, case .number(let number) = value { return .text(number.description) }
            return value
        case .price?:
            guard let price else { throw MarketError(.refused, "a sale cannot be ended without knowing the price") }
            return try money(price, described.kind)
        case nil where described.meaning == .amountOff: return try money(.zero, described.kind)
        case nil: throw MarketError(.refused, "\(wire.name) cannot end a sale")
        }
    }

    private func money(
        _ value: ExactDecimal,
        _ kind: MarketDescription.MoneyKind?
    ) throws(MarketError) -> WireField.Value {
        switch kind {
        case .number?: return .number(value)
        case .decimalText?: return .text(value.description)
        case .whole?:
            guard value.wholeValue != nil else {
                throw MarketError(.refused, "\(wire.name) carries whole prices only, not \(value)")
            }
            return .number(value)
        case .minorUnits?:
            guard let currency, currency.isStandard else {
                let words = currency.map { "'\($0)' is not one of ISO 4217" } ?? "it is unknown"
                throw MarketError(
                    .refused,
                    "\(wire.name) carries prices in the smallest units of the currency, and \(words)"
                )
            }
            guard let units = value.units(behindPoint: currency.fractionDigits) else {
                throw MarketError(
                    .refused,
                    "\(wire.name) carries prices in the smallest units of \(currency), and \(value) is not a whole number of them"
                )
            }
            return .integer(units)
        case nil: throw MarketError(.refused, "\(wire.name) does not take prices")
        }
    }
}

extension ExactDecimal {
    /// The amount in units of a power of ten; `nil` if that is not a whole number, or too large.
    fileprivate func units(behindPoint digits: Int) -> Int64? {
        guard Int(scale) <= digits else { return nil }
        var units = significand
        for _ in Int(scale)..<digits {
            let (product, overflow) = units.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            units = product
        }
        return units
    }
}
