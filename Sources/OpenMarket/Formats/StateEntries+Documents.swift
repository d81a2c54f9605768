extension StateEntries {
    /// Positions among the ``values``, ordered by the bytes of the keys.
    package var placesByKey: [Int] {
        var sorted = places.map { place in withKey(at: place) { (head: KeyHead($0), place: place) } }
        sorted.sort { left, right in
            guard left.head == right.head else { return left.head < right.head }
            return withKey(at: left.place) { key in
                withKey(at: right.place) { key.precedes($0) }
            }
        }
        return sorted.map(\.place)
    }

    /// Positions of the entries whose keys match a ``Glob``, in the same order; of all entries without a pattern.
    package func placesByKey(fitting pattern: String?) -> [Int] {
        guard let glob = pattern.map(Glob.init) else { return placesByKey }
        return placesByKey.filter { glob.matches(key(at: $0)) }
    }
}

/// The first sixteen bytes of a key, which distinguish most keys.
private struct KeyHead: Comparable {
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    init(_ key: Span<UInt8>) {
        for index in 0..<min(key.count, 16) {
            let byte = key[index]
            let shift = 56 - index % 8 * 8
            if index < 8 { high |= UInt64(byte) << shift } else { low |= UInt64(byte) << shift }
        }
    }

    static func < (left: KeyHead, right: KeyHead) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

extension JSONWriter {
    /// Writes an entry's document directly from storage; mostly without intermediate values.
    ///
    /// The reference implementation is the document of ``StateEntry``.
    package mutating func entry(at place: Int, of entries: StateEntries) {
        guard let packed = entries.packed(at: place) else { return value(entries.entry(at: place).document) }
        object { writer in
            writer.name("key")
            entries.withKey(at: place) { writer.string(utf8: $0) }
            writer.name("id")
            writer.value(entries.id(at: place).document)
            if let vendorID = entries.vendorID(at: place) {
                writer.name("vendor_id")
                writer.value(vendorID.document)
            }
            writer.name("applied")
            writer.object { writer in
                for field in ProductField.allCases { writer.member(field, of: packed, in: entries) }
            }
            writer.sentImages(of: packed, in: entries)
            entries.withText(.thumbnailURL, of: packed) { writer.member("thumbnail_url", utf8: $0) }
            entries.withText(.issuedAt, of: packed) { writer.member("issued_at", utf8: $0) }
            if packed.isProtected { writer.member("protected", true) }
            if let origin = entries.origin(at: place) { writer.member("origin", origin) }
        }
    }

    private mutating func member(_ field: ProductField, of entry: StateEntries.Packed, in entries: StateEntries) {
        switch field {
        case .name: entries.withName(of: entry) { member(field.rawValue, utf8: $0) }
        case .description: entries.withDescription(of: entry) { member(field.rawValue, utf8: $0) }
        case .price: member(field.rawValue, entry.numbers.price)
        case .currency: member(field.rawValue, entry.numbers.currency?.rawValue)
        case .salePrice:
            guard let sale = entry.numbers.sale else { return }
            name(field.rawValue)
            if let price = sale.salePrice { decimal(price) } else { null() }
        case .stock: if let stock = entry.numbers.stock { member(field.rawValue, stock.document) }
        case .images:
            entries.withText(.images, of: entry) { digests in
                name(field.rawValue)
                array { writer in
                    for start in stride(from: 0, to: digests.count, by: 32) {
                        writer.string("sha256:", hexadecimal: digests.extracting(start..<start + 32))
                    }
                }
            }
        case .thumbnail:
            guard let place = entry.thumbnail else { return }
            entries.withText(.images, of: entry) { digests in
                name(field.rawValue)
                string("sha256:", hexadecimal: digests.extracting(place * 32..<place * 32 + 32))
            }
        }
    }

    private mutating func sentImages(of entry: StateEntries.Packed, in entries: StateEntries) {
        entries.withText(.references, of: entry) { references in
            entries.withText(.images, of: entry) { digests in
                name("sent_images")
                array { writer in
                    var lineStart = 0
                    for start in stride(from: 0, to: digests.count, by: 32) {
                        var lineEnd = lineStart
                        while lineEnd < references.count, references[lineEnd] != UInt8(ascii: "\n") { lineEnd += 1 }
                        let line = references.extracting(lineStart..<lineEnd)
                        lineStart = min(lineEnd + 1, references.count)
                        writer.object { writer in
                            writer.name("sha256")
                            writer.string("", hexadecimal: digests.extracting(start..<start + 32))
                            writer.member("reference", utf8: line)
                        }
                    }
                }
            }
        }
    }

    private mutating func member(_ name: String, utf8 value: Span<UInt8>) {
        self.name(name)
        string(utf8: value)
    }
}
