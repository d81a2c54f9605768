package import OpenMarket

extension StateEntry {
    package var text: String {
        var lines = [("key", key), ("id", "\(id)")]
        if let vendor = vendorID { lines.append(("vendor_id", "\(vendor)")) }
        let values = FieldValueText(limit: 1000)
        for field in ProductField.allCases {
            guard let value = applied[field] else { continue }
            lines.append((field.rawValue, values.text(value)))
        }
        for image in images ?? [] {
            lines.append(("picture", "\(image.digest.abbreviated) is \(image.reference)"))
        }
        if let issued = issuedAt { lines.append(("issued_at", issued)) }
        if isProtected { lines.append(("protected", "true")) }
        if let origin { lines.append(("origin", origin)) }
        return lines.map { "\($0.padded(to: 12)) \($1.terminalSafe)\n" }.joined()
    }
}

extension StateEntries {
    /// Writes a line for each product at some positions, many lines at a time.
    package func list(_ places: [Int], _ write: (String) throws -> Void) throws {
        let width = places.lazy.map { key(at: $0).terminalSafe.columns }.max() ?? 0
        var lines = ""
        for place in places {
            let key = key(at: place).terminalSafe.padded(to: width)
            let name = name(at: place)?.terminalSafe.abbreviated(to: 60) ?? ""
            lines += "\(key)  \(id(at: place))  \(name)\n"
            guard lines.utf8.count >= 1 << 16 else { continue }
            try write(lines)
            lines.removeAll(keepingCapacity: true)
        }
        try write(lines)
    }
}
