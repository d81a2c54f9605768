/// A product as the manifest wants it.
public struct Listing: Sendable, Hashable {
    /// The manifest's own name for the product, in composed form.
    ///
    /// Sent only to markets that carry keys, where `market.send_keys` says so.
    public var key: String
    /// The manifest file, as the user named it.
    public var file: String
    /// Where the product starts.
    public var position: SourcePosition
    /// The managed values.
    ///
    /// `nil` is not managed: neither sent nor compared. Images and thumbnail are digests.
    public var values: ProductValues
    /// The pictures behind `values.images`, in order.
    public var pictures: [Picture]
    /// Fields whose changes on the market are ignored; they are still sent on create.
    public var ignoreChanges: Set<ProductField>
    /// `state: absent`: the product must not exist.
    public var isAbsent: Bool
    /// `protected: true`: refuses delete and replace.
    public var isProtected: Bool
    /// `id:`: the live product meant.
    public var pinnedID: MarketID?
    /// `previously:`: keys that this product had before.
    public var previously: [String]
    /// The product's own password (v1); `nil` uses the market's.
    public var secret: ResolvedSecret?
    /// Where each field's value is, as far as it is known.
    public var fieldPositions: FieldPositions
    /// What it has as a row of a table; `nil` where it is written in YAML.
    public var row: TableRow?

    /// Describes a product of the manifest.
    public init(
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
    public func location(of field: ProductField? = nil) -> SourceLocation {
        let place = field.flatMap { fieldPositions[$0] }
        return SourceLocation(
            file: file,
            position: place ?? position,
            table: row.map { row in place.flatMap { row.name(ofColumn: $0.column) }.map { .cell(column: $0) } ?? .row }
        )
    }
}
