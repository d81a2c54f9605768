/// Products as records of a CSV or TSV file.
package struct CatalogCSV: CatalogFormat {
    /// The columns in order.
    let columns: [CatalogColumn]
    private var writer: CSVWriter

    /// A table that starts with the header.
    ///
    /// - Parameters:
    ///   - columns: what to write, in order.
    ///   - delimiter: a comma, a semicolon, or a tab for TSV.
    ///   - isForSpreadsheets: whether people open it in a spreadsheet: with the mark by which that knows UTF-8, and with
    ///     guarded texts (``FormulaGuard``).
    package init(
        columns: [CatalogColumn] = CatalogColumn.allCases,
        delimiter: UInt8 = UInt8(ascii: ","),
        isForSpreadsheets: Bool = false
    ) {
        self.columns = columns
        self.writer = CSVWriter(delimiter: delimiter)
        if isForSpreadsheets { writer.appendByteOrderMark() }
        for column in columns { writer.append(plain: column.rawValue) }
        writer.endRecord()
        writer.quotesUnset = columns.count == 1
        writer.guardsFormulas = isForSpreadsheets
    }

    /// Adds a product.
    package mutating func append(_ product: LiveProduct, key: String?) { append(record: product, key: key) }

    /// Adds a row, straight from the page's bytes.
    package mutating func append(_ row: LiveRow, key: String?) { append(record: row, key: key) }

    private mutating func append(record: some CatalogRecord, key: String?) {
        for column in columns { column.put(record, key: key, into: &writer) }
        writer.endRecord()
    }

    /// The bytes since the last call.
    package mutating func takeBytes() -> [UInt8] { writer.takeBytes() }

    /// How many bytes wait to be taken.
    package var pendingByteCount: Int { writer.byteCount }
}
