import OpenMarket
import YAML

extension ValueDecoder {
    /// What a number measures, which determines its units and fractions.
    enum Measure {
        case plain
        case whole
        /// An amount in the product's currency, if that is stated.
        case money(Currency?)

        fileprivate var fractionDigits: Int? {
            switch self {
            case .plain, .money(nil): nil
            case .whole: 0
            case .money(let currency?): currency.fractionDigits
            }
        }
    }

    /// An exact decimal number without exponent, separators and units.
    ///
    /// In a cell of a table a point before three digits is refused, because it may separate thousands; in YAML only if
    /// all of them are 0.
    mutating func decimal(
        _ text: Text,
        _ measure: Measure,
        isCell: Bool = false,
        at span: SourceSpan,
        field: String
    ) -> ExactDecimal? {
        guard let number = WrittenNumber(text.value) else {
            report(.number, "\(text.shown) is not a number", at: span, field: field)
            return nil
        }
        let isExact =
            number.grouped != nil && number.form == .plain && !isCell && ExactDecimal(number.plain)?.wholeValue == nil
        let readings = isExact ? [number.plain] : number.readings(fractionDigits: measure.fractionDigits)
        if number.form == .plain, readings.count == 1 {
            if let value = ExactDecimal(readings[0]) { return value }
            report(.number, "\(text.shown) has more digits than a number can have", at: span, field: field)
            return nil
        }
        let values = readings.map { ExactDecimal($0)?.description ?? $0 }
        var problem = "\(text.shown) is not a plain number"
        var help: String? = "write \(readings[0])"
        if values.count > 1 {
            problem = "\(text.shown) can be read as \(values.listed("and as"))"
            let digits = measure.fractionDigits ?? .max
            help = "write \(values.filter { Int(ExactDecimal($0)?.scale ?? 0) <= digits }.listed("or"))"
        } else if number.form == .shortened {
            problem = "\(text.shown) is a number that a spreadsheet shortened: its digits may be lost"
            help = "write it out, in a column that is formatted as text, or as a number without exponent"
        }
        switch (number.unit, measure) {
        case (nil, _), (.pieces?, .whole): break
        case (.currency(let named)?, .money(let currency?)):
            if named.contains(currency) { break }
            problem = "\(text.shown) is not in \(currency), the currency of this product"
            help = "give the amount in \(currency)"
        case (.currency(let named)?, .money(nil)):
            help? += ", and \(named.count == 1 ? "\(named[0])" : "its currency") in 'currency'"
        default: help = nil
        }
        report(.number, problem, at: span, field: field, help: text.origin == .written ? help : nil)
        return nil
    }

    /// An amount, which must not be negative.
    mutating func amount(_ node: YAMLNode, _ measure: Measure = .plain, field: String) -> ExactDecimal? {
        guard let text = text(node, field: field),
            let number = decimal(text, measure, at: node.span, field: field)
        else { return nil }
        guard !number.isNegative else {
            report(.negativeNumber, Self.negative(number, field), at: node.span, field: field)
            return nil
        }
        return number
    }

    static func negative(_ number: ExactDecimal, _ field: String) -> String {
        "'\(field)' is \(number), and cannot be negative"
    }

    mutating func integer(_ node: YAMLNode, field: String, in range: ClosedRange<Int64>) -> Int64? {
        text(node, field: field).flatMap { integer($0, at: node.span, field: field, in: range) }
    }

    mutating func integer(
        _ text: Text,
        isCell: Bool = false,
        at span: SourceSpan,
        field: String,
        in range: ClosedRange<Int64>
    ) -> Int64? {
        guard let number = decimal(text, .whole, isCell: isCell, at: span, field: field) else { return nil }
        guard let whole = number.wholeValue else {
            report(.numberRange, "'\(field)' is \(number), and must be a whole number", at: span, field: field)
            return nil
        }
        guard range.contains(whole) else {
            let bound =
                whole < range.lowerBound
                ? (range.lowerBound == 0 ? "cannot be negative" : "must be at least \(range.lowerBound)")
                : "must be at most \(range.upperBound)"
            report(.numberRange, "'\(field)' is \(whole), and \(bound)", at: span, field: field)
            return nil
        }
        return whole
    }

    /// The id of a product; only all files together show whether ids are numbers or texts.
    ///
    /// The claim is `nil` if the id is written as a number.
    func id(_ text: Text, at span: SourceSpan) -> (id: MarketID, claim: UnresolvedID?) {
        if let id = MarketID(spelled: text.value, as: .number) { return (id, nil) }
        // `+7` and `7.0`, but not `007` and `7.000`.
        let written = WrittenNumber(text.value).flatMap { $0.form == .plain && $0.grouped == nil ? $0.plain : nil }
        let hasZero = written?.first { $0 != "+" } == "0"
        let number = written.flatMap { ExactDecimal($0)?.wholeValue }.flatMap { $0 > 0 && !hasZero ? $0 : nil }
        let path = path(of: "id")
        let claim = UnresolvedID(text: text, isNumber: number != nil, file: file, span: span, path: path)
        return (number.map(MarketID.number) ?? .text(text.value), claim)
    }

    mutating func boolean(_ node: YAMLNode, field: String) -> Bool? {
        guard let text = text(node, field: field) else { return nil }
        switch text.value {
        case "true", "True", "TRUE": return true
        case "false", "False", "FALSE": return false
        default:
            let help: String? =
                switch text.value.lowercased() {
                case "yes", "on", "y", "1": "write true"
                case "no", "off", "n", "0": "write false"
                default: nil
                }
            report(
                .boolean,
                "'\(field)' must be true or false, and not \(text.shown)",
                at: node.span,
                field: field,
                help: help
            )
            return nil
        }
    }

    /// A code of ISO 4217; the market's limits may allow fewer.
    mutating func currency(_ node: YAMLNode, field: String) -> Currency? {
        text(node, field: field).flatMap { currency($0, at: node.span, field: field) }
    }

    mutating func currencies(_ node: YAMLNode, field: String) -> [Currency] {
        texts(node, field: field).compactMap { text, item in currency(text, at: item.span, field: field) }
    }

    private mutating func currency(_ text: Text, at span: SourceSpan, field: String) -> Currency? {
        let currency = Currency(rawValue: text.value)
        if currency.isStandard { return currency }
        let names = Currency.known.map(\.rawValue)
        let named = WrittenNumber.currencies(text.value) ?? []
        let meant = Currency.known.first(where: named.contains) ?? (named.count == 1 ? named[0] : nil)
        // A code of another currency is not a misspelling of a supported one.
        let isCode = text.value.uppercased().isExactly(text.value) && text.value.utf8.count == 3
        let near = meant?.rawValue ?? (isCode ? nil : Suggestion.nearest(to: text.value, in: names))
        report(
            .currency,
            "'\(field)' must be \(names.listed("or")), and not \(text.shown)",
            at: span,
            field: field,
            help: near.map { "did you mean '\($0)'?" }
                ?? "codes are those of ISO 4217: give the price in \(names.listed("or"))"
        )
        return nil
    }

    /// `12`, or `{initial: 12}` for a stock that is only set when the product is created.
    mutating func stock(_ node: YAMLNode) -> (units: Int64, isInitial: Bool)? {
        guard let pairs = node.pairs else {
            return integer(node, field: "stock", in: ManifestSchema.ValueType.stock.range).map { ($0, false) }
        }
        let key = ManifestSchema.StockKey.initial
        guard let pair = pairs.first, pairs.count == 1, pair.key.name == key.rawValue else {
            report(.wrongType, "'stock' must be a number or {initial: N}", at: node.span, field: "stock")
            return nil
        }
        return integer(pair.value, field: "stock." + key.rawValue, in: key.entry.type.range).map { ($0, true) }
    }

    mutating func ignoredFields(_ node: YAMLNode) -> Set<ProductField> {
        var fields: Set<ProductField> = []
        for (text, item) in texts(node, field: "ignore_changes") {
            if let field = ProductField(rawValue: text.value) {
                fields.insert(field)
                continue
            }
            let near =
                text.value == "discount"
                ? "sale_price"
                : ProductKey.synonyms[text.value].flatMap { ProductField(rawValue: $0.rawValue) }?.rawValue
                    ?? Suggestion.nearest(to: text.value, in: ProductField.allCases.map(\.rawValue))
            report(
                .fieldName,
                "\(text.shown) is not a field of a product",
                at: item.span,
                field: "ignore_changes",
                help: near.map { "did you mean '\($0)'?" } ?? "the fields are "
                    + ProductField.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        return fields
    }

    /// Hosts, each with or without a port: `cdn.example.org`, `127.0.0.1:9000`.
    mutating func hosts(_ node: YAMLNode, field: String) -> [String] {
        texts(node, field: field).compactMap { text, item in
            do throws(MarketURL.Fault) {
                return try MarketURL.host(text.value)
            } catch {
                report(
                    .pictureHost,
                    "'\(field)': \(text.shown) \(error.message)",
                    at: item.span,
                    field: field,
                    help: error.help
                )
            }
            return nil
        }
    }

    /// A share such as `30%` or `2.5%`, in hundredths of a percent.
    mutating func percentage(_ node: YAMLNode, field: String, most: Int64?) -> Int64? {
        guard let text = text(node, field: field) else { return nil }
        guard let points = ExactDecimal.basisPoints(text.value) else {
            report(
                .percentage,
                "'\(field)' must be a percentage, and not \(text.shown)",
                at: node.span,
                field: field,
                help: "write it like 30%"
            )
            return nil
        }
        if let most, points > most * 100 {
            report(
                .percentage,
                "'\(field)' is \(text.value), and must be at most \(most)%",
                at: node.span,
                field: field
            )
            return nil
        }
        return points
    }
}
