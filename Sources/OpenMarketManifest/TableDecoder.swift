import OpenMarket

/// Reads the rows of a table as listings, with the columns of an export and `_action`.
///
/// Spreadsheets change values unasked, so possibly damaged values are refused at their cell, and empty cells are
/// ignored.
struct TableDecoder {
    private var columns: [TableColumn] = []
    private var header: [String] = []
    /// The indices of the columns in the order of reading.
    private var order: [Int] = []
    /// Whether texts are escaped so that they do not run as formulas; a mark at the start of an export shows this.
    var isGuarded = false
    private var saleColumn: Int?
    /// Whether the columns identify products; rows are not read otherwise.
    private var identifies = false

    // MARK: Header

    mutating func decodeHeader(_ row: CSVRow, _ values: inout ValueDecoder) {
        header = (0..<row.count).map { row.text(at: $0) }
        values.log.sources[values.file].header = header
        var first: [String: Int] = [:]
        for (index, name) in header.enumerated() {
            var column = TableColumn(named: name)
            values.scope = .cell(Self.address(row.number, index))
            if column == .unknown, values.log.counts(.refusedColumn) {
                reportUnknown(name, at: row.number, index, &values)
            }
            if column != .nameless {
                if let other = first[name] {
                    // It is not read: the value would be in two cells.
                    column = .unknown
                    if values.log.counts(.refusedColumn) {
                        values.report(
                            .tableColumn,
                            "the column '\(name.excerpt)' appears twice",
                            at: Self.span(row.number, index),
                            help: "the other one is column \(Self.letters(of: other))"
                        )
                    }
                } else {
                    first[name] = index
                }
            }
            columns.append(column)
        }
        let ranks = columns.map(\.rank)
        order = columns.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }
        saleColumn = columns.firstIndex(of: .catalog(.salePrice)) ?? columns.firstIndex(of: .catalog(.discount))
        identifies = columns.contains(.catalog(.id)) || columns.contains(.catalog(.key))
        if !identifies {
            values.scope = .cell(Self.address(row.number, 0))
            values.report(
                .tableColumn,
                "a table needs a column 'id' or 'key', which identify a row's product",
                at: Self.span(row.number, 0),
                help: "the first row names the columns, as `openmarket export` does"
            )
        }
    }

    private func reportUnknown(_ name: String, at row: Int, _ index: Int, _ values: inout ValueDecoder) {
        let names = CatalogColumn.allCases.map(\.rawValue) + [TableColumn.actionName]
        let word = name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: "_")
        let near =
            names.first { $0 == word } ?? ProductKey.synonyms[word]?.rawValue ?? Suggestion.nearest(to: word, in: names)
        values.report(
            .tableColumn,
            "unknown column '\(name.excerpt)'",
            at: Self.span(row, index),
            help: near.map { "did you mean '\($0)'?" }
                ?? "the columns are \(names.listed("and")); columns of your own begin with 'x-'"
        )
    }

    // MARK: Rows

    /// Reads a row; a faulty one is kept for the later checks and dropped at the end.
    mutating func decode(_ row: CSVRow, _ values: inout ValueDecoder) {
        guard identifies else { return }
        if let fault = row.fault(columns: columns.count) { return report(fault, &values) }
        // Spreadsheets leave such rows below a table.
        guard (0..<row.count).contains(where: { !row.isEmpty(at: $0) && !row.text(at: $0).trimmed.isEmpty }) else {
            return
        }
        values.isFaulty = false
        var decoder = TableRowDecoder(TableCells(row, isGuarded: isGuarded), values)
        decoder.table.header = header
        decoder.saleColumn = saleColumn
        for index in order where !row.isEmpty(at: index) {
            guard columns[index] == .nameless else {
                decoder.read(columns[index], index, &values)
                continue
            }
            values.report(
                .tableColumn,
                "the column of this cell lacks a name",
                at: decoder.span(index, &values),
                help: "name it in the first row; columns of your own begin with 'x-'"
            )
        }
        decoder.finish(&values)
    }

    /// Reports a last row without a line break, which may mean that the file is truncated; many programs simply write
    /// none.
    ///
    /// Returns the cell that may be truncated, if the product's own value can show that.
    func noteOpenEnd(of row: CSVRow, _ values: inout ValueDecoder) -> OpenCell? {
        guard row.count == columns.count, let column = columns.last else { return nil }
        let text = row.text(at: row.count - 1)
        let span = Self.span(row.number, row.count - 1)
        values.scope = .cell(Self.address(row.number, row.count - 1))
        // Half a key or id refers to another product.
        let isTelling = [.catalog(.key), .catalog(.id), .catalog(.discount), .action].contains(column)
        let isWhole = values.log.sources[values.file].isWholeExport
        if isWhole == true { return nil }
        if isWhole == false || isTelling && !text.isEmpty {
            values.report(
                .tableSyntax,
                isWhole == false
                    ? "the file ends inside this row, and the export of its certificate ended with a line end"
                    : "the file ends inside this row, perhaps inside this cell: '\(text.excerpt)'",
                at: span,
                help: "take the whole file; if this is all of it, end its last line"
            )
            return nil
        }
        values.log.add(
            .warning,
            .tableSyntax,
            "the file ends without a line end, so its last cell may be cut: '\(text.excerpt)'",
            file: values.file,
            span: span,
            path: values.scope.path,
            help: "if this is all of the file, end its last line"
        )
        guard case .catalog(let catalog) = column, let field = ProductField(rawValue: catalog.rawValue) else {
            return nil
        }
        return OpenCell(
            field: field,
            text: text.trimmed,
            location: values.log.location(at: span.start, file: values.file)
        )
    }

    func report(_ fault: CSVFault, _ values: inout ValueDecoder) {
        values.scope = .cell(fault.cell == 0 ? "" : Self.address(fault.row, fault.cell - 1))
        values.report(
            fault.kind == .encoding || fault.kind == .otherEncoding ? .yamlEncoding : .tableSyntax,
            fault.message,
            at: Self.span(fault.row, fault.cell - 1),
            help: fault.help
        )
    }

    // MARK: Positions

    /// The position of a cell, counted from 0, or of a whole row.
    static func span(_ row: Int, _ cell: Int?) -> SourceSpan {
        SourceSpan(
            start: SourcePosition(line: UInt32(clamping: row), column: UInt32(clamping: (cell ?? -1) + 1)),
            length: 1
        )
    }

    static func address(_ cell: SourceSpan) -> String { address(Int(cell.start.line), Int(cell.start.column) - 1) }

    /// The name of a cell in a spreadsheet: `E17`.
    static func address(_ row: Int, _ cell: Int) -> String { letters(of: cell) + String(row) }

    private static func letters(of cell: Int) -> String {
        var letters = ""
        var rest = cell
        repeat {
            letters = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(rest % 26))) + letters
            rest = rest / 26 - 1
        } while rest >= 0
        return letters
    }
}
