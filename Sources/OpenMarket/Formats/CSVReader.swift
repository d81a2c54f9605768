/// Reads CSV (RFC 4180) row by row from bytes that arrive in pieces.
///
/// ```swift
/// var reader = CSVReader()
/// reader.feed(bytes)
/// while try reader.next() { use(reader.row) }
/// reader.finish()
/// while try reader.next() { use(reader.row) }
/// ```
///
/// A byte order mark is skipped. Lines end with CRLF, LF or several CR and LF. The header decides whether a comma, a
/// semicolon or a tab separates cells.
///
/// Any other departure from RFC 4180 is a ``CSVFault`` at its position, because a guess would move values into other
/// cells.
package struct CSVReader: Sendable {
    private enum Place {
        case rowStart
        case cellStart
        case plain
        case quoted
        /// After a quote in a quoted cell: the cell's end, or the first of two quotes.
        case afterQuote
        /// After a CR, before its LF.
        case afterReturn
    }

    /// `nil` until the header has been read.
    private(set) var delimiter: UInt8?
    package private(set) var row = CSVRow()
    /// Whether the file ended in the last row, without a line break.
    package private(set) var endsInRow = false
    /// Whether the table begins with a byte order mark, as exports for spreadsheets do; set with the first row.
    package private(set) var hasMark = false

    private var input: [UInt8] = []
    private var index = 0
    private var place = Place.rowStart
    private var isFinished = false
    private var isPastMark = false
    private var isRowComplete = false
    private let headerRow: Int
    /// The number of bytes in which a search for the header's end was in vain.
    private var scanned = 0
    /// Whether a fault was found, after which the rest cannot be split.
    private var isBroken = false

    /// In bytes; a larger row means a stray quote, not a table.
    private static let largestRow = 16 << 20
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Without a delimiter, the row of the header determines it.
    package init(delimiter: UInt8? = nil, headerRow: Int = 1) {
        self.delimiter = delimiter
        self.headerRow = headerRow
    }

    package mutating func feed(_ bytes: [UInt8]) {
        guard !isBroken else { return }
        if index == input.count {
            input = bytes
        } else {
            input.removeFirst(index)
            input += bytes
        }
        index = 0
    }

    package mutating func finish() { isFinished = true }

    /// Reads the next row into ``row``; empty lines are skipped, but counted.
    ///
    /// `false` means that more bytes are needed, or that the input ended. A fault is thrown once, and no rows follow
    /// it.
    package mutating func next() throws(CSVFault) -> Bool {
        guard !isBroken else { return false }
        do throws(CSVFault) {
            return try nextRow()
        } catch {
            isBroken = true
            (input, index) = ([], 0)
            throw error
        }
    }

    private mutating func nextRow() throws(CSVFault) -> Bool {
        guard try passMark(), try findDelimiter() else { return false }
        if isRowComplete {
            isRowComplete = false
            row.clear()
        }
        while index < input.count {
            if try step() { return true }
        }
        guard isFinished else { return false }
        switch place {
        case .rowStart: return false
        case .cellStart, .plain, .afterQuote:
            endCell()
            let isRow = try endRow()
            endsInRow = isRow
            return isRow
        case .quoted: throw fault(.unclosedQuote)
        case .afterReturn: throw fault(.loneReturn)
        }
    }

    /// Reads some bytes; returns whether a row is complete.
    private mutating func step() throws(CSVFault) -> Bool {
        switch place {
        case .rowStart:
            row.begin()
            place = .cellStart
        case .cellStart:
            guard input[index] == Self.quote else {
                place = .plain
                break
            }
            row.isQuoted = true
            place = .quoted
            index += 1
        case .plain:
            let delimiter = delimiter ?? UInt8(ascii: ",")
            take(until: input.span.endOfPlainCell(delimiter, from: index))
            guard index < input.count else { break }
            guard input[index] != Self.quote else { throw fault(.strayQuote) }
            return try endCell(at: input[index], delimiter)
        case .quoted:
            take(until: input.span.firstIndex(of: Self.quote, from: index))
            guard index < input.count else { break }
            place = .afterQuote
            index += 1
        case .afterQuote:
            guard input[index] == Self.quote else {
                return try endCell(at: input[index], delimiter ?? UInt8(ascii: ","))
            }
            row.bytes.append(Self.quote)
            place = .quoted
            index += 1
        case .afterReturn:
            guard input[index] == Self.lineFeed else {
                // A program that turned each LF of a CRLF into CRLF wrote two CRs.
                guard input[index] == Self.carriageReturn else { throw fault(.loneReturn) }
                index += 1
                return false
            }
            index += 1
            endCell()
            return try endRow()
        }
        guard row.bytes.count <= Self.largestRow else { throw fault(.largeRow) }
        return false
    }

    /// Ends a cell at a byte that does not belong to it.
    private mutating func endCell(at byte: UInt8, _ delimiter: UInt8) throws(CSVFault) -> Bool {
        index += 1
        switch byte {
        case delimiter:
            endCell()
            place = .cellStart
            return false
        case Self.lineFeed:
            endCell()
            return try endRow()
        case Self.carriageReturn:
            place = .afterReturn
            return false
        default: throw fault(.textAfterQuote)
        }
    }

    private mutating func endCell() { row.endCell() }

    private mutating func endRow() throws(CSVFault) -> Bool {
        place = .rowStart
        if let cell = row.firstCellOutsideUTF8 { throw CSVFault(.encoding, row: row.number, cell: cell + 1) }
        guard !row.isBlankLine else {
            row.clear()
            return false
        }
        isRowComplete = true
        return true
    }

    private func fault(_ kind: CSVFault.Kind) -> CSVFault {
        CSVFault(kind, row: max(row.number, 1), cell: row.count + 1)
    }

    // MARK: Runs

    private mutating func take(until end: Int) {
        if index < end { row.bytes += input[index..<end] }
        index = end
    }

    // MARK: The beginning

    /// Skips the byte order mark; `false` if more bytes are needed to decide.
    private mutating func passMark() throws(CSVFault) -> Bool {
        guard !isPastMark else { return true }
        let first = input[index...].prefix(3)
        guard first.count == 3 || isFinished else { return false }
        if first.starts(with: [0xFF, 0xFE]) || first.starts(with: [0xFE, 0xFF]) {
            throw CSVFault(.otherEncoding, row: 1, cell: 1)
        }
        hasMark = first.hasUTF8Mark
        if hasMark { index += 3 }
        isPastMark = true
        return true
    }

    /// The delimiter is the candidate that is most frequent outside of quotes in the header.
    private mutating func findDelimiter() throws(CSVFault) -> Bool {
        guard delimiter == nil else { return true }
        // Searched again at twice the length, so that line ends in quotes cost no more than the header.
        guard isFinished || input.count - index >= 2 * scanned else { return false }
        scanned = input.count - index
        guard let found = separatorsOfHeader() else {
            guard scanned <= Self.largestRow else { throw CSVFault(.largeRow, row: 1, cell: 1) }
            return false
        }
        delimiter = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")].max { left, right in
            found.count { $0 == left } < found.count { $0 == right }
        }
        return true
    }

    /// The candidates outside of quotes in the header; `nil` if its line does not end yet.
    private func separatorsOfHeader() -> [UInt8]? {
        var found: [UInt8] = []
        var (ended, isQuoted, hasBegun) = (0, false, false)
        for byte in input[index...] {
            switch byte {
            case Self.quote:
                isQuoted.toggle()
                hasBegun = true
            case Self.lineFeed where !isQuoted:
                ended += 1
                // A file may begin with empty lines.
                if hasBegun, ended >= headerRow { return found }
                found = []
            case Self.carriageReturn where !hasBegun: break
            default:
                hasBegun = true
                if !isQuoted, ",;\t".utf8.contains(byte) { found.append(byte) }
            }
        }
        return isFinished ? found : nil
    }
}

package struct CSVRow: Sendable {
    private struct Cell: Sendable {
        var end: Int
        var isQuoted: Bool
    }

    /// The row number as spreadsheets count: the header is row 1, and a line break in a cell begins no row.
    package private(set) var number = 0
    fileprivate var bytes: [UInt8] = []
    private var cells: [Cell] = []
    fileprivate var isQuoted = false

    fileprivate init() {}

    package var count: Int { cells.count }

    package func text(at cell: Int) -> String {
        withBytes(at: cell) { $0.text }
    }

    package func isEmpty(at cell: Int) -> Bool { start(of: cell) == cells[cell].end }

    /// Whether a cell is without a value; an export writes an empty text as `""`.
    package func isUnset(at cell: Int) -> Bool { isEmpty(at: cell) && !cells[cell].isQuoted }

    /// Lends the bytes of a cell, without quotes.
    package func withBytes<Result>(at cell: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        body(bytes.span.extracting(start(of: cell)..<cells[cell].end))
    }

    private func start(of cell: Int) -> Int { cell == 0 ? 0 : cells[cell - 1].end }

    /// The fault of a row whose cells do not match the header's columns: its values would be under wrong names.
    package func fault(columns: Int) -> CSVFault? {
        count == columns ? nil : CSVFault(.rowLength(cells: count, columns: columns), row: number, cell: 0)
    }

    // MARK: Reading

    fileprivate mutating func begin() { number += 1 }

    fileprivate mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        cells.removeAll(keepingCapacity: true)
    }

    fileprivate mutating func endCell() {
        cells.append(Cell(end: bytes.count, isQuoted: isQuoted))
        isQuoted = false
    }

    fileprivate var isBlankLine: Bool { cells.count == 1 && isUnset(at: 0) }

    /// Checked cell by cell: bytes of two adjacent cells never form one character.
    fileprivate var firstCellOutsideUTF8: Int? {
        guard bytes.contains(where: { $0 >= 0x80 }) else { return nil }
        return cells.indices.first { !withBytes(at: $0) { $0.isUTF8 } }
    }
}

package struct CSVFault: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A quote in a cell that does not begin with one.
        case strayQuote
        /// Text between a cell's closing quote and the next delimiter.
        case textAfterQuote
        case unclosedQuote
        /// A CR without an LF.
        case loneReturn
        case encoding
        /// A byte order mark of UTF-16.
        case otherEncoding
        /// A row above the size limit.
        case largeRow
        /// A row with more or fewer cells than the header has columns.
        case rowLength(cells: Int, columns: Int)
    }

    package var kind: Kind
    /// As spreadsheets count: the header is row 1.
    package var row: Int
    /// From 1; 0 for the row as a whole.
    package var cell: Int

    init(_ kind: Kind, row: Int, cell: Int) {
        self.kind = kind
        self.row = row
        self.cell = cell
    }

    /// One sentence, lower case, no full stop.
    package var message: String {
        switch kind {
        case .strayQuote: "a quote is inside a cell that does not begin with one"
        case .textAfterQuote: "text follows the closing quote of a cell"
        case .unclosedQuote: "a quote that opens here or in an earlier cell is not closed"
        case .loneReturn: "a line ends with a carriage return alone"
        case .encoding: "the text is not UTF-8"
        case .otherEncoding: "the file is UTF-16"
        case .largeRow: "the row is larger than 16 MiB: a quote may be missing or one too many"
        case .rowLength(let cells, let columns):
            "this row has \(counted(cells, "cell")), and the header \(columns)"
        }
    }

    package var help: String {
        switch kind {
        case .strayQuote, .textAfterQuote, .unclosedQuote, .largeRow:
            "put the whole cell in quotes, and write each quote in it twice"
        case .rowLength: "a cell with a comma, a quote or a line break needs quotes"
        case .loneReturn, .encoding, .otherEncoding:
            "save it as 'CSV UTF-8' in Excel, or with the character set UTF-8 in LibreOffice"
        }
    }
}
