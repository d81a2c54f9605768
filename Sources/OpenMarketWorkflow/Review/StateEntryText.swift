package import OpenMarket

package struct StateEntryText {
    private static let pieceSize = 1 << 16

    package init() {}

    /// All facts about a product, one per line.
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

    /// Writes a line for each product, many lines at a time.
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
