extension Operation {
    /// The product as it is when the operation is through: what it writes, and for the rest what the market showed.
    ///
    /// `nil` where nobody knows, and everywhere for what sends nothing or deletes.
    public var outcome: ProductValues {
        switch action {
        case .create, .replace: return desired
        case .update:
            var values = live
            for field in changedFields { values[field] = desired[field] }
            // A price never moves what buyers pay in a sale: where the market stores an amount off, that moves along.
            values.sale = values.sale?.normalized(price: values.price)
            return values
        case .adopt, .delete, .forget: return ProductValues()
        }
    }
}

extension ProductValues {
    /// What a buyer pays: the sale price, or else the price.
    public var payable: ExactDecimal? { sale?.salePrice ?? price }
}
