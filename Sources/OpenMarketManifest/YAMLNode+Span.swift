import OpenMarket
import YAML

extension SourceSpan {
    /// The stretch between two marks.
    init(start: YAMLMark, end: YAMLMark) {
        self.start = SourcePosition(start)
        length =
            start.line == end.line && end.column > start.column ? Int(end.column - start.column) : nil
    }
}

extension SourcePosition {
    /// The place of a mark.
    init(_ mark: YAMLMark) {
        self.init(line: mark.line, column: mark.column)
    }
}

extension YAMLNode {
    /// Where the node stands.
    var span: SourceSpan { SourceSpan(start: start, end: end) }
}

extension YAMLNode.Key {
    /// Where the key stands.
    var span: SourceSpan { SourceSpan(start: start, end: end) }
}
