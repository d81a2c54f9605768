import OpenMarket

/// Prices and stocks of a row.
extension TableConverter {
    struct PriceFault: Error { var reason: String }

    struct Prices {
        var price: ExactDecimal
        var reduction: ManifestProduct.Reduction?
        /// The values that were not carried over.
        var changes: [String] = []
    }

    /// The amount in a cell; `nil` if there is none.
    func amount(
        _ template: ConversionMapping.Template?,
        _ row: Row,
        _ currency: Currency
    ) -> Result<ExactDecimal?, PriceFault> {
        let text = value(template, row)
        guard !text.isEmpty else { return .success(nil) }
        let plain = text.hasPrefix(".") ? "0" + text : text
        let number =
            NumberSpelling.isDecimal(plain)
            ? plain : NumberSpelling.withoutDecimalComma(plain) ?? NumberSpelling.plain(plain) ?? ""
        guard let amount = ExactDecimal(number), !amount.isNegative else {
            return .failure(PriceFault(reason: "a price that is not a number"))
        }
        if currency.fractionDigits < 3, mayHavePointBetweenThousands(number) {
            return .failure(PriceFault(reason: "a price whose point may be a thousands separator"))
        }
        if currency.fractionDigits == 3, NumberSpelling.mayHaveDecimalComma(plain) {
            return .failure(PriceFault(reason: "a price whose comma may be a decimal comma"))
        }
        guard Int(amount.scale) <= (options.limits.fractionDigits(of: currency) ?? currency.fractionDigits) else {
            let bound = options.limits.priceFraction != nil ? "the market" : "\(currency)"
            return .failure(PriceFault(reason: "a price with more digits after the point than \(bound) has"))
        }
        return .success(amount)
    }

    func prices(_ row: Row, _ currency: Currency) -> Result<Prices, PriceFault> {
        do {
            guard let price = try amount(mapping.price, row, currency).get() else {
                return .failure(PriceFault(reason: "no price"))
            }
            var prices = Prices(price: price)
            switch amount(mapping.comparePrice, row, currency) {
            case .success(let before?) where before > price:
                prices.price = before
                prices.reduction = .salePrice(price)
                return .success(prices)
            case .success: break
            case .failure(let fault): prices.changes.append("the price before the sale is left out: \(fault.reason)")
            }
            guard let sale = try amount(mapping.salePrice, row, currency).get(), sale < price else {
                return .success(prices)
            }
            if let reason = reasonAgainstSale(row) {
                prices.changes.append("the sale price is left out: \(reason)")
            } else {
                prices.reduction = .salePrice(sale)
                if !value(mapping.saleEnd, row).isEmpty {
                    prices.changes.append("the end of the sale is not carried over")
                }
            }
            return .success(prices)
        } catch {
            return .failure(error)
        }
    }

    /// Why a sale is not in force today; `nil` if it is.
    ///
    /// The market itself neither begins nor ends sales.
    private func reasonAgainstSale(_ row: Row) -> String? {
        let (start, end) = (value(mapping.saleStart, row), value(mapping.saleEnd, row))
        let days = [start, end].map { text in
            text.prefixMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])/#).map { String($0.output) }
        }
        guard !start.isEmpty || !end.isEmpty else { return nil }
        guard let today = options.today, start.isEmpty || days[0] != nil, end.isEmpty || days[1] != nil else {
            return "its dates cannot be read"
        }
        if let begins = days[0], begins > today { return "the sale has not begun" }
        if let ends = days[1], ends < today { return "the sale is over" }
        return nil
    }

    /// Whether the shop does not sell the product, whatever its stock is.
    private func isOutOfStock(_ row: Row) -> Bool { mapping.inStock.map { cell($0, row) } == "0" }

    func stockFault(_ row: Row) -> String? {
        guard !isOutOfStock(row) else { return nil }
        let text = value(mapping.stock, row)
        guard !text.isEmpty else { return options.needsStock ? ConversionReport.noStock : nil }
        guard !mayHavePointBetweenThousands(text) else { return "a stock whose point may be a thousands separator" }
        let isNumber = NumberSpelling.isDecimal(text) && ExactDecimal(text)?.wholeValue != nil
        return options.needsStock && !isNumber ? "a stock that is not a whole number" : nil
    }

    /// Whether a point may separate thousands: `12.000` is ambiguous.
    func mayHavePointBetweenThousands(_ number: String) -> Bool {
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[1].count == 3 && parts[0] != "0"
    }

    mutating func stock(_ row: Row, _ key: String) -> ManifestProduct.Stock? {
        let text = value(mapping.stock, row)
        guard !isOutOfStock(row) else {
            if text != "0" { report.change(key, "not in stock in the shop, so its stock is 0") }
            return .units(0)
        }
        guard !text.isEmpty else { return nil }
        guard NumberSpelling.isDecimal(text), let units = ExactDecimal(text)?.wholeValue else {
            report.change(key, "the stock is not a whole number, and was omitted")
            return nil
        }
        guard units >= 0 else {
            report.change(key, "the stock is below 0, and written as 0")
            return .units(0)
        }
        return .units(units)
    }
}
