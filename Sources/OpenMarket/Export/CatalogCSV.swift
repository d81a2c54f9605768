/// Products as records of a CSV or TSV file.
public struct CatalogCSV: CatalogFormat {
    /// The columns in order.
    public let columns: [CatalogColumn]
    private var writer: CSVWriter

    /// A table that starts with the header.
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
            switch column.value(of: product, key: key) {
            case .text(let text): writer.append(text)
            case .integer(let number): writer.append(plain: String(number))
            case .decimal(let number): writer.append(plain: number.description)
            case .list(let texts): writer.append(texts.joined(separator: " "))
            // One unset value alone would be an empty line, which readers skip: the record would be lost.
            case nil: writer.append(columns.count == 1 ? "" : nil)
            }
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
