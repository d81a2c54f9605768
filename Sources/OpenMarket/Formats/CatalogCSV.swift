package struct CatalogCSV: CatalogFormat {
    let columns: [CatalogColumn]
    private var writer: CSVWriter

    /// Starts a table with its header.
    ///
    /// With `isForSpreadsheets`, the file has a byte order mark, so that spreadsheets recognize UTF-8, and guarded
    /// texts (``FormulaGuard``).
    package init(
        columns: [CatalogColumn] = CatalogColumn.allCases,
        delimiter: UInt8 = UInt8(ascii: ","),
        isForSpreadsheets: Bool = false
    ) {
        self.columns = columns
        self.writer = CSVWriter(delimiter: delimiter)
        if isForSpreadsheets { writer.appendByteOrderMark() }
        for column in columns { writer.append(column.rawValue) }
        writer.endRecord()
        writer.quotesUnset = columns.count == 1
        writer.guardsFormulas = isForSpreadsheets
    }

    package mutating func append(_ product: LiveProduct, key: String?) { append(record: product, key: key) }

    package mutating func append(_ row: LiveRow, key: String?) { append(record: row, key: key) }

    private mutating func append(record: some CatalogRecord, key: String?) {
        for column in columns { column.put(record, key: key, into: &writer) }
        writer.endRecord()
    }

    package mutating func takeBytes() -> [UInt8] { writer.takeBytes() }

    package var pendingByteCount: Int { writer.byteCount }
}
