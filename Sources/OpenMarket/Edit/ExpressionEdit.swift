/// An edit by expressions: assignments for the products that fit some conditions.
package struct ExpressionEdit: Sendable {
    /// In order: each sees the changes of the earlier ones.
    package var expressions: [FieldExpression]
    package var conditions: [ProductCondition]
    /// Selects products in addition to the conditions.
    package var filter: KeyFilter

    package init(
        _ expressions: [FieldExpression],
        where conditions: [ProductCondition] = [],
        filter: KeyFilter = KeyFilter()
    ) {
        self.expressions = expressions
        self.conditions = conditions
        self.filter = filter
    }

    package struct Outcome: Hashable, Sendable {
        /// In the order of the listings, with products that are left alone.
        package var edits: [ProductEdit] = []
        package var unselected = 0
        /// How many products keep a sale price although a share of the price changes.
        package var keptSales = 0
    }

    /// The edits of the listings; tombstones have none.
    ///
    /// Throws if amounts of several currencies would mix.
    package func edits(of listings: Listings) throws(ExpressionError) -> Outcome {
        let candidates = listings.indices.lazy.filter { filter.takes(listings.key(at: $0)) }
        let selected = try conditions.matches(in: candidates.map { (index: $0, listing: listings[$0]) })
            .filter { !$0.listing.isAbsent }
        if let expression = expressions.first(where: \.needsOneCurrency) {
            let currencies = Set(selected.map(\.listing.values.currency))
            try ExpressionError.checkOneCurrency("'\(expression.text.excerpt)'", currencies)
        }
        var outcome = Outcome()
        outcome.unselected = listings.count - selected.count
        let reason = expressions.map(\.text).joined(separator: ", ")
        for (_, listing) in selected {
            do throws(FieldExpression.Refusal) {
                let result = try Self.result(of: expressions, listing)
                guard !result.edits.isEmpty else { continue }
                outcome.edits.append(ProductEdit(key: listing.key, .change(result.edits), reason: reason))
                if result.keepsSale { outcome.keptSales += 1 }
            } catch {
                outcome.edits.append(ProductEdit(key: listing.key, .leave(because: error.reason), reason: reason))
            }
        }
        return outcome
    }

    /// The changes of a product by all expressions, one for each field.
    private static func result(
        of expressions: [FieldExpression],
        _ listing: Listing
    ) throws(FieldExpression.Refusal) -> (edits: [FieldEdit], keepsSale: Bool) {
        var edited = listing
        var edits: [FieldEdit] = []
        var movesPrice = false
        for expression in expressions {
            for edit in try expression.edits(of: edited) {
                edited.take(edit)
                edits.removeAll { $0.field == edit.field }
                edits.append(edit)
                if edit.field == .value(.price), expression.movesPriceAlone { movesPrice = true }
            }
        }
        let keepsSale =
            movesPrice && listing.values.sale?.salePrice != nil && edited.values.sale == listing.values.sale
        return (edits, keepsSale)
    }
}

extension Listing {
    /// Gives the listing the wanted value of an edit; paths of pictures stay.
    package mutating func take(_ edit: FieldEdit) {
        switch (edit.field, edit.wanted) {
        case (.value(let field), .value(let value)): values[field] = value
        case (.value(let field), nil): values[field] = nil
        case (.protected, .flag(let flag)): isProtected = flag
        case (.protected, nil): isProtected = false
        case (.id, nil): pinnedID = nil
        default: break
        }
    }
}
