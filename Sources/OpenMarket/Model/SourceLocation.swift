/// A position in a file, without the file's name.
package struct SourcePosition: Hashable, Sendable, Comparable {
    /// From 1.
    package var line: UInt32
    /// From 1, in Unicode scalars as libyaml counts.
    package var column: UInt32

    package init(line: UInt32, column: UInt32) {
        self.line = line
        self.column = column
    }

    package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// Prints as `file:line:column`, or for a table as `file:row:column name`.
package struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    /// A part of a table; its position counts rows and columns as spreadsheets do.
    package enum TablePart: Hashable, Sendable {
        case row
        case cell(column: String)

        package var columnName: String? { if case .cell(let name) = self { name } else { nil } }
    }

    /// As the user named it; `<stdin>` for standard input.
    package var file: String
    /// `nil` for the whole file.
    package var position: SourcePosition?
    /// `nil` for other files than tables.
    package var table: TablePart?

    package init(file: String, position: SourcePosition? = nil, table: TablePart? = nil) {
        self.file = file
        self.position = position
        self.table = table
    }

    /// Compares file names by their bytes.
    package static func == (left: SourceLocation, right: SourceLocation) -> Bool {
        left.position == right.position && left.table == right.table && left.file.isExactly(right.file)
    }

    /// `file:line:column`, `file:row:column name`, `file:row`, or the file alone.
    package var description: String {
        guard let position else { return file }
        return switch table {
        case nil: "\(file):\(position.line):\(position.column)"
        case .row: "\(file):\(position.line)"
        case .cell(let column): "\(file):\(position.line):\(column)"
        }
    }
}
