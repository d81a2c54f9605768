/// Work on an existing product, which is read again before the first request.
enum ExistingWork: Hashable, Sendable {
    case update(PlannedOperation.Update)
    case replace(PlannedOperation.Replacement)
    case delete(PlannedOperation.Deletion)

    var id: MarketID {
        switch self {
        case .update(let update): update.id
        case .replace(let replacement): replacement.id
        case .delete(let deletion): deletion.id
        }
    }

    var live: ProductValues {
        switch self {
        case .update(let update): update.live
        case .replace(let replacement): replacement.live
        case .delete(let deletion): deletion.live
        }
    }

    /// The fields whose changes since the plan make it stale.
    ///
    /// An update ignores unmanaged and ignored fields; a replace copies their current values. A delete is refused if
    /// anything of the product that it destroys changed.
    var watchedFields: Set<ProductField> {
        let all = Set(ProductField.allCases)
        return switch self {
        case .update(let update):
            update.changedFields.union(all.filter { update.desired[$0] != nil && !update.ignored.contains($0) })
        case .replace(let replacement): all.subtracting(replacement.carriedOver)
        case .delete: all
        }
    }

    /// Copies the product's current values of the fields that the operation leaves alone.
    mutating func refresh(from product: LiveProduct) {
        switch self {
        case .update(var update):
            let changed = update.changedFields
            for field in ProductField.allCases where !changed.contains(field) {
                guard update.desired[field] == nil || update.ignored.contains(field), let now = product.values[field]
                else {
                    continue
                }
                update.live[field] = now
            }
            self = .update(update)
        case .replace(var replacement):
            for field in replacement.carriedOver {
                guard let now = product.values[field] else { continue }
                replacement.live[field] = now
                replacement.product.values[field] = now
            }
            replacement.product.values.normalizeSale()
            self = .replace(replacement)
        case .delete: break
        }
    }

    /// The message if the sale price would not fit the price after the work.
    var mismatch: String? {
        let outcome: ProductValues
        switch self {
        case .update(let update):
            // If neither is written, both stay as they are.
            guard !update.changedFields.isDisjoint(with: [.price, .salePrice]) else { return nil }
            outcome = update.outcome
        case .replace(let replacement): outcome = replacement.product.values
        case .delete: return nil
        }
        guard let price = outcome.price, let salePrice = outcome.sale?.salePrice, salePrice > price || salePrice < .zero
        else { return nil }
        return "its sale price is \(salePrice), which does not fit a price of \(price)"
    }
}

extension PlannedOperation {
    /// Why the operation cannot be applied as planned; `nil` if nothing prevents it.
    var mismatch: String? {
        let existing: ExistingWork
        switch action {
        case .update, .replace:
            switch work {
            case .update(let update): existing = .update(update)
            case .replace(let replacement): existing = .replace(replacement)
            case .adopt, .create, .delete, .forget: return nil
            }
        case .adopt, .create, .delete, .forget: return nil
        }
        return existing.mismatch
    }
}
