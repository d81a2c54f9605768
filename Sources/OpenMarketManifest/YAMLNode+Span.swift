import OpenMarket
import YAML

extension SourceSpan {
    init(start: YAMLPosition, end: YAMLPosition) {
        self.start = SourcePosition(start)
        length =
            start.line == end.line && end.column > start.column ? Int(end.column - start.column) : nil
    }
}

extension SourcePosition {
    init(_ mark: YAMLPosition) {
        self.init(line: mark.line, column: mark.column)
    }
}

extension YAMLNode {
    var span: SourceSpan { SourceSpan(start: start, end: end) }
}

extension YAMLNode.Key {
    var span: SourceSpan { SourceSpan(start: start, end: end) }
}
