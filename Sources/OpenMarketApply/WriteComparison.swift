public import OpenMarket

/// Compares what a write sent with what the market's reply shows.
///
/// The market drops misspelt keys without a word (docs/profiles.md, "What you notice"), so a reply that says "done" is
/// not proof.
public enum WriteComparison {
    /// A field that the market shows otherwise than it was sent.
    public struct Difference: Hashable, Sendable, CustomStringConvertible {
        /// The field.
        public var field: ProductField
        /// What was sent, for people.
        public var sent: String
        /// What the reply shows, for people.
        public var shown: String

        /// One clause: `price: sent 100, the market shows 90`.
        public var description: String { "\(field.rawValue): sent \(sent), the market shows \(shown)" }
    }

    /// The fields that the market shows otherwise than sent.
    ///
    /// - Parameters:
    ///   - sent: The values as they were sent.
    ///   - fields: The fields that the request wrote.
    ///   - shown: The product as the reply shows it; a field that it does not show is tolerated.
    /// - Returns: The differences, in the order of the fields.
    public static func differences(
        sent: ProductValues,
        fields: Set<ProductField>,
        shown: LiveProduct
    ) -> [Difference] {
        fields.sorted().compactMap { field in
            guard let pair = pair(field, sent: sent, shown: shown), pair.sent != pair.shown else { return nil }
            return Difference(field: field, sent: pair.sent.summary, shown: pair.shown.summary(beside: pair.sent))
        }
    }

    /// Both sides of a field in comparable form; `nil` where one of them has nothing to compare.
    private static func pair(
        _ field: ProductField,
        sent: ProductValues,
        shown: LiveProduct
    ) -> (sent: Comparand, shown: Comparand)? {
        func pair<Value>(_ sent: Value?, _ shown: Value?, _ wrap: (Value) -> Comparand) -> (Comparand, Comparand)? {
            guard let sent, let shown else { return nil }
            return (wrap(sent), wrap(shown))
        }
        return switch field {
        case .name: pair(sent.name, shown.name) { .text(ExactText($0)) }
        case .description: pair(sent.description, shown.description) { .text(ExactText($0)) }
        case .price: pair(sent.price, shown.price, Comparand.number)
        case .currency: pair(sent.currency?.rawValue, shown.currency?.rawValue) { .text(ExactText($0)) }
        case .salePrice:
            pair(
                sent.sale?.normalized(price: sent.price ?? shown.price),
                shown.sale?.normalized(price: shown.price),
                Comparand.sale
            )
        case .stock: pair(sent.stock, shown.stock, Comparand.integer)
        case .images: pair(sent.images?.count, shown.images?.count, Comparand.imageCount)
        // The market renames pictures; which one became the thumbnail cannot be read from a reply.
        case .thumbnail: nil
        }
    }

    private enum Comparand: Equatable {
        case text(ExactText)
        case number(ExactDecimal)
        case integer(Int64)
        case sale(Sale)
        case imageCount(Int)

        /// The summary, in words where it would look like the other's.
        func summary(beside other: Comparand) -> String {
            if case (.text(let own), .text(let other)) = (self, other), own.text == other.text {
                return "the same characters in other bytes"
            }
            return summary
        }

        var summary: String {
            switch self {
            case .text(let exact):
                exact.text.count > 40 ? "“\(exact.text.prefix(40))…”" : "“\(exact.text)”"
            case .number(let number): number.description
            case .integer(let number): String(number)
            case .sale(.none): "no sale"
            case .sale(.price(let price)): price.description
            case .imageCount(1): "1 picture"
            case .imageCount(let count): "\(count) pictures"
            }
        }
    }
}

extension Sale {
    /// The sale with a sale at the full price read as none, as v1 spells it.
    func normalized(price: ExactDecimal?) -> Sale {
        switch self {
        case .none: .none
        case .price(let salePrice): Sale.at(salePrice, insteadOf: price)
        }
    }
}
