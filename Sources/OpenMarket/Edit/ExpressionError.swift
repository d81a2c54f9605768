/// Why a text is no expression or no condition, or does not fit the products.
package struct ExpressionError: Error, Hashable, Sendable {
    package var message: String
    package var help: String?

    package init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }

    /// A name that is none of `names`.
    static func unknownField(_ name: String, _ names: [String]) -> ExpressionError {
        let near = Suggestion.nearest(to: name, in: names)
        return ExpressionError(
            "there is no field '\(name.excerpt)' here",
            help: near.map { "did you mean '\($0)'?" } ?? "there are \(names.listed("and"))"
        )
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
