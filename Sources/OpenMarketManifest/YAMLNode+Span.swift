import OpenMarket
import YAML

extension SourceSpan {
    init(start: SourcePosition, end: SourcePosition) {
        self.start = start
        length =
            start.line == end.line && end.column > start.column ? Int(end.column - start.column) : nil
    }
}

extension YAMLNode {
    var span: SourceSpan { SourceSpan(start: start, end: end) }
}

extension YAMLNode.Key {
    var span: SourceSpan { SourceSpan(start: start, end: end) }
}
