package import OpenMarket
import YAML

/// What is wrong with a description, where, and what to do.
package struct DescriptionFault: Hashable, Sendable, CustomStringConvertible {
    /// Who could have found it.
    package enum Kind: Hashable, Sendable {
        /// Only a reader of YAML that is as strict as this one: tags, aliases, a repeated key.
        case text
        /// The JSON Schema, too: a key, the kind of a value, the form of a text.
        case shape
        /// Only who knows what the language means: two parts that contradict each other, a rule of safety.
        case rule
    }

    /// Who could have found it.
    package var kind: Kind
    /// One sentence, lower case, no full stop.
    package var message: String
    /// Where, in the document's own words: `list.page.by`; empty for the document.
    package var path: String
    /// Where, in the text.
    package var position: SourcePosition?
    /// What to do about it; `nil` where the message says it all.
    package var help: String?

    /// A fault that no reading of the document shows.
    package init(rule message: String, at path: String, in document: [UInt8]) {
        self.init(
            kind: .rule,
            message: message,
            path: path,
            position: SourcePosition(ofKey: path, in: document)
        )
    }

    init(kind: Kind, message: String, path: String, position: SourcePosition? = nil, help: String? = nil) {
        self.kind = kind
        self.message = message
        self.path = path
        self.position = position
        self.help = help
    }

    /// `line:column: message (help)`.
    package var description: String {
        let place = position.map { "\($0.line):\($0.column): " } ?? ""
        return place + message + (help.map { " (\($0))" } ?? "")
    }
}

extension SourcePosition {
    /// Where a key is in a document, or the last of those that lead to it; `nil` where not even the first is there.
    ///
    /// - Parameters:
    ///   - path: the keys with dots between them: `identity.key`.
    ///   - document: the YAML.
    fileprivate init?(ofKey path: String, in document: [UInt8]) {
        var node = try? YAMLNode.parse(document)
        var position: YAMLPosition?
        for name in path.split(separator: ".") {
            guard let pair = node?.pairs?.first(where: { $0.key.name.isExactly(String(name)) }) else { break }
            position = pair.key.start
            node = pair.value
        }
        guard let position else { return nil }
        self.init(line: position.line, column: position.column)
    }
}
