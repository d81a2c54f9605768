/// A position in a file, without the file's name.
package struct SourcePosition: Hashable, Sendable, Comparable {
    /// From 1.
    package var line: UInt32
    /// From 1, counted in Unicode scalars as libyaml does.
    package var column: UInt32

    package init(line: UInt32, column: UInt32) {
        self.line = line
        self.column = column
    }

    package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A location in a named file; prints as `file:line:column`, and of a table as `file:row:column name`.
package struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    /// The part of a table that is meant; its position counts rows and columns, as spreadsheets do.
    package enum TablePart: Hashable, Sendable {
        case row
        case cell(column: String)

        package var columnName: String? { if case .cell(let name) = self { name } else { nil } }
    }

    /// The file as the user named it; `<stdin>` for standard input.
    package var file: String
    /// `nil` for the file as a whole.
    package var position: SourcePosition?
    /// `nil` if the file is not a table.
    package var table: TablePart?

    package init(file: String, position: SourcePosition? = nil, table: TablePart? = nil) {
        self.file = file
        self.position = position
        self.table = table
    }

    /// Compares files by the bytes of their names.
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
