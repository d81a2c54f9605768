@testable import OpenMarket

/// What must hold for expressions and conditions, whatever the texts.
enum ExpressionFuzz {
    /// What is wrong with them; `nil` when nothing is.
    ///
    /// Each line is an assignment, a condition, a step and an ending at once.
    static func fault(_ bytes: [UInt8]) -> String? {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").prefix(32).map(String.init) {
            var expressions = [try? FieldExpression(line)].compactMap(\.self)
            for text in ["price=x1.1", line] {
                guard let plain = try? FieldExpression(text) else { continue }
                for rounding in [rounding(line), rounding("900"), rounding("0.99"), rounding("9223372036854775807")] {
                    for way in rounding {
                        var rounded = plain
                        rounded.rounding = way
                        expressions.append(rounded)
                    }
                }
            }
            for expression in expressions {
                for listing in listings {
                    // A product that is left alone is no fault.
                    for edit in (try? expression.edits(of: listing)) ?? [] {
                        if let fault = fault(edit) { return "\(line): \(fault)" }
                    }
                }
            }
            guard let condition = try? ProductCondition(line) else { continue }
            for listing in listings { _ = condition.holds(for: listing) }
        }
        return nil
    }

    private static func rounding(_ text: String) -> [FieldExpression.Rounding] {
        let step = try? FieldExpression.Rounding(step: text)
        let ending = try? FieldExpression.Rounding(ending: text)
        return [step, ending].compactMap(\.self)
    }

    private static func fault(_ edit: FieldEdit) -> String? {
        switch edit.wanted {
        case .value(.number(let number)), .value(.sale(.price(let number))):
            number.isNegative ? "a price below 0" : nil
        case .value(.integer(let number)): number < 0 ? "a stock below 0" : nil
        default: nil
        }
    }

    private static let listings = [
        (Currency?.some(.krw), ExactDecimal(71000)), (.usd, ExactDecimal(significand: 1699, scale: 2)),
        (Currency(rawValue: "BHD"), ExactDecimal(significand: 1, scale: 18)), (nil, ExactDecimal(.max)), (nil, nil),
    ].map { currency, price in
        Listing(
            key: "lamp",
            file: "shop.yaml",
            position: SourcePosition(line: 1, column: 1),
            values: ProductValues(
                name: "Lamp",
                price: price,
                currency: currency,
                sale: price.map(Sale.price),
                stock: price == nil ? nil : .max
            )
        )
    }
}
