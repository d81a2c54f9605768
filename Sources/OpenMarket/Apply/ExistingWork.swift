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

    /// The product when the plan was created.
    var planned: (values: ProductValues, pictures: LivePictures) {
        switch self {
        case .update(let update): (update.live, update.livePictures)
        case .replace(let replacement): (replacement.live, replacement.livePictures)
        case .delete(let deletion): (deletion.live, deletion.livePictures)
        }
    }

    /// The fields that cause a stale operation if they changed since the plan.
    ///
    /// An update watches the fields that it writes, and with an amount also the other fields that determine what buyers
    /// pay. A replace writes all fields except those that it copies. A delete is refused if anything of the product
    /// that it destroys changed, except for its stock, which buyers change.
    var watchedFields: Set<ProductField> {
        let all = Set(ProductField.allCases)
        switch self {
        case .update(let update):
            let (written, money) = (update.changedFields, [ProductField.price, .salePrice, .currency])
            guard !written.isDisjoint(with: money) else { return written }
            return written.union(money.filter { update.desired[$0] != nil && !update.ignored.contains($0) })
        case .replace(let replacement): return all.subtracting(replacement.carriedOver)
        case .delete: return all.subtracting([.stock])
        }
    }

    /// Copies the product's current values of the fields that the operation does not change.
    mutating func refresh(from product: LiveProduct) {
        switch self {
        case .update(var update):
            let watched = watchedFields
            for field in ProductField.allCases where !watched.contains(field) {
                if let now = product.values[field] { update.live[field] = now }
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
    /// Why the operation cannot be applied as planned; `nil` if it can.
    var mismatch: String? {
        // Listed creates, which are most operations of large plans, are not decoded.
        guard action == .update || action == .replace else { return nil }
        return switch work {
        case .update(let update): ExistingWork.update(update).mismatch
        case .replace(let replacement): ExistingWork.replace(replacement).mismatch
        case .adopt, .create, .delete, .forget, .rename: nil
        }
    }
}
