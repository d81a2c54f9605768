/// A place in a file, without the file's name.
public struct SourcePosition: Hashable, Sendable, Comparable {
    /// From 1.
    public var line: UInt32
    /// From 1, counted in Unicode scalars as libyaml does.
    public var column: UInt32

    /// A place, both numbers from 1.
    public init(line: UInt32, column: UInt32) {
        self.line = line
        self.column = column
    }

    /// In reading order.
    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A place in a named file; prints as `file:line:column`.
public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    /// The file as the user named it; `<stdin>` for standard input.
    public var file: String
    /// The place; `nil` for the file as a whole.
    public var position: SourcePosition?

    /// A place in a file, or the file as a whole.
    public init(file: String, position: SourcePosition? = nil) {
        self.file = file
        self.position = position
    }

    /// Compares files by the bytes of their names.
    public static func == (left: SourceLocation, right: SourceLocation) -> Bool {
        left.position == right.position && left.file.isExactly(right.file)
    }

    /// `file:line:column`, or the file alone.
    public var description: String {
        guard let position else { return file }
        return "\(file):\(position.line):\(position.column)"
    }
}
