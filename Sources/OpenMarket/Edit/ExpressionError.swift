/// Why a text is neither an expression nor a condition, or does not fit the products.
package struct ExpressionError: Error, Hashable, Sendable {
    package var message: String
    package var help: String?

    package init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }

    /// The field with a name; `others` are further possible names.
    static func field(
        _ name: String,
        of fields: [FieldEdit.Field],
        beside others: [String] = []
    ) throws(ExpressionError) -> FieldEdit.Field {
        if let field = fields.first(where: { $0.name == name }) { return field }
        let names = others + fields.map(\.name)
        throw ExpressionError(
            "unknown field '\(name.excerpt)'",
            help: Suggestion.nearest(to: name, in: names).map { "did you mean '\($0)'?" }
                ?? "the fields are \(names.listed("and"))"
        )
    }

    static func flag(_ text: String, in whole: String) throws(ExpressionError) -> Bool {
        if text == "true" || text == "false" { return text == "true" }
        throw ExpressionError("'\(whole.excerpt)': 'protected' is 'true' or 'false'")
    }

    /// Throws if amounts of these products are in more than one currency.
    static func checkOneCurrency(_ what: String, _ currencies: Set<Currency?>) throws(ExpressionError) {
        guard currencies.count > 1 else { return }
        let names = currencies.compactMap { $0?.rawValue }.sorted()
        let others = currencies.contains(nil) ? ["no stated currency"] : []
        throw ExpressionError(
            "\(what): amounts of \((names + others).listed("and")) do not mix",
            help: names.first.map { "choose one by 'where', as in 'currency=\($0)'" }
        )
    }
}

extension FieldEdit.Field {
    static let scalars = ProductField.allCases.filter { $0.kind != .images && $0.kind != .image }.map(Self.value)
    static let numbers: [Self] = [.value(.price), .value(.salePrice), .value(.stock)]
    static let all = ProductField.allCases.map(Self.value) + [.protected, .id]
}
