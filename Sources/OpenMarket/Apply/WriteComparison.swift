/// Compares the values of a write with the market's reply.
///
/// The market drops misspelt keys silently (docs/reference/open-market-versions.md, "Differences"), so a reply that
/// reports success does not prove it.
enum WriteComparison {
    struct Difference: Hashable, Sendable, CustomStringConvertible {
        var field: ProductField
        var sent: String
        var shown: String

        /// One clause: `price: sent 100, the market shows 90`.
        package var description: String { "\(field.rawValue): sent \(sent), the market shows \(shown)" }
    }

    /// The fields that differ between the reply and the sent values, in the order of the fields.
    ///
    /// `fields` are those that the request wrote. A field that this kind of reply need not show is tolerated; one that
    /// is ``LiveProduct/blank`` or ``LiveProduct/unset`` differs from any value. In `normalised` fields the market's
    /// rewritten value is accepted.
    static func differences(
        sent: ProductValues,
        fields: Set<ProductField>,
        shown: LiveProduct,
        normalised: Set<ProductField> = []
    ) -> [Difference] {
        let lacked = shown.lackedFields(of: sent)
        return fields.sorted().compactMap { field in
            guard let wanted = comparand(field, of: sent, price: sent.price ?? shown.price) else {
                return field == .salePrice ? belowZero(shown) : nil
            }
            guard let found = comparand(field, of: shown) else {
                guard lacked.contains(field) else { return nil }
                return Difference(field: field, sent: wanted.summary(of: field, beside: nil), shown: "no value")
            }
            guard wanted != found, !normalised.contains(field) else { return nil }
            let looksAlike = wanted.looksLike(found)
            return Difference(
                field: field,
                sent: wanted.summary(of: field, beside: found),
                shown: looksAlike ? "the same characters in other bytes" : found.summary(of: field, beside: wanted)
            )
        }
    }

    /// A sale price below zero that the manifest does not set.
    private static func belowZero(_ shown: LiveProduct) -> Difference? {
        guard let salePrice = shown.sale?.salePrice, salePrice < .zero else { return nil }
        return Difference(field: .salePrice, sent: "none", shown: salePrice.description)
    }

    /// A field in comparable form; `nil` without a value to compare.
    ///
    /// The market renames pictures, so they are only counted, and a reply does not show which one is the thumbnail.
    private static func comparand(_ field: ProductField, of sent: ProductValues, price: ExactDecimal?) -> FieldValue? {
        switch field {
        case .salePrice: sent.sale.map { .sale($0.normalized(price: price)) }
        case .images: sent.images.map { .integer(Int64($0.count)) }
        case .thumbnail: sent.thumbnail.map { _ in .text("a choice") }
        default: sent[field]
        }
    }

    private static func comparand(_ field: ProductField, of shown: LiveProduct) -> FieldValue? {
        switch field {
        case .images: shown.images.map { .integer(Int64($0.count)) }
        case .thumbnail: shown.thumbnailURL.map { _ in .text("a choice") }
        default: shown.values[field]
        }
    }
}

extension StateEntry {
    /// The differences in fields that the market rewrites; another form of the sent value counts as equal.
    func alterations(_ capabilities: MarketCapabilities) -> [WriteComparison.Difference] {
        guard !shown.isEmpty else { return [] }
        return ProductField.allCases.compactMap { field in
            guard let found = shown[field], let sent = applied[field],
                !capabilities.isForm(found, of: sent, in: field)
            else { return nil }
            return WriteComparison.Difference(
                field: field,
                sent: sent.summary(of: field, beside: found),
                shown: found.summary(of: field, beside: sent)
            )
        }
    }
}

extension Diagnostic {
    /// A warning about fields that the market altered, with one example; `nil` if there are none.
    static func altered(_ fields: [(key: String, what: String)]) -> Diagnostic? {
        guard let first = fields.first else { return nil }
        return Diagnostic(
            .warning,
            .alteredText,
            "the market altered the values sent for \(counted(fields.count, "product")), such as '\(first.key)': \(first.what)",
            help: "buyers see the market's values; send values that it keeps",
            count: fields.count
        )
    }
}

extension RunResult {
    /// A warning about fields that the market altered in this run, with one example; `nil` if there are none.
    package var alteration: Diagnostic? {
        .altered(
            operations.compactMap { result in result.status == .done ? result.error.map { (result.key, $0) } : nil }
        )
    }
}

extension FieldValue {
    /// Whether the difference is invisible: Swift's `==` treats canonically equivalent texts as equal.
    fileprivate func looksLike(_ other: FieldValue) -> Bool {
        if case (.text(let own), .text(let other)) = (self, other) { own == other } else { false }
    }

    /// The value for people; of a long text, the part that differs from the other.
    func summary(of field: ProductField, beside other: FieldValue?) -> String {
        switch self {
        case .text(let own) where field != .thumbnail:
            if case .text(let other)? = other { TextExcerpt.of(own, beside: other) } else { TextExcerpt.of(own) }
        case .text(let own): own
        case .number(let number): number.description
        case .integer(let count) where field == .images: counted(Int(count), "picture")
        case .integer(let number): String(number)
        case .sale(.fullPrice): "no sale"
        case .sale(.price(let price)): price.description
        case .images, .image: "pictures"
        }
    }
}
