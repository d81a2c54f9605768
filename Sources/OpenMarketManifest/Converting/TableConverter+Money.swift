import OpenMarket

extension TableConverter {
    struct PriceFault: Error {
        var reason: String
        var help: String?

        init(_ reason: String, help: String? = nil) { (self.reason, self.help) = (reason, help) }
    }

    typealias Prices = (price: ExactDecimal, sale: Sale?)

    /// The changes of a row's numbers in the conversion.
    struct Changes {
        var reasons: [String] = []
        /// The numbers that are not written plainly, as texts.
        var respelt: [String] = []
    }

    // MARK: Currency

    /// The currency that the row, its amounts and the options agree on; an ambiguous sign leaves the choice to the
    /// others.
    func currency(_ row: Row, _ parent: Row?) throws(PriceFault) -> Currency {
        let word = value(mapping.currency, row, parent)
        let given = options.currency.map { [$0] }
        var stated = word.isEmpty ? given : WrittenNumber.currencies(word) ?? [Currency(rawValue: word.uppercased())]
        for template in [mapping.price, mapping.salePrice, mapping.comparePrice, mapping.discount] {
            guard case .currency(let named)? = WrittenNumber(value(template, row))?.unit else { continue }
            let common = (stated ?? named).filter(named.contains)
            guard !common.isEmpty else {
                let others = (stated ?? []).map(\.rawValue).listed("or")
                throw PriceFault(
                    named.count == 1
                        ? Self.reason(forCurrency: named[0].rawValue) : "a price in another currency than \(others)"
                )
            }
            stated = common
        }
        let chosen = stated?.count == 1 ? stated?.first : stated.flatMap { $0.first { $0 == options.currency } }
        guard let chosen else {
            let code = stated?.first.map { "\($0), or another currency with their sign" } ?? "KRW"
            throw PriceFault("no currency", help: "choose their currency: --currency \(code)")
        }
        guard allows(chosen) else {
            let help = "carry prices in \(chosen) over: --currency \(chosen)"
            throw PriceFault(Self.reason(forCurrency: "\(chosen)"), help: help)
        }
        return chosen
    }

    // MARK: Amounts

    /// The number in a cell; `nil` if there is none.
    private func number(
        _ template: ConversionMapping.Template?,
        _ row: Row,
        fractionDigits digits: Int,
        _ what: String,
        _ changes: inout Changes,
        fits: (WrittenNumber.Unit) -> Bool
    ) throws(PriceFault) -> ExactDecimal? {
        let text = value(template, row)
        guard !text.isEmpty else { return nil }
        guard let number = WrittenNumber(text), number.unit.map(fits) ?? true else {
            throw PriceFault("\(what) that is not a number")
        }
        guard number.form != .shortened else { throw PriceFault("\(what) that a spreadsheet shortened") }
        let readings = number.readings(fractionDigits: digits)
        guard readings.count == 1 else {
            let mark = number.isComma ? "comma may be a decimal comma" : "point may be a thousands separator"
            throw PriceFault("\(what) whose \(mark)")
        }
        guard let value = ExactDecimal(readings[0]) else { throw PriceFault("\(what) that is not a number") }
        // A missing zero before a point is not worth reporting.
        if number.form != .plain, number.unit != .percent, text.first != "." {
            changes.respelt.append("'\(text.excerpt)' is \(value)")
        }
        return value
    }

    /// The amount in a cell; `nil` if there is none.
    private func amount(
        _ template: ConversionMapping.Template?,
        _ row: Row,
        _ currency: Currency,
        _ changes: inout Changes
    ) throws(PriceFault) -> ExactDecimal? {
        let amount = try number(template, row, fractionDigits: currency.fractionDigits, "a price", &changes) { unit in
            if case .currency = unit { true } else { false }
        }
        guard let amount else { return nil }
        guard !amount.isNegative else { throw PriceFault("a price below 0") }
        guard Int(amount.scale) <= digits(of: currency) else {
            let bound = options.limits.priceFraction != nil ? "the market" : "\(currency)"
            throw PriceFault("a price with more digits after the point than \(bound) has")
        }
        return amount
    }

    private func digits(of currency: Currency) -> Int {
        options.limits.fractionDigits(of: currency) ?? currency.fractionDigits
    }

    func prices(_ row: Row, _ currency: Currency, _ changes: inout Changes) throws(PriceFault) -> Prices {
        guard var price = try amount(mapping.price, row, currency, &changes) else { throw PriceFault("no price") }
        var sale: ExactDecimal?
        do throws(PriceFault) {
            // A price of 0 is not a sale of a product that cost more.
            let before = try amount(mapping.comparePrice, row, currency, &changes)
            if let before, before > price {
                if price > .zero {
                    (price, sale) = (before, price)
                } else {
                    changes.reasons.append("its price is 0, and the price before the sale is left out")
                }
            }
        } catch {
            changes.reasons.append("the price before the sale is left out: \(error.reason)")
        }
        if sale == nil { sale = try salePrice(row, price, currency, &changes) }
        guard let sale, sale < price else { return (price, nil) }
        if sale == .zero {
            changes.reasons.append("the sale price is left out: 0 does not mean a sale")
        } else if let reason = reasonAgainstSale(row) {
            changes.reasons.append("the sale price is left out: \(reason)")
        } else {
            if !value(mapping.saleEnd, row).isEmpty {
                changes.reasons.append("the end of the sale is not carried over")
            }
            return (price, .price(sale))
        }
        return (price, nil)
    }

    /// The sale price of a row: its own, or the price minus an amount or a share.
    private func salePrice(
        _ row: Row,
        _ price: ExactDecimal,
        _ currency: Currency,
        _ changes: inout Changes
    ) throws(PriceFault) -> ExactDecimal? {
        if let sale = try amount(mapping.salePrice, row, currency, &changes) { return sale }
        if let off = try amount(mapping.discount, row, currency, &changes) {
            guard off <= price else { throw PriceFault("an amount off above the price") }
            return price.subtracting(off)
        }
        let share = try number(mapping.discountPercent, row, fractionDigits: 3, "a percentage off", &changes) {
            $0 == .percent
        }
        guard let share, share != .zero else { return nil }
        guard !share.isNegative, let left = ExactDecimal(100).subtracting(share), !left.isNegative else {
            throw PriceFault("a percentage off that is not from 0 to 100")
        }
        guard share >= 1 || value(mapping.discountPercent, row).contains(where: "%％".contains) else {
            throw PriceFault("a percentage off below 1 without its sign, which may be a share")
        }
        let (product, overflow) = price.significand.multipliedReportingOverflow(by: left.significand)
        let exact = overflow ? nil : ExactDecimal(significand: product, scale: Int(price.scale + left.scale) + 2)
        guard let exact, let sale = exact.rounded(toScale: digits(of: currency)) else {
            throw PriceFault("a percentage off with too many digits")
        }
        if sale != exact { changes.reasons.append("the sale price is rounded") }
        return sale
    }

    // MARK: Dates

    /// The reason why a sale is not in force today; `nil` if it is.
    ///
    /// The market itself neither starts nor ends sales.
    private func reasonAgainstSale(_ row: Row) -> String? {
        let bounds = [mapping.saleStart, mapping.saleEnd].map { template in
            let text = value(template, row)
            // Databases write `0000-00-00` for a missing date.
            return text.contains { $0.isLetter || $0.isNumber && $0 != "0" } ? text : ""
        }
        guard bounds != ["", ""] else { return nil }
        let days = bounds.map(Self.day)
        guard let today = options.today.flatMap(Self.day), zip(bounds, days).allSatisfy({ $0.isEmpty || $1 != nil })
        else { return "its dates cannot be read" }
        if let begins = days[0], begins > today { return "the sale has not begun" }
        if let ends = days[1], ends < today { return "the sale is over" }
        return nil
    }

    /// The day of a text as a number such as 20261127; `nil` unless the year comes first.
    ///
    /// A time and the offset of a time zone are ignored.
    static func day(_ text: String) -> Int? {
        let digits = text.split { !("0"..."9").contains($0) }
        if let first = digits.first, first.count == 8 { return Int(first) }
        let numbers = digits.prefix(3).compactMap { Int($0) }
        guard digits.first?.count == 4, numbers.count == 3, (1...12).contains(numbers[1]), (1...31).contains(numbers[2])
        else { return nil }
        return numbers[0] * 10_000 + numbers[1] * 100 + numbers[2]
    }

    // MARK: Stock

    func stock(_ row: Row, _ changes: inout Changes) throws(PriceFault) -> Int64? {
        // The shop does not sell the product, whatever its stock is.
        if mapping.inStock.map({ cell($0, row) }) == "0" {
            if value(mapping.stock, row) != "0" {
                changes.reasons.append("not in stock in the shop, so its stock is 0")
            }
            return 0
        }
        let found = try number(mapping.stock, row, fractionDigits: 0, "a stock", &changes) { $0 == .pieces }
        guard let found else {
            guard options.needsStock else { return nil }
            throw PriceFault(
                "no stock, which the market requires",
                help: "name the column of the stock in a mapping file (--mapping), or add one to the table"
            )
        }
        guard let units = found.wholeValue else { throw PriceFault("a stock that is not a whole number") }
        guard units < 0 else { return units }
        changes.reasons.append("the stock is below 0, and written as 0")
        return 0
    }
}
