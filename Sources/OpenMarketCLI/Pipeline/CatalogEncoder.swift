import OpenMarket

/// Spells products in the format that was asked for.
struct CatalogEncoder {
    // Two optionals rather than an enum with payloads: those would be copied at every row.
    private var delimited: CatalogCSV?
    private var lines: CatalogJSONLines?

    init(format: ExportFormat, columns: [CatalogColumn]) {
        switch format {
        case .csv: delimited = CatalogCSV(columns: columns)
        case .tsv: delimited = CatalogCSV(columns: columns, delimiter: UInt8(ascii: "\t"))
        case .jsonl: lines = CatalogJSONLines(columns: columns)
        }
    }

    mutating func append(_ product: LiveProduct, key: String?) {
        delimited?.append(product, key: key)
        lines?.append(product, key: key)
    }

    mutating func takeBytes() -> [UInt8] {
        delimited?.takeBytes() ?? lines?.takeBytes() ?? []
    }

    var pendingByteCount: Int {
        delimited?.pendingByteCount ?? lines?.pendingByteCount ?? 0
    }
}
