import OpenMarket

/// Reads the rows of a table as listings: the columns are those of an export, and `_action`.
///
/// A spreadsheet changes what it was not asked to change, so what it may have damaged is refused at its cell, and what a
/// row leaves empty says nothing.
struct TableDecoder {
    private enum Column: Equatable {
        case catalog(CatalogColumn)
        case action
        /// The user's own: `x-…`.
        case own
        /// Without a name: nothing may stand in it.
        case nameless
        /// With a name that was refused.
        case unknown
    }

    private var columns: [Column] = []
    private var header: [String] = []
    private var hasSalePrice = false
    private var action: Int?
    private var id: Int?

    /// What the column of actions is called.
    static let actionColumn = "_action"

    // MARK: Header

    /// Reads the first row.
    mutating func decodeHeader(_ row: CSVRow, _ values: inout ValueDecoder) {
        header = (0..<row.count).map { row.text(at: $0) }
        values.log.sources[values.file].header = header
        for (index, name) in header.enumerated() {
            let column = Self.column(of: name)
            values.scope = .cell(Self.address(row.number, index))
            if column == .unknown { reportUnknown(name, at: row.number, index, &values) }
            if column != .nameless, let first = header[..<index].firstIndex(of: name) {
                values.report(
                    .tableColumn,
                    "the column '\(name.excerpt)' stands twice",
                    at: Self.span(row.number, index),
                    help: "the other one is column \(Self.letters(of: first))"
                )
            }
            columns.append(column)
        }
        action = columns.firstIndex(of: .action)
        id = columns.firstIndex(of: .catalog(.id))
        hasSalePrice = columns.contains(.catalog(.salePrice))
        if id == nil, !columns.contains(.catalog(.key)) {
            values.scope = .cell(Self.address(row.number, 0))
            values.report(
                .tableColumn,
                "a table needs a column 'id' or 'key', which say what product a row is about",
                at: Self.span(row.number, 0),
                help: "the first row names the columns, as `openmarket export` does"
            )
        }
    }

    private static func column(of name: String) -> Column {
        if let column = CatalogColumn(rawValue: name) { return .catalog(column) }
        if name == actionColumn { return .action }
        if name.isEmpty { return .nameless }
        return name.hasPrefix("x-") ? .own : .unknown
    }

    private func reportUnknown(_ name: String, at row: Int, _ index: Int, _ values: inout ValueDecoder) {
        let names = CatalogColumn.allCases.map(\.rawValue) + [Self.actionColumn]
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

    /// Reads a row; one with faults is kept for the checks to come and dropped at the end.
    func decode(_ row: CSVRow, _ values: inout ValueDecoder, into products: inout ListingDrafts) {
        if let fault = row.fault(columns: columns.count) { return report(fault, &values) }
        // What spreadsheets leave below a table.
        guard (0..<row.count).contains(where: { !row.isEmpty(at: $0) }) else { return }
        values.isFaulty = false
        var decoder = TableRowDecoder(row, values, products)
        decoder.table.header = header
        if let action { decoder.readAction(action, &values) }
        if let id { decoder.readID(id, &values) }
        for (index, column) in columns.enumerated() where !row.isEmpty(at: index) {
            switch column {
            case .catalog(let column): decoder.read(column, index, hasSalePrice: hasSalePrice, &values, &products)
            case .nameless:
                values.report(
                    .tableColumn,
                    "the column of this cell has no name",
                    at: decoder.span(index, &values),
                    help: "name it in the first row; columns of your own begin with 'x-'"
                )
            case .action, .own, .unknown: break
            }
        }
        let saleColumn = columns.firstIndex(of: .catalog(hasSalePrice ? .salePrice : .discount))
        decoder.settleSale(saleColumn, isDiscount: !hasSalePrice, &values, &products)
        decoder.finish(&values, into: &products)
    }

    /// Notes what is wrong with the text as CSV.
    func report(_ fault: CSVFault, _ values: inout ValueDecoder) {
        values.scope = .cell(fault.cell == 0 ? "" : Self.address(fault.row, fault.cell - 1))
        values.report(
            fault.kind == .encoding || fault.kind == .otherEncoding ? .yamlEncoding : .tableSyntax,
            fault.message,
            at: Self.span(fault.row, fault.cell - 1),
            help: fault.help
        )
    }

    // MARK: Places

    /// The place of a cell, from 0, or of a row as a whole.
    static func span(_ row: Int, _ cell: Int?) -> SourceSpan {
        SourceSpan(
            start: SourcePosition(line: UInt32(clamping: row), column: UInt32(clamping: (cell ?? -1) + 1)),
            length: 1
        )
    }

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
