import OpenMarket
import YAML

extension SourceSpan {
    /// The stretch between two positions.
    init(start: YAMLPosition, end: YAMLPosition) {
        self.start = SourcePosition(start)
        length =
            start.line == end.line && end.column > start.column ? Int(end.column - start.column) : nil
    }
}

extension SourcePosition {
    /// The same position.
    init(_ mark: YAMLPosition) {
        self.init(line: mark.line, column: mark.column)
    }
}

extension YAMLNode {
    /// Where the node is.
    var span: SourceSpan { SourceSpan(start: start, end: end) }
}

extension YAMLNode.Key {
    /// Where the key is.
    var span: SourceSpan { SourceSpan(start: start, end: end) }
}
