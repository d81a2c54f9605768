package import OpenMarket

/// What is known of products, for people.
package struct StateEntryText {
    /// So many bytes of a list are handed on at once.
    private static let pieceSize = 1 << 16

    /// A renderer.
    package init() {}

    /// All that is known of a product, a line for each fact.
    package func render(_ entry: StateEntry) -> String {
        var lines = [("key", entry.key), ("id", "\(entry.id)")]
        if let vendor = entry.vendorID { lines.append(("vendor_id", "\(vendor)")) }
        let values = FieldValueText(limit: 1000)
        for field in ProductField.allCases {
            guard let value = entry.applied[field] else { continue }
            lines.append((field.rawValue, values.text(value)))
        }
        for image in entry.images ?? [] {
            lines.append(("picture", "\(image.digest.abbreviated) is \(image.reference)"))
        }
        if let issued = entry.issuedAt { lines.append(("issued_at", issued)) }
        if entry.isProtected { lines.append(("protected", "true")) }
        return lines.map { "\($0.padded(to: 12)) \($1.terminalSafe)\n" }.joined()
    }

    /// A line for each product, handed on many lines at a time.
    ///
    /// - Throws: what `write` throws.
    package func list(_ places: [Int], of entries: StateEntries, _ write: (String) throws -> Void) throws {
        let width = places.lazy.map { entries.key(at: $0).terminalSafe.columns }.max() ?? 0
        var lines = ""
        for place in places {
            let key = entries.key(at: place).terminalSafe.padded(to: width)
            let name = entries.name(at: place)?.terminalSafe.abbreviated(to: 60) ?? ""
            lines += "\(key)  \(entries.id(at: place))  \(name)\n"
            guard lines.utf8.count >= Self.pieceSize else { continue }
            try write(lines)
            lines.removeAll(keepingCapacity: true)
        }
        try write(lines)
    }
}
