/// What is known of the products of a market, by key: a dictionary that takes up little more than its texts.
///
/// Most products of most plans need nothing, so an entry is put together when it is asked for and taken apart when
/// it is stored. Keys are equal as people see them.
public struct StateEntries: Sendable {
    /// All of an entry but its texts and what is rare.
    fileprivate struct Record: Sendable {
        var texts = TextBlocks.Place()
        /// The bytes of each text; -1 where there is none.
        var lengths = Lengths()
        var numbers = PackedNumbers()
        var id: Int64 = 0
        var vendorID: Int64 = 0
        /// The number of what is rare in ``StateEntries/extras``; -1 where there is nothing.
        var extra: Int32 = -1
        /// Which of the pictures, from 1; 0 where there is none.
        var thumbnail: UInt8 = 0
        var marks: Marks = []
    }

    /// The texts of an entry in their order, behind its key.
    fileprivate struct Lengths: Sendable {
        var key: Int32 = 0
        var name: Int32 = -1
        var description: Int32 = -1
        /// The SHA-256 of the pictures, 32 bytes each.
        var images: Int32 = -1
        /// The market's names of the pictures, a line each.
        var references: Int32 = -1
        var thumbnailURL: Int32 = -1
        var issuedAt: Int32 = -1
    }

    fileprivate struct Marks: OptionSet, Sendable {
        let rawValue: UInt8
        static let vendor = Marks(rawValue: 1)
        static let protected = Marks(rawValue: 2)
    }

    /// What few entries have.
    fileprivate struct Extra: Sendable {
        var currency: Currency?
        /// Pictures that are not all known by their bytes.
        var images: [PictureIdentity]?
        var thumbnail: PictureIdentity?
        /// Bound pictures other than those of the values.
        var bound: [StateEntry.BoundImage]?
        var secret: SecretReference?
    }

    private var records: [Record] = []
    private var texts = TextBlocks()
    private var extras: [Extra] = []
    private var index = TextIndex()

    /// No entries.
    public init() {}
}

// MARK: - A dictionary

extension StateEntries: ExpressibleByDictionaryLiteral, Equatable {
    /// These entries; of several with one key the last counts.
    public init(dictionaryLiteral elements: (String, StateEntry)...) { self.init(elements) { $1 } }

    /// These entries by their keys.
    public init(
        _ entries: some Sequence<(String, StateEntry)>,
        uniquingKeysWith combine: (StateEntry, StateEntry) -> StateEntry
    ) {
        for (key, entry) in entries { self[key] = self[key].map { combine($0, entry) } ?? entry }
    }

    /// Compares the entries.
    public static func == (left: StateEntries, right: StateEntries) -> Bool {
        left.count == right.count && left.values.allSatisfy { right[$0.key] == $0 }
    }

    /// How many there are.
    public var count: Int { records.count }

    /// Whether there is none.
    public var isEmpty: Bool { records.isEmpty }

    /// Makes room for so many entries, but for their texts.
    public mutating func reserveCapacity(_ capacity: Int) {
        records.reserveCapacity(capacity)
        index.reserveCapacity(capacity)
    }

    /// The entry of a key, put together at each call.
    ///
    /// An entry that is stored under a key has that key from then on.
    public subscript(key: String) -> StateEntry? {
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

    /// Adds an entry, or puts it in the place of the one that has its key.
    public mutating func append(_ entry: StateEntry) {
        let hash = entry.key.composedHash
        let match = index.search(hash) { key(at: $0) == entry.key }
        put(record(entry), at: match)
    }

    /// Adds an entry as a row of the state holds it, if it is of the kind that most are.
    ///
    /// - Returns: whether it was; what was not has to be added as an entry.
    package mutating func append(_ plain: BorrowedEntry) -> Bool {
        let numbers = PackedNumbers(plain.numbers)
        let pictures = min((plain.digests?.count ?? 0) / 32, 254)
        guard plain.key.isKnownComposed, numbers.currencyCode != .other, plain.hasPlainReferences,
            plain.thumbnail.map((0..<pictures).contains) ?? true
        else { return false }
        var record = Record()
        record.numbers = numbers
        record.id = plain.id.rawValue
        if let vendor = plain.vendorID {
            record.vendorID = vendor
            record.marks.insert(.vendor)
        }
        if plain.isProtected { record.marks.insert(.protected) }
        if let thumbnail = plain.thumbnail { record.thumbnail = UInt8(thumbnail + 1) }
        let parts = (plain.name, plain.description, plain.digests, plain.references, plain.thumbnailURL)
        let size =
            plain.key.count + (parts.0?.count ?? 0) + (parts.1?.count ?? 0) + (parts.2?.count ?? 0)
            + (parts.3?.count ?? 0) + (parts.4?.count ?? 0) + (plain.issuedAt?.count ?? 0)
        record.texts = texts.begin(size)
        record.lengths.key = texts.add(plain.key)
        record.lengths.name = texts.add(parts.0)
        record.lengths.description = texts.add(parts.1)
        record.lengths.images = texts.add(parts.2)
        record.lengths.references = texts.add(parts.3)
        record.lengths.thumbnailURL = texts.add(parts.4)
        record.lengths.issuedAt = texts.add(plain.issuedAt)
        put(record, at: index.search(plain.key.byteHash) { records[$0].hasKey(plain.key, in: texts) })
        return true
    }

    private mutating func put(_ record: Record, at match: TextIndex.Match) {
        switch match {
        case .found(let position): records[position] = record
        case .none(let vacancy):
            index.insert(records.count, at: vacancy)
            records.append(record)
        }
    }

    /// Takes an entry out.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> StateEntry? {
        guard let position = position(of: key) else { return nil }
        let entry = entry(at: position)
        index.remove(entry.key.composedHash, at: position)
        let last = records.count - 1
        if position != last {
            index.move(self.key(at: last).composedHash, from: last, to: position)
            records[position] = records[last]
        }
        records.removeLast()
        return entry
    }

    /// The keys, in no particular order.
    public var keys: some RandomAccessCollection<String> { records.indices.lazy.map { key(at: $0) } }

    /// The entries, in no particular order.
    public var values: Values { Values(entries: self) }

    /// A dictionary of what is made of each entry.
    public func mapValues<Value>(_ transform: (StateEntry) throws -> Value) rethrows -> [String: Value] {
        var result: [String: Value] = [:]
        for entry in values { result[entry.key] = try transform(entry) }
        return result
    }

    /// All entries, in no particular order.
    public struct Values: RandomAccessCollection, Sendable {
        fileprivate let entries: StateEntries

        /// 0.
        public var startIndex: Int { 0 }

        /// How many there are.
        public var endIndex: Int { entries.count }

        /// An entry, put together at each call.
        public subscript(index: Int) -> StateEntry { entries.entry(at: index) }
    }
}

extension StateEntries.Lengths {
    /// Where a text is, by its position in the order.
    fileprivate func range(_ number: Int) -> Range<Int> {
        var start = 0
        let all = (key, name, description, images, references, thumbnailURL, issuedAt)
        return withUnsafeBytes(of: all) { bytes in
            let lengths = bytes.assumingMemoryBound(to: Int32.self)
            for length in lengths[..<number] { start += Int(max(length, 0)) }
            return start..<start + Int(max(lengths[number], 0))
        }
    }
}

extension StateEntries {
    private mutating func record(_ entry: StateEntry) -> Record {
        let applied = entry.applied
        var record = Record()
        var extra = Extra()
        record.numbers = PackedNumbers(applied)
        if record.numbers.currencyCode == .other { extra.currency = applied.currency }
        record.id = entry.id.rawValue
        if let vendor = entry.vendorID {
            record.vendorID = vendor
            record.marks.insert(.vendor)
        }
        if entry.isProtected { record.marks.insert(.protected) }
        extra.secret = entry.secret

        let digests = applied.images?.digestBytes
        if digests == nil { extra.images = applied.images }
        if let thumbnail = applied.thumbnail {
            if let place = applied.images?.firstIndex(of: thumbnail), place < 255 {
                record.thumbnail = UInt8(place + 1)
            } else {
                extra.thumbnail = thumbnail
            }
        }
        var references: String?
        if let bound = entry.images {
            if digests != nil, let own = applied.images?.digests, own == bound.map(\.digest),
                bound.allSatisfy(\.isPlain),
                Set(bound.map(\.reference)).count == bound.count
            {
                references = bound.map { $0.reference + "\n" }.joined()
            } else {
                extra.bound = bound
            }
        }

        let parts = [entry.key, applied.name, applied.description]
        let rest = [references, entry.thumbnailURL, entry.issuedAt]
        let size = (parts + rest).reduce(0) { $0 + ($1?.utf8.count ?? 0) } + (digests?.count ?? 0)
        record.texts = texts.begin(size)
        record.lengths.key = texts.add(entry.key)
        record.lengths.name = texts.add(applied.name)
        record.lengths.description = texts.add(applied.description)
        if let digests {
            texts.append(digests)
            record.lengths.images = Int32(digests.count)
        }
        record.lengths.references = texts.add(references)
        record.lengths.thumbnailURL = texts.add(entry.thumbnailURL)
        record.lengths.issuedAt = texts.add(entry.issuedAt)
        if !extra.isEmpty {
            record.extra = Int32(extras.count)
            extras.append(extra)
        }
        return record
    }

    /// The entry at a place of ``values``.
    func entry(at position: Int) -> StateEntry {
        let record = records[position]
        let extra = record.extra < 0 ? nil : extras[Int(record.extra)]
        let images = extra?.images ?? digests(of: record)?.map(PictureIdentity.digest)
        return StateEntry(
            key: text(0, of: record) ?? "",
            id: ProductID(record.id),
            vendorID: record.marks.contains(.vendor) ? record.vendorID : nil,
            applied: ProductValues(
                name: text(1, of: record),
                description: text(2, of: record),
                price: record.numbers.price,
                currency: extra?.currency ?? record.numbers.currency,
                sale: record.numbers.sale,
                stock: record.numbers.stock,
                images: images,
                thumbnail: record.thumbnail == 0 ? extra?.thumbnail : images.map { $0[Int(record.thumbnail) - 1] }
            ),
            images: extra?.bound ?? bound(of: record),
            thumbnailURL: text(5, of: record),
            issuedAt: text(6, of: record),
            secret: extra?.secret,
            isProtected: record.marks.contains(.protected)
        )
    }

    private func text(_ number: Int, of record: Record) -> String? {
        record.has(number) ? texts.text(record.texts, record.lengths.range(number)) : nil
    }

    private func digests(of record: Record) -> [ContentDigest]? {
        guard record.has(3) else { return nil }
        return texts.with(record.texts, record.lengths.range(3)) { bytes in
            stride(from: 0, to: bytes.count, by: 32).map { ContentDigest(bytes: bytes[$0..<$0 + 32]) }
        }
    }

    private func bound(of record: Record) -> [StateEntry.BoundImage]? {
        guard let references = text(4, of: record), let digests = digests(of: record) else { return nil }
        let lines = references.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return zip(digests, lines).map { StateEntry.BoundImage(digest: $0, reference: String(Substring($1))) }
    }
}

extension StateEntries.Record {
    /// Whether there is a text, by its place in the order.
    fileprivate func has(_ number: Int) -> Bool {
        switch number {
        case 0: true
        case 1: lengths.name >= 0
        case 2: lengths.description >= 0
        case 3: lengths.images >= 0
        case 4: lengths.references >= 0
        case 5: lengths.thumbnailURL >= 0
        default: lengths.issuedAt >= 0
        }
    }
}

extension StateEntries.Record {
    /// Whether it has a key, which is in composed form.
    fileprivate func hasKey(_ key: UnsafeBufferPointer<UInt8>, in texts: TextBlocks) -> Bool {
        hasBytes(key, in: texts)
            || texts.text(self.texts, 0..<Int(lengths.key)) == String(decoding: key, as: UTF8.self)
    }

    /// Whether its key is spelled so.
    fileprivate func hasBytes(_ key: UnsafeBufferPointer<UInt8>, in texts: TextBlocks) -> Bool {
        Int(lengths.key) == key.count && texts.with(self.texts, 0..<Int(lengths.key)) { $0.isExactly(key) }
    }
}

extension StateEntries.Extra {
    fileprivate var isEmpty: Bool {
        currency == nil && images == nil && thumbnail == nil && bound == nil && secret == nil
    }
}

extension StateEntry.BoundImage {
    /// Whether the market's name is one line, and its number where it is one: as a live picture has it.
    fileprivate var isPlain: Bool {
        !reference.utf8.contains(UInt8(ascii: "\n")) && (Int64(reference).map { String($0) == reference } ?? true)
    }
}

// MARK: - What every product is asked for

extension StateEntries {
    /// Where the entry of a key is among the ``values``.
    func position(of key: String) -> Int? {
        index.find(key.composedHash) { position in
            texts.with(records[position].texts, records[position].lengths.range(0)) { $0.isExactly(key) }
                || self.key(at: position) == key
        }
    }

    /// Where the entry of a listing's key is among the ``values``.
    ///
    /// - Parameters:
    ///   - listing: The place of the listing.
    ///   - listings: The listings.
    ///   - guess: A place to look at first: listings and entries mostly come in one order.
    /// - Returns: The place; `nil` where there is none.
    func position(ofKeyOf listing: Int, in listings: Listings, guess: Int = 0) -> Int? {
        listings.withKey(at: listing) { key -> Int? in
            if records.indices.contains(guess), records[guess].hasBytes(key, in: texts) { return guess }
            guard key.isKnownComposed else { return position(of: String(decoding: key, as: UTF8.self)) }
            return index.find(key.byteHash) { position in records[position].hasKey(key, in: texts) }
        }
    }

    /// The products of the entries, in the order of ``values``.
    package var ids: some RandomAccessCollection<ProductID> { records.lazy.map { ProductID($0.id) } }

    /// Whether these are known to be the same entries at the same places, without looking at them.
    func isIdentical(to other: StateEntries) -> Bool {
        let place = records.withUnsafeBufferPointer(\.baseAddress)
        return count == other.count && other.records.withUnsafeBufferPointer { $0.baseAddress == place }
    }

    /// The key of an entry.
    func key(at position: Int) -> String { text(0, of: records[position]) ?? "" }

    /// The product of an entry.
    func id(at position: Int) -> ProductID { ProductID(records[position].id) }

    /// The vendor of an entry's product.
    func vendorID(at position: Int) -> Int64? {
        records[position].marks.contains(.vendor) ? records[position].vendorID : nil
    }

    /// Whether a look at the bytes shows that a listing wants just what was last applied, and that the pictures bound to
    /// it, if any, are those; of most entries of which that is so, it does.
    func isKnownApplied(_ position: Int, to listing: Int, of listings: Listings) -> Bool {
        let record = records[position]
        guard record.extra < 0, !record.numbers.hasSaleAtFullPrice,
            listings.isPlain(at: listing, record.numbers, thumbnail: record.thumbnail),
            record.marks.contains(.protected) == listings.isProtected(at: listing)
        else { return false }
        func agrees(_ number: Int, with bytes: UnsafeBufferPointer<UInt8>?) -> Bool {
            guard let bytes else { return !record.has(number) }
            return record.has(number)
                && texts.with(record.texts, record.lengths.range(number)) { $0.isExactly(bytes) }
        }
        return (listings.withName(at: listing) { agrees(1, with: $0) } ?? agrees(1, with: nil))
            && (listings.withDescription(at: listing) { agrees(2, with: $0) } ?? agrees(2, with: nil))
            && listings.withDigests(at: listing) { agrees(3, with: $0) }
    }

    /// Whether a look at the bytes shows that a row of a list is as the entry knows the product, and nothing to learn of.
    func isKnownShown(_ position: Int, by row: LiveRow) -> Bool {
        let record = records[position]
        guard record.extra < 0, row.images == nil, row.blank.isEmpty, !row.hasEndedSale,
            row.vendorID == nil || row.vendorID == vendorID(at: position),
            row.price == nil || row.price == record.numbers.price,
            row.currencyCode == nil || row.currencyCode?.isExactly(record.numbers.currency?.rawValue) == true,
            row.sale == nil || row.sale == record.numbers.sale || row.sale == .fullPrice && record.numbers.sale == nil,
            row.stock == nil || row.stock == record.numbers.stock
        else { return false }
        func shows(_ text: JSONText?, _ number: Int) -> Bool {
            guard let text else { return true }
            guard record.has(number) else { return false }
            return texts.with(record.texts, record.lengths.range(number)) { known in
                text.withUTF8 { known.isExactly($0) }
            }
        }
        return shows(row.thumbnailURL, 5) && shows(row.issuedAt, 6) && shows(row.name, 1) && shows(row.description, 2)
    }

    /// Whether an entry is one of other entries, from which these were made by giving some another key or dropping them.
    func isSame(_ position: Int, as other: Int, of origin: StateEntries) -> Bool {
        records[position].texts == origin.records[other].texts
    }
}
