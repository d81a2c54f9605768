/// A product as the manifest wants it.
package struct Listing: Sendable, Hashable {
    /// The manifest's own name for the product, in composed form.
    ///
    /// Sent only to markets that carry keys, and only if `market.send_keys` allows it.
    package var key: String
    /// The manifest file, as the user named it.
    package var file: String
    package var position: SourcePosition
    /// The managed values; a `nil` field is neither sent nor compared.
    ///
    /// Images and thumbnail are digests.
    package var values = ProductValues()
    /// The picture files of `values.images`, in order.
    package var pictures: [Picture] = []
    /// Fields whose changes on the market are ignored; a create still sends them.
    package var ignoreChanges: Set<ProductField> = []
    /// `state: absent`: the product must not exist.
    package var isAbsent = false
    /// `protected: true`: refuses delete and replace.
    package var isProtected = false
    /// `id:`: the live product that the listing refers to.
    package var pinnedID: MarketID?
    /// `previously:`: earlier keys of this product.
    package var previously: [String] = []
    /// The product's own password (v1); `nil` uses the market's.
    package var secret: ResolvedSecret?
    package var fieldPositions = FieldPositions()
    /// The row in a table; `nil` for a listing in YAML.
    package var row: TableRow?
    /// The place of `adjust`'s changes to fields; `nil` without changes.
    package var adjusted: AdjustedFields?

    func manages(_ field: ProductField) -> Bool {
        values[field] != nil && !ignoreChanges.contains(field)
    }

    package func location(of field: ProductField? = nil) -> SourceLocation {
        if let field, let place = adjusted?.location(of: field) { return place }
        let place = field.flatMap { fieldPositions[$0] }
        return SourceLocation(
            file: file,
            position: place ?? position,
            table: row.map { row in place.flatMap { row.name(ofColumn: $0.column) }.map { .cell(column: $0) } ?? .row }
        )
    }
}

extension Listing {
    package init(key: String, file: String, position: SourcePosition) {
        self.init(key: key, file: file, position: position, values: ProductValues())
    }
}

/// The fields of a product that `adjust` changed, and the place of that adjustment.
package struct AdjustedFields: Hashable, Sendable {
    /// The file with `adjust`, as the user named it; a run has one.
    package var file: String
    /// Not ``FieldPositions``: each listing would be larger by them.
    package var positions: [ProductField: SourcePosition] = [:]

    package init(file: String) {
        self.file = file
    }

    package func location(of field: ProductField) -> SourceLocation? {
        positions[field].map { SourceLocation(file: file, position: $0) }
    }

    /// Whether a field has another value than in the file; an amount depends on the others and on the currency.
    package func touches(_ field: ProductField) -> Bool {
        let money: [ProductField] = [.price, .salePrice, .currency]
        return (money.contains(field) ? money : [field]).contains { positions[$0] != nil }
    }
}
