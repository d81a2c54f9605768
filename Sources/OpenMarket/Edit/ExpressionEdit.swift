/// The edits of products by expressions.
package struct ExpressionEdit: Sendable {
    /// With products that are left alone.
    package private(set) var edits: [ProductEdit] = []
    /// How many products keep a sale price although the price changes.
    package private(set) var keptSales = 0

    /// Each expression sees the changes of the earlier ones; tombstones have no edits.
    ///
    /// Throws if amounts of several currencies would mix.
    package init(_ expressions: [FieldExpression], of listings: some Sequence<Listing>) throws(ExpressionError) {
        let listings = listings.filter { !$0.isAbsent }
        if let expression = expressions.first(where: \.needsOneCurrency) {
            let currencies = Set(listings.map(\.values.currency))
            try ExpressionError.checkOneCurrency("'\(expression.text.excerpt)'", currencies)
        }
        let reason = expressions.map(\.text).joined(separator: ", ")
        for listing in listings {
            var edited = listing
            var changes: [FieldEdit] = []
            do throws(FieldExpression.Refusal) {
                for expression in expressions {
                    for change in try expression.edits(of: edited) {
                        edited.take(change)
                        changes.removeAll { $0.field == change.field }
                        changes.append(change)
                    }
                }
            } catch {
                edits.append(ProductEdit(key: listing.key, .leave(because: error.reason), reason: reason))
                continue
            }
            guard !changes.isEmpty else { continue }
            edits.append(ProductEdit(key: listing.key, .change(changes), reason: reason))
            let fields = changes.map(\.field)
            if listing.values.sale?.salePrice != nil, fields.contains(.value(.price)),
                !fields.contains(.value(.salePrice))
            {
                keptSales += 1
            }
        }
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
