extension ProductValues {
    /// Why no manifest could ask for a value of these fields on any market; `nil` if one could.
    ///
    /// For values from a file that claims to come from a manifest.
    package func impossible(in fields: some Sequence<ProductField>) -> (field: ProductField, message: String)? {
        for field in fields {
            let message: String? =
                switch self[field] {
                case .text(let text): Self.fault(of: text, in: field)
                case .number(let price): price.isNegative ? "is negative" : currency?.fault(of: price)
                case .integer(let stock): stock < 0 ? "is negative" : nil
                case .sale(.price(let sale)):
                    sale.isNegative
                        ? "is negative"
                        : price.map { $0 < sale } ?? false ? "is above the price" : currency?.fault(of: sale)
                case .sale(.fullPrice), .images, .image, nil: nil
                }
            if let message { return (field, message) }
        }
        return nil
    }

    private static func fault(of text: String, in field: ProductField) -> String? {
        if text.isEmpty { return field == .description ? nil : "is empty" }
        if field == .currency, !Currency(rawValue: text).isStandard { return "is not a code of ISO 4217" }
        let isOneLine = field != .description
        let hasControl = text.unicodeScalars.contains { scalar in
            scalar.properties.generalCategory == .control && (isOneLine || !"\n\r\t".unicodeScalars.contains(scalar))
        }
        return hasControl ? "holds a control character" : nil
    }
}
