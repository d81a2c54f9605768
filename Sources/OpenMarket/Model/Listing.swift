/// A product as the manifest wants it.
package struct Listing: Sendable, Hashable {
    /// The manifest's own name for the product, in composed form.
    ///
    /// Sent only to markets that carry keys, where `market.send_keys` says so.
    package var key: String
    /// The manifest file, as the user named it.
    package var file: String
    /// Where the product starts.
    package var position: SourcePosition
    /// The managed values.
    ///
    /// `nil` is not managed: neither sent nor compared. Images and thumbnail are digests.
    package var values: ProductValues
    /// The pictures behind `values.images`, in order.
    package var pictures: [Picture]
    /// Fields whose changes on the market are ignored; they are still sent on create.
    package var ignoreChanges: Set<ProductField>
    /// `state: absent`: the product must not exist.
    package var isAbsent: Bool
    /// `protected: true`: refuses delete and replace.
    package var isProtected: Bool
    /// `id:`: the live product meant.
    package var pinnedID: MarketID?
    /// `previously:`: keys that this product had before.
    package var previously: [String]
    /// The product's own password (v1); `nil` uses the market's.
    package var secret: ResolvedSecret?
    /// Where each field's value is, as far as it is known.
    package var fieldPositions: FieldPositions
    /// What it has as a row of a table; `nil` where it is written in YAML.
    package var row: TableRow?

    /// Describes a product of the manifest.
    package init(
        key: String,
        file: String,
        position: SourcePosition,
        values: ProductValues = ProductValues(),
        pictures: [Picture] = [],
        ignoreChanges: Set<ProductField> = [],
        isAbsent: Bool = false,
        isProtected: Bool = false,
        pinnedID: MarketID? = nil,
        previously: [String] = [],
        secret: ResolvedSecret? = nil,
        fieldPositions: FieldPositions = FieldPositions(),
        row: TableRow? = nil
    ) {
        self.key = key
        self.file = file
        self.position = position
        self.values = values
        self.pictures = pictures
        self.ignoreChanges = ignoreChanges
        self.isAbsent = isAbsent
        self.isProtected = isProtected
        self.pinnedID = pinnedID
        self.previously = previously
        self.secret = secret
        self.fieldPositions = fieldPositions
        self.row = row
    }

    /// Where the product's own password is found (v1): as the manifest says, or as the state knows the product of a row.
    var secretReference: SecretReference? { secret?.reference ?? row?.knownSecret }

    /// Whether the listing says what the field is to be, and does not leave it to others.
    func manages(_ field: ProductField) -> Bool {
        values[field] != nil && !ignoreChanges.contains(field)
    }

    /// Where the product is, or one of its fields.
    package func location(of field: ProductField? = nil) -> SourceLocation {
        let place = field.flatMap { fieldPositions[$0] }
        return SourceLocation(
            file: file,
            position: place ?? position,
            table: row.map { row in place.flatMap { row.name(ofColumn: $0.column) }.map { .cell(column: $0) } ?? .row }
        )
    }
}
