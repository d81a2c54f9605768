/// Products as JSON Lines: an object a line, members named after the columns, `null` where unset.
public struct CatalogJSONLines: CatalogFormat {
    /// The members in order.
    public let columns: [CatalogColumn]
    private var bytes: [UInt8] = []

    /// Lines with these members.
    public init(columns: [CatalogColumn] = CatalogColumn.allCases) {
        self.columns = columns
    }

    /// Adds a product.
    public mutating func append(_ product: LiveProduct, key: String?) {
        var writer = JSONWriter()
        writer.object { writer in
            for column in columns {
                writer.name(column.rawValue)
                switch column.value(of: product, key: key) {
                case .text(let text): writer.string(text)
                case .integer(let number): writer.integer(number)
                case .decimal(let number): writer.decimal(number)
                case .list(let texts): writer.array { writer in for text in texts { writer.string(text) } }
                case nil: writer.null()
                }
            }
        }
        bytes += writer.bytes
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The bytes since the last call.
    public mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// How many bytes wait to be taken.
    public var pendingByteCount: Int { bytes.count }
}
