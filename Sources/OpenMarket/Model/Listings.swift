/// The products of a manifest in its order, as a collection of ``Listing``s that takes little more memory than their
/// texts.
///
/// Listings are packed, and assembled on access, because most products of most plans are unchanged. Frequently used
/// values have accessors that do not create a `Listing`.
package struct Listings: Sendable {
    /// A listing without its texts and rare values; small, because each product has one.
    fileprivate struct Record: Sendable {
        var product: PackedProduct
        var marks: Marks = []
        var ignored = ProductFieldSet()
        var file: UInt32
        /// Before ``position``: it begins at a multiple of 32 bytes.
        var fields = RelativePositions()
        var position: SourcePosition
        /// The index in ``Listings/pictureLists``; -1 for no pictures.
        var pictures: Int32 = -1
        /// The index in ``Listings/extras``; -1 for no rare values.
        var extra: Int32 = -1
        /// The index in ``Listings/rows``; -1 for a listing outside of tables.
        var row: Int32 = -1
        /// A number, or the length in bytes of a text after the product's texts.
        var pinnedID: Int64 = 0
    }

    fileprivate struct Marks: OptionSet, Sendable {
        let rawValue: UInt8
        static let absent = Marks(rawValue: 1)
        static let protected = Marks(rawValue: 2)
        static let pinned = Marks(rawValue: 4)
        static let pinnedText = Marks(rawValue: 8)
        /// Pinned to the decimal spelling of the number, as a text.
        static let pinnedDigits = Marks(rawValue: 16)
    }

    /// Values that few listings have.
    fileprivate struct Extra: Sendable {
        var previously: [String] = []
        var secret: ResolvedSecret?
        /// The field positions if they are far from the product, as with an alias.
        var fieldPositions: FieldPositions?
        var adjusted: AdjustedFields?
    }

    /// The pictures of one or more products.
    private struct PictureList: Sendable {
        /// The bytes of all digests, if every picture has one.
        let digests: [UInt8]?
        let identities: [PictureIdentity]?
        let pictures: [Picture]

        init(identities: [PictureIdentity]?, pictures: [Picture]) {
            digests = identities?.digestBytes
            self.identities = identities
            self.pictures = pictures
        }
    }

    private var records: [Record] = []
    private var products = PackedProducts()
    private var pictureLists: [PictureList] = []
    private var extras: [Extra] = []
    private var rows: [TableRow] = []
    private var files: [String] = []

    package init() {}
}

/// Field positions relative to the product, in half the memory: 16 bits for each line and column.
private struct RelativePositions: Sendable {
    /// By ``ProductField/order``; 0 means no position.
    private var places = SIMD8<UInt32>()

    init() {}

    /// `nil` if a position is too far away.
    init?(_ positions: FieldPositions, from start: SourcePosition) {
        for field in ProductField.allCases {
            guard let position = positions[field] else { continue }
            guard position.line >= start.line, position.line - start.line <= 0xFFFF, position.column <= 0xFFFF,
                position.column > 0
            else { return nil }
            places[field.order] = (position.line - start.line) << 16 | position.column
        }
    }

    func positions(from start: SourcePosition) -> FieldPositions {
        var positions = FieldPositions()
        for field in ProductField.allCases { positions[field] = position(of: field, from: start) }
        return positions
    }

    func position(of field: ProductField, from start: SourcePosition) -> SourcePosition? {
        let place = places[field.order]
        return place == 0 ? nil : SourcePosition(line: start.line + place >> 16, column: place & 0xFFFF)
    }
}

// MARK: - A collection

extension Listings: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    package var startIndex: Int { 0 }

    package var endIndex: Int { records.count }

    /// Assembled at each access.
    package subscript(index: Int) -> Listing {
        get { listing(records[index]) }
        set { records[index] = record(newValue) }
    }

    package mutating func replaceSubrange(_ range: Range<Int>, with listings: some Collection<Listing>) {
        let added = listings.map { record($0) }
        records.replaceSubrange(range, with: added)
    }

    package mutating func append(_ listing: Listing) { records.append(record(listing)) }

    package mutating func removeAll(at isLeaving: (Int) -> Bool) {
        var index = -1
        records.removeAll { _ in
            index += 1
            return isLeaving(index)
        }
    }

    /// Reserves space for listings, but not for their texts.
    package mutating func reserveCapacity(_ capacity: Int) { records.reserveCapacity(capacity) }
}

extension Listings: ExpressibleByArrayLiteral, Equatable {
    package init(arrayLiteral listings: Listing...) { self.init(listings) }

    package static func == (left: Listings, right: Listings) -> Bool { left.elementsEqual(right) }
}

extension Listings {
    private mutating func record(_ listing: Listing) -> Record {
        var record = Record(
            product: products.pack(listing.key, listing.values, room: listing.pinnedID?.textLength ?? 0),
            ignored: ProductFieldSet(listing.ignoreChanges),
            file: number(of: listing.file),
            position: listing.position
        )
        var extra = Extra(previously: listing.previously, secret: listing.secret, adjusted: listing.adjusted)
        if let places = RelativePositions(listing.fieldPositions, from: listing.position) {
            record.fields = places
        } else {
            extra.fieldPositions = listing.fieldPositions
        }
        if let id = listing.pinnedID {
            record.marks.insert(.pinned)
            switch id {
            case .number(let number): record.pinnedID = number
            case .text(let text):
                record.pinnedID = Int64(products.add(text))
                record.marks.insert(.pinnedText)
            }
        }
        if listing.isAbsent { record.marks.insert(.absent) }
        if listing.isProtected { record.marks.insert(.protected) }
        if listing.values.images != nil || !listing.pictures.isEmpty {
            record.pictures = number(of: PictureList(identities: listing.values.images, pictures: listing.pictures))
        }
        if !extra.isEmpty {
            record.extra = Int32(extras.count)
            extras.append(extra)
        }
        if let row = listing.row {
            record.row = Int32(rows.count)
            rows.append(row)
        }
        return record
    }

    private func listing(_ record: Record) -> Listing {
        let extra = record.extra < 0 ? nil : extras[Int(record.extra)]
        let list = record.pictures < 0 ? nil : pictureLists[Int(record.pictures)]
        var listing = Listing(
            key: products.key(of: record.product),
            file: files[Int(record.file)],
            position: record.position,
            values: products.values(of: record.product, images: list?.identities),
            pictures: list?.pictures ?? [],
            ignoreChanges: record.ignored.fields,
            isAbsent: record.marks.contains(.absent),
            isProtected: record.marks.contains(.protected),
            pinnedID: pinnedID(of: record),
            previously: extra?.previously ?? [],
            secret: extra?.secret,
            fieldPositions: extra?.fieldPositions ?? record.fields.positions(from: record.position),
            row: record.row < 0 ? nil : rows[Int(record.row)]
        )
        listing.adjusted = extra?.adjusted
        return listing
    }

    private mutating func number(of file: String) -> UInt32 {
        if let known = files.suffix(4).lastIndex(where: { $0.isExactly(file) }) { return UInt32(known) }
        files.append(file)
        return UInt32(files.count - 1)
    }

    /// The index of a product's pictures; reuses the last index for the same pictures.
    private mutating func number(of list: PictureList) -> Int32 {
        if let last = pictureLists.last, last.identities == list.identities, last.pictures == list.pictures {
            return Int32(pictureLists.count - 1)
        }
        pictureLists.append(list)
        return Int32(pictureLists.count - 1)
    }
}

extension Listings.Extra {
    fileprivate var isEmpty: Bool {
        previously.isEmpty && secret == nil && fieldPositions == nil && adjusted == nil
    }
}

// MARK: - Accessors for frequently used values

extension Listings {
    package func key(at index: Int) -> String { products.key(of: records[index].product) }

    package func withKey<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        products.withKey(of: records[index].product, body)
    }

    package func name(at index: Int) -> String? { products.name(of: records[index].product) }

    /// Lends the bytes of the name; `nil` if there is none.
    package func withName<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result? {
        products.withName(of: records[index].product, body)
    }

    /// Lends the bytes of the description; `nil` if there is none.
    package func withDescription<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result? {
        products.withDescription(of: records[index].product, body)
    }

    package func price(at index: Int) -> ExactDecimal? { records[index].product.numbers.price }

    package func sale(at index: Int) -> Sale? { records[index].product.numbers.sale }

    /// Fast path: `true` if every market accepts the currency, or there is none; `false` means undecided.
    package func hasKnownCurrency(at index: Int) -> Bool {
        records[index].product.numbers.currencyCode != .other
    }

    package func currency(at index: Int) -> Currency? { products.currency(of: records[index].product) }

    package func stock(at index: Int) -> Int64? { records[index].product.numbers.stock }

    package func pinnedID(at index: Int) -> MarketID? { pinnedID(of: records[index]) }

    private func pinnedID(of record: Record) -> MarketID? {
        guard record.marks.contains(.pinned) else { return nil }
        if record.marks.contains(.pinnedDigits) { return .text(String(record.pinnedID)) }
        guard record.marks.contains(.pinnedText) else { return .number(record.pinnedID) }
        let range = record.product.end..<record.product.end + Int(record.pinnedID)
        return products.with(range, of: record.product) { .text($0.text) }
    }

    package func isAbsent(at index: Int) -> Bool { records[index].marks.contains(.absent) }

    package func isProtected(at index: Int) -> Bool { records[index].marks.contains(.protected) }

    /// The fields whose changes on the market are ignored.
    package func ignored(at index: Int) -> ProductFieldSet { records[index].ignored }

    /// The former keys.
    func previously(at index: Int) -> [String] {
        records[index].extra < 0 ? [] : extras[Int(records[index].extra)].previously
    }

    package func secret(at index: Int) -> ResolvedSecret? {
        records[index].extra < 0 ? nil : extras[Int(records[index].extra)].secret
    }

    func images(at index: Int) -> [PictureIdentity]? {
        records[index].pictures < 0 ? nil : pictureLists[Int(records[index].pictures)].identities
    }

    func pictures(at index: Int) -> [Picture] {
        records[index].pictures < 0 ? [] : pictureLists[Int(records[index].pictures)].pictures
    }

    /// Fast path: whether a listing wants these values, pictures aside; `false` means undecided.
    ///
    /// Always `false` for a tombstone or a listing with its own password.
    func isKnownEqual(to product: PackedProduct, of others: PackedProducts, at index: Int) -> Bool {
        let record = records[index]
        return record.marks.isDisjoint(with: .absent) && secret(at: index) == nil
            && products.isKnownEqual(record.product, to: product, of: others)
    }

    /// Whether a listing's pictures are known to have these digests, 32 bytes each; `nil` for no pictures.
    func hasPictures(_ digests: Span<UInt8>?, at index: Int) -> Bool {
        guard records[index].pictures >= 0, pictureLists[Int(records[index].pictures)].identities != nil else {
            return digests == nil
        }
        guard let digests, let own = pictureLists[Int(records[index].pictures)].digests else { return false }
        return digests.isExactly(own.span)
    }

    func file(at index: Int) -> String { files[Int(records[index].file)] }

    package func location(at index: Int, of field: ProductField? = nil) -> SourceLocation {
        if let field, let place = adjusted(at: index)?.location(of: field) { return place }
        let place = field.flatMap { fieldPosition(at: index, of: $0) }
        return SourceLocation(
            file: files[Int(records[index].file)],
            position: place ?? records[index].position,
            table: row(at: index).map { row in
                place.flatMap { row.name(ofColumn: $0.column) }.map { .cell(column: $0) } ?? .row
            }
        )
    }

    /// The row in a table; `nil` for a listing in YAML.
    package func row(at index: Int) -> TableRow? { records[index].row < 0 ? nil : rows[Int(records[index].row)] }

    package func position(at index: Int) -> SourcePosition { records[index].position }

    package func adjusted(at index: Int) -> AdjustedFields? {
        records[index].extra < 0 ? nil : extras[Int(records[index].extra)].adjusted
    }

    /// The position in the product; `nil` if it is unknown.
    package func fieldPosition(at index: Int, of field: ProductField) -> SourcePosition? {
        let record = records[index]
        if record.extra >= 0, let positions = extras[Int(record.extra)].fieldPositions { return positions[field] }
        return record.fields.position(of: field, from: record.position)
    }

    /// The pictures of the listings, once for products that share them; those of tombstones on request.
    package func pictures(ofTombstones: Bool) -> [[Picture]] {
        var isUsed = Array(repeating: false, count: pictureLists.count)
        for record in records where record.pictures >= 0 && (ofTombstones || !record.marks.contains(.absent)) {
            isUsed[Int(record.pictures)] = true
        }
        return pictureLists.indices.filter { isUsed[$0] }.map { pictureLists[$0].pictures }
    }
}

// MARK: - Values known late

extension Listings {
    package mutating func setCurrency(_ currency: Currency, at index: Int) {
        products.setCurrency(currency, of: &records[index].product)
    }

    package mutating func setStock(_ stock: Int64, at index: Int) {
        records[index].product.numbers.stock = stock
    }

    package mutating func ignore(_ fields: ProductFieldSet, at index: Int) { records[index].ignored.formUnion(fields) }

    /// Converts the numbers of all pinned IDs to texts of the same spelling.
    package mutating func spellPinnedNumbers() {
        for index in records.indices where records[index].marks.isDisjoint(with: .pinnedText) {
            records[index].marks.insert(.pinnedDigits)
        }
    }

    package mutating func protect(at index: Int) { records[index].marks.insert(.protected) }

    /// Adds pictures of one or more products; returns the number for ``setPictures(_:thumbnail:at:)``.
    package mutating func addPictures(_ pictures: [Picture]) -> Int32 {
        pictureLists.append(PictureList(identities: pictures.map { .digest($0.digest) }, pictures: pictures))
        return Int32(pictureLists.count - 1)
    }

    /// Assigns pictures to a product; `thumbnail` is an index among them.
    package mutating func setPictures(_ number: Int32, thumbnail: Int?, at index: Int) {
        records[index].pictures = number
        guard let thumbnail, let identities = pictureLists[Int(number)].identities else { return }
        let identity = identities[thumbnail]
        products.setThumbnail(identity, place: identities.firstIndex(of: identity), of: &records[index].product)
    }
}
