/// The rows of an earlier export, in little more memory than their texts.
struct PackedRows: Sendable {
    /// The position of each product's row; of several rows, the last one counts.
    private(set) var positions: [MarketID: Int] = [:]
    private var starts: [Int] = []
    private var bytes: [UInt8] = []

    var count: Int { starts.count }

    mutating func append(_ row: CatalogRow) {
        positions[row.id] = starts.count
        starts.append(bytes.count)
        var values = PackedValues(bytes: bytes)
        bytes = []
        for column in CatalogColumn.allCases { row[column].put(into: &values) }
        bytes = values.bytes
    }

    func row(_ position: Int, of id: MarketID) -> CatalogRow {
        var reader = PackedValueReader(bytes: bytes[starts[position]...])
        let values = CatalogColumn.allCases.map { _ in reader.next() }
        return CatalogRow(id: id, columns: CatalogColumn.allCases, values: values)
    }

    /// The compared columns that differ between a record and the row at a position.
    func columns(_ compared: [CatalogColumn], changedAt position: Int, in record: some CatalogRecord) -> [CatalogColumn]
    {
        var reader = PackedValueReader(bytes: bytes[starts[position]...])
        var values = PackedValues()
        var changed: Set<CatalogColumn> = []
        for column in CatalogColumn.allCases {
            let earlier = reader.skip()
            guard compared.contains(column) else { continue }
            values.bytes.removeAll(keepingCapacity: true)
            column.put(record, key: nil, into: &values)
            if !values.bytes.elementsEqual(earlier) { changed.insert(column) }
        }
        return changed.isEmpty ? [] : compared.filter(changed.contains)
    }
}

/// Writes values in sequence: a byte for the kind, then the number, or the length and the text.
private struct PackedValues: CatalogRecordWriter {
    var bytes: [UInt8] = []

    mutating func put(_ text: some CatalogText) {
        text.lendUTF8 { text in
            bytes.append(2)
            put(count: text.count)
            bytes.append(text)
        }
    }

    mutating func put(_ number: Int64) { put(ExactDecimal(number)) }

    mutating func put(_ number: ExactDecimal) {
        bytes += [1, number.scale]
        put(UInt64(bitPattern: number.significand), bytes: 8)
    }

    mutating func put(_ texts: [String]) {
        bytes.append(3)
        put(count: texts.count)
        for text in texts { put(text) }
    }

    mutating func putUnset() { bytes.append(0) }

    private mutating func put(count: Int) { put(UInt64(count), bytes: 4) }

    /// Writes a number in little-endian order.
    private mutating func put(_ number: UInt64, bytes count: Int) {
        for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
    }
}

private struct PackedValueReader {
    var bytes: ArraySlice<UInt8>

    mutating func next() -> CatalogValue {
        switch take(1).first {
        case 1:
            let scale = take(1).first ?? 0
            let significand = Int64(bitPattern: integer(take(8)))
            return ExactDecimal(significand: significand, scale: Int(scale)).map(CatalogValue.number) ?? .unset
        case 2: return .text(text())
        case 3:
            return .texts(
                (0..<count()).map { _ in
                    _ = take(1)
                    return text()
                }
            )
        default: return .unset
        }
    }

    /// Skips a value; returns its bytes.
    mutating func skip() -> ArraySlice<UInt8> {
        let start = bytes
        switch take(1).first {
        case 1: _ = take(9)
        case 2: _ = take(count())
        case 3:
            for _ in 0..<count() {
                _ = take(1)
                _ = take(count())
            }
        default: break
        }
        return start[..<bytes.startIndex]
    }

    private mutating func text() -> ExactText { ExactText(String(decoding: take(count()), as: UTF8.self)) }

    private mutating func count() -> Int { Int(integer(take(4))) }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    private func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}
