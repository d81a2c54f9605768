import OpenMarket
import YAML

extension ValueDecoder {
    /// An exact decimal number without exponent.
    mutating func decimal(_ node: YAMLNode, field: String) -> ExactDecimal? {
        text(node, field: field).flatMap { decimal($0, at: node.span, field: field) }
    }

    private mutating func decimal(_ text: Text, at span: SourceSpan, field: String) -> ExactDecimal? {
        if NumberSpelling.isDecimal(text.value) {
            if let bare = NumberSpelling.withoutPointsBetweenThousands(text.value),
                let whole = NumberSpelling.withoutZeroFraction(text.value)
            {
                report(
                    .number,
                    "\(text.shown) can be read as \(bare) and as \(whole)",
                    at: span,
                    field: field,
                    help: text.origin == .written ? "write \(bare) or \(whole)" : nil
                )
                return nil
            }
            if let number = ExactDecimal(text.value) { return number }
            report(.number, "\(text.shown) has more digits than a number can have", at: span, field: field)
            return nil
        }
        let value = text.value
        let problem: String
        var help: String?
        let bare = String(value.filter { $0 != "_" && $0 != "," && $0 != " " })
        if value.lowercased().hasPrefix("0x") {
            problem = "\(text.shown) is hexadecimal"
            help = "write the number in decimal"
        } else if value.contains(where: { $0 == "e" || $0 == "E" }), let number = ExactDecimal(value) {
            problem = "\(text.shown) has an exponent"
            help = "write it out: \(number)"
        } else if bare != value, NumberSpelling.isDecimal(bare) {
            problem = "\(text.shown) has separators"
            help = text.origin == .written && NumberSpelling.isGrouped(value) ? "write \(bare)" : nil
        } else if let bare = NumberSpelling.withoutPointsBetweenThousands(value) {
            problem = "\(text.shown) has points between thousands"
            help = text.origin == .written ? "write \(bare)" : nil
        } else {
            problem = "\(text.shown) is not a number"
            help = text.origin == .written ? NumberSpelling.plain(value).map { "write \($0)" } : nil
        }
        report(.number, problem, at: span, field: field, help: help)
        return nil
    }

    /// A price, which must not be negative.
    mutating func amount(_ node: YAMLNode, field: String) -> ExactDecimal? {
        decimal(node, field: field).flatMap { amount($0, at: node.span, field: field) }
    }

    /// A price as written in a table cell.
    mutating func amount(_ text: String, at span: SourceSpan, field: String) -> ExactDecimal? {
        decimal(Text(value: text, origin: .written), at: span, field: field)
            .flatMap { amount($0, at: span, field: field) }
    }

    private mutating func amount(_ number: ExactDecimal, at span: SourceSpan, field: String) -> ExactDecimal? {
        guard !number.isNegative else {
            report(.negativeNumber, "'\(field)' is \(number), and cannot be negative", at: span, field: field)
            return nil
        }
        return number
    }

    mutating func integer(_ node: YAMLNode, field: String, in range: ClosedRange<Int64>) -> Int64? {
        decimal(node, field: field).flatMap { integer($0, at: node.span, field: field, in: range) }
    }

    /// A whole number as written in a table cell.
    mutating func integer(
        _ text: String,
        at span: SourceSpan,
        field: String,
        in range: ClosedRange<Int64>
    ) -> Int64? {
        integer(Text(value: text, origin: .written), at: span, field: field, in: range)
    }

    mutating func integer(
        _ text: Text,
        at span: SourceSpan,
        field: String,
        in range: ClosedRange<Int64>
    ) -> Int64? {
        decimal(text, at: span, field: field).flatMap { integer($0, at: span, field: field, in: range) }
    }

    private mutating func integer(
        _ number: ExactDecimal,
        at span: SourceSpan,
        field: String,
        in range: ClosedRange<Int64>
    ) -> Int64? {
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

    /// The id of a product; only all files together show whether it is a number or a text.
    ///
    /// `whole` reads it as a number. The claim is `nil` if the id is written as all numbers are.
    mutating func id(
        _ text: Text,
        at span: SourceSpan,
        field: String,
        whole: (inout ValueDecoder) -> Int64?
    ) -> (id: MarketID, claim: ClaimedID?) {
        if let id = MarketID(spelled: text.value, as: .number) { return (id, nil) }
        let wasFaulty = isFaulty
        let count = log.count
        var number = whole(&self)
        let digits = text.value.drop { $0 == "+" }
        if let found = number, digits.first == "0" {
            report(
                .number,
                "\(text.shown) begins with a zero, and '\(field)' is a whole number",
                at: span,
                field: field,
                help: "write \(found)"
            )
            number = nil
        }
        isFaulty = wasFaulty
        let claim = ClaimedID(
            spelling: text.value,
            isNumber: number != nil,
            faults: log.withhold(from: count),
            file: file,
            span: span,
            path: path(of: field)
        )
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
        let code = Currency(rawValue: NumberSpelling.currencyCode(text.value))
        // A code of another currency is not a misspelling of a known one.
        let isCode = code.rawValue.isExactly(text.value) && text.value.utf8.count == 3
        let near = code.isStandard ? code.rawValue : isCode ? nil : Suggestion.nearest(to: text.value, in: names)
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
        var units: Int64?
        for pair in pairs {
            guard let key = ManifestSchema.StockKey(rawValue: pair.key.name) else {
                report(
                    .unknownKey,
                    "unknown key '\(pair.key.name.excerpt)'",
                    at: pair.key.span,
                    field: "stock.\(pair.key.name.excerpt)",
                    help: "a stock is a number or {initial: N}"
                )
                continue
            }
            switch key {
            case .initial: units = integer(pair.value, field: "stock." + key.rawValue, in: key.entry.type.range)
            }
            if units == nil { return nil }
        }
        guard let units else {
            if pairs.isEmpty {
                report(
                    .noValue,
                    "'stock' has no number",
                    at: node.span,
                    field: "stock",
                    help: "write a number or {initial: N}"
                )
            }
            return nil
        }
        return (units, true)
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
                help: (text.origin == .written ? NumberSpelling.shareHelp(for: text.value) : nil) ?? "write it like 30%"
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
