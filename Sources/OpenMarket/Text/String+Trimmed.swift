extension String {
    /// The text without surrounding blanks.
    package var trimmed: String {
        guard let first = utf8.first, let last = utf8.last else { return self }
        // Most texts are without blanks; non-ASCII characters need the full check.
        if first > 0x20, first < 0x80, last > 0x20, last < 0x80 { return self }
        let start = drop(while: \.isWhitespace)
        return String(start[..<(start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)])
    }
}

extension Substring {
    package var trimmed: String { String(self).trimmed }
}
