/// Spells products as JSON Lines: an object a line, members named after the columns, `null` where unset.
public struct CatalogJSONLines: Sendable {
    /// The members in order.
    public let columns: [CatalogColumn]
    private var bytes: [UInt8] = []

    /// A speller.
    public init(columns: [CatalogColumn] = CatalogColumn.allCases) {
        self.columns = columns
    }

    /// Adds a product.
    public mutating func append(_ product: LiveProduct, key: String?) {
        var writer = JSONWriter()
        writer.object { writer in
            for column in columns {
                writer.name(column.rawValue)
                if column == .images, let images = product.images {
                    writer.array { writer in for image in images { writer.string(image.url) } }
                } else if let value = column.value(of: product, key: key) {
                    if column.isNumeric, let number = ExactDecimal(value) {
                        writer.decimal(number)
                    } else {
                        writer.string(value)
                    }
                } else {
                    writer.null()
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
