/// Products as JSON Lines: an object for each line, with members named after the columns, `null` if unset.
package struct CatalogJSONLines: CatalogFormat {
    let columns: [CatalogColumn]
    private var writer = JSONWriter()

    package init(columns: [CatalogColumn] = CatalogColumn.allCases) {
        self.columns = columns
    }

    package mutating func append(_ product: LiveProduct, key: String?) { append(record: product, key: key) }

    package mutating func append(_ row: LiveRow, key: String?) { append(record: row, key: key) }

    private mutating func append(record: some CatalogRecord, key: String?) {
        writer.object { writer in
            for column in columns {
                writer.name(column.rawValue)
                column.put(record, key: key, into: &writer)
            }
        }
        writer.endLine()
    }

    package mutating func takeBytes() -> [UInt8] { writer.take() }

    package var pendingByteCount: Int { writer.bytes.count }
}

extension JSONWriter: CatalogRecordWriter {
    package mutating func put(_ text: some CatalogText) { text.lendUTF8 { string(utf8: $0) } }

    package mutating func put(_ number: Int64) { integer(number) }

    package mutating func put(_ number: ExactDecimal) { decimal(number) }

    package mutating func put(_ texts: [String]) {
        array { writer in
            for text in texts { writer.string(text) }
        }
    }

    package mutating func putUnset() { null() }
}
