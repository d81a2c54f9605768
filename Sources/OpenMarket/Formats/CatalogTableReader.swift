/// Reads the rows of an exported CSV or TSV file; see ``CatalogCSV``.
struct CatalogTableReader {
    init(ids: MarketID.Kind?) {
        self.ids = ids
    }

    private var reader = CSVReader()
    /// The export's column of each cell; `nil` for other columns.
    private var cells: [CatalogColumn?]?
    private var columns: [CatalogColumn] = []

    /// `nil` if the market's kind of ids is unknown.
    let ids: MarketID.Kind?

    mutating func read(_ piece: [UInt8], _ body: (CatalogRow) throws -> Void) throws {
        reader.feed(piece)
        try rows(body)
    }

    mutating func finish(_ body: (CatalogRow) throws -> Void) throws {
        reader.finish()
        try rows(body)
        guard cells != nil else { throw CatalogFileError("the header is missing") }
    }

    private mutating func rows(_ body: (CatalogRow) throws -> Void) throws {
        do {
            while try reader.next() {
                if let cells { try body(row(reader.row, cells)) } else { try readHeader(reader.row) }
            }
        } catch let fault as CSVFault {
            let place = fault.cell == 0 ? "row \(fault.row)" : "row \(fault.row), cell \(fault.cell)"
            throw CatalogFileError("\(place): \(fault.message)", help: fault.help)
        }
    }

    private mutating func readHeader(_ row: CSVRow) throws {
        let names = (0..<row.count).map { row.text(at: $0) }
        guard !names.contains(CatalogChangeTable.mark) else { throw CatalogFileError.changes }
        let cells = names.map { CatalogColumn(rawValue: $0) }
        columns = cells.compactMap(\.self)
        guard columns.contains(.id) else {
            throw CatalogFileError(
                "the column 'id' is missing from its first line, so it cannot identify products",
                help: "export with the column id"
            )
        }
        guard Set(columns).count == columns.count else { throw CatalogFileError("a column appears twice") }
        self.cells = cells
    }

    private func row(_ row: CSVRow, _ cells: [CatalogColumn?]) throws -> CatalogRow {
        if let fault = row.fault(columns: cells.count) { throw fault }
        var id: MarketID?
        let values = try cells.indices.compactMap { index -> CatalogValue? in
            guard let column = cells[index] else { return nil }
            let value = try value(row, index, column)
            if column == .id, value != .unset {
                id = MarketID(value, of: ids)
                if id == nil { throw CatalogFileError("row \(row.number): \(MarketID.refusal(of: ids))") }
            }
            return value
        }
        guard let id else { throw CatalogFileError("row \(row.number): the id is missing") }
        return CatalogRow(id: id, columns: columns, values: values)
    }

    private func value(_ row: CSVRow, _ index: Int, _ column: CatalogColumn) throws -> CatalogValue {
        guard !row.isUnset(at: index) else { return .unset }
        let text = row.text(at: index)
        if column.isNumber(ids: ids ?? .text) {
            // In a table of one column, unset values have quotes.
            guard !text.isEmpty else { return .unset }
            guard let number = ExactDecimal(text) else {
                throw CatalogFileError("row \(row.number): \(column.rawValue) '\(text)' is not a number")
            }
            return .number(number)
        }
        let bare = reader.hasMark ? FormulaGuard.unguarded(text) : text
        guard column == .images else { return .text(ExactText(bare)) }
        return .texts(bare.utf8.split(separator: UInt8(ascii: " ")).map { ExactText(String(Substring($0))) })
    }
}
