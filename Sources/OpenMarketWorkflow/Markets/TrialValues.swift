import OpenMarket

/// The values of a probe's product: the first ones and their changes.
struct TrialValues {
    let first: ProductValues
    let second: ProductValues

    /// Values that a market accepts; its texts hold `mark`.
    init(_ mark: TrialMark, _ capabilities: MarketCapabilities, _ limits: ProductLimits) {
        let currency = limits.currencies?.first ?? .krw
        let digits = min(limits.fractionDigits(of: currency) ?? 2, 2)
        func amount(_ units: Int64) -> ExactDecimal {
            ExactDecimal(significand: units, scale: digits) ?? ExactDecimal(units)
        }
        func values(_ word: String, price: Int64, stock: Int64) -> ProductValues {
            var values = ProductValues.blank
            values.name = Self.text("openmarket \(mark.key)\(word)", mark, within: limits.nameLength)
            values.description = Self.text(
                "\(mark.key)\(word): created to test writing to this market, and deleted again.",
                mark,
                within: limits.descriptionLength
            )
            values.price = amount(price)
            values.currency = currency
            values.sale = .price(amount(price - 1150))
            values.stock = stock
            for field in ProductField.allCases where !capabilities.writableFields.contains(field) {
                values[field] = nil
            }
            return values
        }
        first = values("", price: 12_350, stock: 3)
        second = values(" again", price: 13_475, stock: 4)
    }

    /// A text of an allowed length that holds the mark.
    private static func text(_ text: String, _ mark: TrialMark, within range: ClosedRange<Int>) -> String {
        if text.count > range.upperBound {
            let short = mark.key.count > range.upperBound ? String(mark.letters) : mark.key
            return text.hasPrefix(short) ? String(text.prefix(range.upperBound)) : short
        }
        var text = text
        while text.count < range.lowerBound { text += " " + mark.key }
        return text
    }
}

extension FieldValue {
    var trialText: String {
        switch self {
        case .text(let text): "'\(text.excerpt)'"
        case .number(let number): number.description
        case .integer(let number): "\(number)"
        case .sale(.fullPrice): "no sale"
        case .sale(.price(let price)): price.description
        case .images(let images): counted(images.count, "picture")
        case .image: "a picture"
        }
    }
}
