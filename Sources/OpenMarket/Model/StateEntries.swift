/// The managed products of a market by key, as a dictionary that takes little more memory than its texts.
///
/// Entries are packed, and assembled on access, because most products of most plans are unchanged. Keys are equal if
/// they look the same.
package struct StateEntries: Sendable {
    /// An entry without its texts and rare values; small, because each product has one.
    fileprivate struct Record: Sendable {
        var product: PackedProduct
        var marks: Marks = []
        /// The number of the origin, from 1, or 0 for none; it fits into the padding after the marks.
        var origin: UInt16 = 0
        /// The lengths in bytes of the further texts; -1 for none.
        var images: Int32 = -1
        var references: Int32 = -1
        var thumbnailURL: Int32 = -1
        var issuedAt: Int32 = -1
        /// The index in ``StateEntries/extras``; -1 for no rare values.
        var extra: Int32 = -1
        /// A number, or the length in bytes of a text, which is then the last text.
        var id: Int64 = 0
        var vendorID: Int64
    }

    /// The texts of an entry after its product's, in order.
    enum Part {
        /// The SHA-256 of the pictures, 32 bytes each.
        case images
        /// The market's references of the pictures, one per line.
        case references
        case thumbnailURL
        case issuedAt
        case id
    }

    fileprivate struct Marks: OptionSet, Sendable {
        let rawValue: UInt8
        static let vendor = Marks(rawValue: 1)
        static let protected = Marks(rawValue: 2)
        static let textID = Marks(rawValue: 4)
    }

    /// Values that few entries have.
    fileprivate struct Extra: Sendable {
        /// Pictures whose bytes are not all known.
        var images: [PictureIdentity]?
        /// Bound pictures that differ from those of the values.
        var bound: [StateEntry.BoundImage]?
        var secret: SecretReference?
        /// An origin after so many others that it is without a number.
        var origin: String?
        /// The values that the market shows instead of the applied ones.
        var shown: ProductValues?
    }

    private var records: [Record] = []
    private var products = PackedProducts()
    private var extras: [Extra] = []
    private var origins: [String] = []
    private var originNumbers: [ExactText: UInt16] = [:]
    private var index = TextIndex()

    package init() {}
}

// MARK: - A dictionary

extension StateEntries: Equatable {
    package static func == (left: StateEntries, right: StateEntries) -> Bool {
        left.count == right.count && left.values.allSatisfy { right[$0.key] == $0 }
    }

    package var count: Int { records.count }

    package var isEmpty: Bool { records.isEmpty }

    /// Reserves space for entries, but not for their texts.
    package mutating func reserveCapacity(_ capacity: Int) {
        records.reserveCapacity(capacity)
        index.reserveCapacity(capacity)
    }

    /// Assembled at each access; a stored entry takes the key.
    package subscript(key: String) -> StateEntry? {
        get { position(of: key).map { entry(at: $0) } }
        set {
            guard var entry = newValue else {
                removeValue(forKey: key)
                return
            }
            if entry.key != key { entry.key = key }
            append(entry)
        }
    }

    /// Adds an entry, or replaces the one with the same key.
    package mutating func append(_ entry: StateEntry) {
        let hash = entry.key.composedHash
        let known = index.find(hash) { key(at: $0) == entry.key }
        put(record(entry), at: known, hash)
    }

    /// Adds an entry of the most frequent kind, without its own password, from the bytes of its texts.
    ///
    /// Only price, currency, sale and stock of `numbers` are used. `digests` has the SHA-256 of the pictures, 32 bytes
    /// each. `references` has the market's references of them, each followed by a line feed; `thumbnail` is an index
    /// among them.
    ///
    /// `false` means that the entry must be added as a ``StateEntry`` instead.
    package mutating func append(
        key: Bytes,
        id: MarketID,
        vendorID: Int64?,
        name: Bytes?,
        description: Bytes?,
        numbers: ProductValues,
        digests: Bytes?,
        thumbnail: Int?,
        references: Bytes?,
        thumbnailURL: Bytes?,
        issuedAt: Bytes?,
        isProtected: Bool,
        origin: Bytes?
    ) -> Bool {
        let numbers = PackedNumbers(numbers)
        let pictures = (digests?.count ?? 0) / 32
        guard key.isKnownComposed, numbers.currencyCode != .other,
            thumbnail.map((0..<min(pictures, PackedProduct.lastThumbnail + 1)).contains) ?? true
        else { return false }
        if let references, digests == nil || !references.areReferences(ofPictures: pictures) { return false }
        guard let origin = number(ofOrigin: origin) else { return false }
        let room = [digests?.count, references?.count, thumbnailURL?.count, issuedAt?.count]
            .reduce(id.textLength) { $0 + ($1 ?? 0) }
        let product = products.pack(key, name: name, description: description, numbers: numbers, room: room)
        var record = Record(product: product, vendorID: vendorID ?? 0)
        if let thumbnail { record.product.setThumbnail(thumbnail) }
        if vendorID != nil { record.marks.insert(.vendor) }
        if isProtected { record.marks.insert(.protected) }
        record.origin = origin
        record.images = products.add(digests)
        record.references = products.add(references)
        record.thumbnailURL = products.add(thumbnailURL)
        record.issuedAt = products.add(issuedAt)
        setID(id, of: &record)
        let hash = key.byteHash
        put(record, at: index.find(hash) { hasKey(key, at: $0) }, hash)
        return true
    }

    /// The bytes of a text in other storage.
    package typealias Bytes = Span<UInt8>

    /// Replaces the record at a position, or adds one with a key of this hash.
    private mutating func put(_ record: Record, at position: Int?, _ hash: Int) {
        if let position {
            records[position] = record
        } else {
            index.insert(records.count, hash)
            records.append(record)
        }
    }

    @discardableResult
    mutating func removeValue(forKey key: String) -> StateEntry? {
        guard let position = position(of: key) else { return nil }
        let entry = entry(at: position)
        index.move(entry.key.composedHash, from: position, to: nil)
        let last = records.count - 1
        if position != last {
            index.move(self.key(at: last).composedHash, from: last, to: position)
            records[position] = records[last]
        }
        records.removeLast()
        return entry
    }

    /// In no particular order.
    package var keys: some RandomAccessCollection<String> { records.indices.lazy.map { key(at: $0) } }

    /// In no particular order; assembled at each access.
    package var values: some RandomAccessCollection<StateEntry> { records.indices.lazy.map { entry(at: $0) } }
}

extension StateEntries {
    private mutating func record(_ entry: StateEntry) -> Record {
        var extra = Extra(secret: entry.secret)
        if !entry.shown.isEmpty { extra.shown = entry.shown }
        let digests = entry.applied.images?.digestBytes
        if digests == nil { extra.images = entry.applied.images }
        var references: String?
        if let bound = entry.images {
            let text = bound.map { $0.reference + "\n" }.joined()
            let isPlain = text.withUTF8Span { $0.areReferences(ofPictures: bound.count) }
            if isPlain, digests != nil, entry.applied.images?.digests == bound.map(\.digest) {
                references = text
            } else {
                extra.bound = bound
            }
        }
        let texts = [references, entry.thumbnailURL, entry.issuedAt]
        let room = texts.reduce((digests?.count ?? 0) + entry.id.textLength) { $0 + ($1?.utf8.count ?? 0) }
        let product = products.pack(entry.key, entry.applied, room: room)
        var record = Record(product: product, vendorID: entry.vendorID ?? 0)
        if entry.vendorID != nil { record.marks.insert(.vendor) }
        if entry.isProtected { record.marks.insert(.protected) }
        if let origin = number(ofOrigin: entry.origin) { record.origin = origin } else { extra.origin = entry.origin }
        record.images = products.add(digests?.span)
        record.references = products.add(references)
        record.thumbnailURL = products.add(entry.thumbnailURL)
        record.issuedAt = products.add(entry.issuedAt)
        setID(entry.id, of: &record)
        if !extra.isEmpty {
            record.extra = Int32(extras.count)
            extras.append(extra)
        }
        return record
    }

    /// The number of an origin, 0 for none; `nil` if there are more origins than numbers.
    private mutating func number(ofOrigin origin: String?) -> UInt16? {
        guard let origin else { return 0 }
        if let number = originNumbers[ExactText(origin)] { return number }
        guard origins.count < UInt16.max else { return nil }
        origins.append(origin)
        originNumbers[ExactText(origin)] = UInt16(origins.count)
        return UInt16(origins.count)
    }

    /// Mostly the origin of the entry before, whose number is enough.
    private mutating func number(ofOrigin origin: Bytes?) -> UInt16? {
        guard let origin else { return 0 }
        if let last = records.last?.origin, last > 0, origins[Int(last) - 1].withUTF8Span({ origin.isExactly($0) }) {
            return last
        }
        return number(ofOrigin: origin.text)
    }

    /// Changes the origin of a product, if there is an entry of it.
    mutating func setOrigin(_ origin: String, of key: String) {
        guard let position = position(of: key) else { return }
        if records[position].extra < 0, let number = number(ofOrigin: origin) {
            records[position].origin = number
        } else {
            var entry = entry(at: position)
            entry.origin = origin
            append(entry)
        }
    }

    /// Sets a product's ID; a text is added after all other texts.
    private mutating func setID(_ id: MarketID, of record: inout Record) {
        switch id {
        case .number(let number): record.id = number
        case .text(let text):
            record.marks.insert(.textID)
            record.id = Int64(products.add(text))
        }
    }

    private func id(of record: Record) -> MarketID {
        record.marks.contains(.textID) ? .text(text(.id, of: record) ?? "") : .number(record.id)
    }

    /// The entry at a position of ``values``.
    func entry(at position: Int) -> StateEntry {
        let record = records[position]
        let extra = record.extra < 0 ? nil : extras[Int(record.extra)]
        let images = extra?.images ?? digests(of: record)?.map(PictureIdentity.digest)
        return StateEntry(
            key: products.key(of: record.product),
            id: id(of: record),
            vendorID: record.marks.contains(.vendor) ? record.vendorID : nil,
            applied: products.values(of: record.product, images: images),
            shown: extra?.shown ?? ProductValues(),
            images: extra?.bound ?? bound(of: record),
            thumbnailURL: text(.thumbnailURL, of: record),
            issuedAt: text(.issuedAt, of: record),
            secret: extra?.secret,
            isProtected: record.marks.contains(.protected),
            origin: origin(at: position)
        )
    }

    /// The entries of products that the market shows in another form than was sent.
    var rewritten: [StateEntry] {
        guard extras.contains(where: { $0.shown != nil }) else { return [] }
        return records.indices.filter { records[$0].extra >= 0 && extras[Int(records[$0].extra)].shown != nil }
            .map(entry(at:))
    }

    private func with<Result>(_ part: Part, of record: Record, _ body: (Bytes) -> Result) -> Result? {
        record.range(of: part).map { products.with($0, of: record.product, body) }
    }

    private func text(_ part: Part, of record: Record) -> String? {
        with(part, of: record) { $0.text }
    }

    private func digests(of record: Record) -> [ContentDigest]? {
        with(.images, of: record) { bytes in
            stride(from: 0, to: bytes.count, by: 32).map { ContentDigest(bytes: bytes.extracting($0..<$0 + 32)) }
        }
    }

    private func bound(of record: Record) -> [StateEntry.BoundImage]? {
        guard let references = text(.references, of: record), let digests = digests(of: record) else { return nil }
        let lines = references.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return zip(digests, lines).map { StateEntry.BoundImage(digest: $0, reference: String(Substring($1))) }
    }

    /// `key` must be in composed form.
    private func hasKey(_ key: Bytes, at position: Int) -> Bool {
        hasBytes(key, at: position) || self.key(at: position) == key.text
    }

    /// Whether an entry's key has exactly these bytes.
    private func hasBytes(_ key: Bytes, at position: Int) -> Bool {
        products.withKey(of: records[position].product) { $0.isExactly(key) }
    }
}

extension StateEntries.Record {
    /// The range relative to the start of the product's texts; `nil` without such a text.
    fileprivate func range(of part: StateEntries.Part) -> Range<Int>? {
        let (before, count): (Int32, Int32) =
            switch part {
            case .images: (0, images)
            case .references: (max(images, 0), references)
            case .thumbnailURL: (max(images, 0) + max(references, 0), thumbnailURL)
            case .issuedAt: (max(images, 0) + max(references, 0) + max(thumbnailURL, 0), issuedAt)
            case .id:
                (
                    max(images, 0) + max(references, 0) + max(thumbnailURL, 0) + max(issuedAt, 0),
                    marks.contains(.textID) ? Int32(id) : -1
                )
            }
        guard count >= 0 else { return nil }
        let start = product.end + Int(before)
        return start..<start + Int(count)
    }
}

extension StateEntries.Extra {
    fileprivate var isEmpty: Bool {
        images == nil && bound == nil && secret == nil && shown == nil && origin == nil
    }
}

// MARK: - Accessors for frequently used values

extension StateEntries {
    /// The position of a key's entry among the ``values``.
    func position(of key: String) -> Int? {
        index.find(key.composedHash) { position in
            products.withKey(of: records[position].product) { $0.isExactly(key) } || self.key(at: position) == key
        }
    }

    /// The position among the ``values`` of the entry with a listing's key; `nil` if there is none.
    ///
    /// `guess` is checked first, because listings and entries mostly have the same order.
    func position(ofKeyOf listing: Int, in listings: Listings, guess: Int = 0) -> Int? {
        listings.withKey(at: listing) { key -> Int? in
            if records.indices.contains(guess), hasBytes(key, at: guess) { return guess }
            guard key.isKnownComposed else { return position(of: key.text) }
            return index.find(key.byteHash) { hasKey(key, at: $0) }
        }
    }

    /// The products' IDs, in the order of ``values``.
    var ids: some RandomAccessCollection<MarketID> { records.lazy.map { id(of: $0) } }

    /// The references of the products' own passwords.
    package var secrets: Set<SecretReference> {
        Set(records.lazy.filter { $0.extra >= 0 }.compactMap { extras[Int($0.extra)].secret })
    }

    /// The entries whose product has one of these names; `nil` stands for no name.
    func named(_ names: Set<String?>) -> [StateEntry] {
        records.indices.filter { names.contains(products.name(of: records[$0].product)) }.map { entry(at: $0) }
    }

    /// Whether these are known to be the same entries at the same positions, without a comparison.
    func isIdentical(to other: StateEntries) -> Bool {
        records.span.isIdentical(to: other.records.span)
    }

    package func key(at position: Int) -> String { products.key(of: records[position].product) }

    /// The name last applied to the entry's product.
    package func name(at position: Int) -> String? { products.name(of: records[position].product) }

    package func id(at position: Int) -> MarketID { id(of: records[position]) }

    /// The ``StateEntry/origin`` of the entry at a position.
    func origin(at position: Int) -> String? {
        let record = records[position]
        if record.origin > 0 { return origins[Int(record.origin) - 1] }
        return record.extra < 0 ? nil : extras[Int(record.extra)].origin
    }

    /// The origins that entries have or had.
    package var knownOrigins: Set<String> { Set(origins + extras.compactMap(\.origin)) }

    func vendorID(at position: Int) -> Int64? {
        records[position].marks.contains(.vendor) ? records[position].vendorID : nil
    }

    /// Fast path: whether a listing wants exactly the values last applied, and its bound pictures match; `false` means
    /// undecided.
    ///
    /// Recognizes most entries that match.
    func isKnownApplied(_ position: Int, to listing: Int, of listings: Listings) -> Bool {
        let record = records[position]
        guard record.extra < 0, !record.product.numbers.hasSaleAtFullPrice,
            listings.isProtected(at: listing) == record.marks.contains(.protected),
            listings.isKnownEqual(to: record.product, of: products, at: listing)
        else { return false }
        return with(.images, of: record) { listings.hasPictures($0, at: listing) }
            ?? listings.hasPictures(nil, at: listing)
    }

    /// Fast path: whether a row matches the entry without new values; `false` means undecided.
    func isKnownShown(_ position: Int, by row: LiveRow) -> Bool {
        let record = records[position]
        let numbers = record.product.numbers
        guard record.extra < 0, !record.product.hasRareValues, row.images == nil, row.blank.isEmpty, row.unset.isEmpty,
            !row.hasEndedSale,
            row.isManageable,
            row.vendorID == nil || row.vendorID == vendorID(at: position),
            row.price == nil || row.price == numbers.price,
            row.currencyCode == nil || row.currencyCode?.isExactly(numbers.currency?.rawValue) == true,
            row.sale == nil || row.sale == numbers.sale || row.sale == .fullPrice && numbers.sale == nil,
            row.stock == nil || row.stock == numbers.stock
        else { return false }
        func shows(_ text: JSONText?, _ withKnown: ((Bytes) -> Bool) -> Bool?) -> Bool {
            guard let text else { return true }
            return withKnown { known in text.withUTF8Span { known.isExactly($0) } } ?? false
        }
        return shows(row.thumbnailURL) { with(.thumbnailURL, of: record, $0) }
            && shows(row.issuedAt) { with(.issuedAt, of: record, $0) }
            && shows(row.name) { products.withName(of: record.product, $0) }
            && shows(row.description) { products.withDescription(of: record.product, $0) }
            && shows(row.key) { products.withKey(of: record.product, $0) }
    }

    /// The positions of ``values``.
    var places: Range<Int> { records.indices }

    /// An entry in packed form, without rare values.
    struct Packed {
        fileprivate let record: Record

        var numbers: PackedNumbers { record.product.numbers }
        /// The index of the thumbnail among the pictures.
        var thumbnail: Int? { record.product.thumbnail > 0 ? Int(record.product.thumbnail) - 1 : nil }
        var isProtected: Bool { record.marks.contains(.protected) }
    }

    /// `nil` if the entry has rare values.
    func packed(at position: Int) -> Packed? {
        let record = records[position]
        return record.extra < 0 && !record.product.hasRareValues ? Packed(record: record) : nil
    }

    func withKey<Result>(at position: Int, _ body: (Bytes) -> Result) -> Result {
        products.withKey(of: records[position].product, body)
    }

    /// Lends the bytes of the name, if there is one.
    func withName(of entry: Packed, _ body: (Bytes) -> Void) {
        _ = products.withName(of: entry.record.product, body)
    }

    /// Lends the bytes of the description, if there is one.
    func withDescription(of entry: Packed, _ body: (Bytes) -> Void) {
        _ = products.withDescription(of: entry.record.product, body)
    }

    /// Lends the bytes of a part, if the entry has it.
    func withText(_ part: Part, of entry: Packed, _ body: (Bytes) -> Void) {
        _ = with(part, of: entry.record, body)
    }

    /// Whether an entry equals one of `origin`; these entries derive from it by changed keys and dropped entries.
    func isSame(_ position: Int, as other: Int, of origin: StateEntries) -> Bool {
        records[position].product.isIdentical(to: origin.records[other].product)
    }
}
