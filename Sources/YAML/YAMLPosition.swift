package struct YAMLPosition: Hashable, Sendable, Comparable {
    /// From 1.
    package var line: UInt32
    /// From 1, in Unicode scalars: libyaml counts them from 0, and nothing else converts.
    package var column: UInt32

    package init(line: UInt32, column: UInt32) {
        self.line = line
        self.column = column
    }

    package static func < (left: YAMLPosition, right: YAMLPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
