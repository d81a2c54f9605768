/// Spells products as records of a CSV or TSV file.
public struct CatalogCSV: Sendable {
    /// The columns in order.
    public let columns: [CatalogColumn]
    private var writer: CSVWriter

    /// A speller that starts with the header.
    ///
    /// - Parameters:
    ///   - columns: what to write, in order.
    ///   - delimiter: a comma, or a tab for TSV.
    public init(columns: [CatalogColumn] = CatalogColumn.allCases, delimiter: UInt8 = UInt8(ascii: ",")) {
        self.columns = columns
        self.writer = CSVWriter(delimiter: delimiter)
        for column in columns { writer.append(plain: column.rawValue) }
        writer.endRecord()
    }

    /// Adds a product.
    public mutating func append(_ product: LiveProduct, key: String?) {
        for column in columns {
            let value = column.value(of: product, key: key)
            // One unset value alone would be an empty line, which readers skip: the record would be lost.
            if columns.count == 1, value == nil { writer.append("") } else { writer.append(value) }
        }
        writer.endRecord()
    }

    /// The bytes since the last call.
    public mutating func takeBytes() -> [UInt8] {
        defer { writer.removeAll() }
        return writer.bytes
    }

    /// How many bytes wait to be taken.
    public var pendingByteCount: Int { writer.bytes.count }
}
