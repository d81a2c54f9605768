package import OpenMarket
import YAML

extension Problem {
    /// A fault of a description that appears only after reading.
    package init(rule message: String, at path: String, in document: [UInt8]) {
        self.init(.rule, message, path: path, position: SourcePosition(ofKey: path, in: document))
    }
}

extension SourcePosition {
    /// The position of a key with a dotted path such as `identity.key`.
    ///
    /// If the key is missing, it is the position of its innermost parent that exists; `nil` if none does.
    fileprivate init?(ofKey path: String, in document: [UInt8]) {
        var node = try? YAMLNode.parse(document)
        var position: SourcePosition?
        for name in path.split(separator: ".") {
            guard let pair = node?.pairs?.first(where: { $0.key.name.isExactly(String(name)) }) else { break }
            position = pair.key.start
            node = pair.value
        }
        guard let position else { return nil }
        self = position
    }
}
