package import OpenMarket
import YAML

/// A fault in a description, with its position and a remedy.
package struct DescriptionFault: Hashable, Sendable, CustomStringConvertible {
    /// The check that can find the fault.
    package enum Kind: Hashable, Sendable {
        /// Only a YAML reader as strict as this one: tags, aliases, a repeated key.
        case text
        /// Also the JSON Schema: a key, the kind of a value, the form of a text.
        case shape
        /// Only the meaning of the language: two parts that contradict each other, a safety rule.
        case rule
    }

    package var kind: Kind
    /// One sentence, lower case, no full stop.
    package var message: String
    /// The path in the document, such as `list.page.by`; empty for the document.
    package var path: String
    package var position: SourcePosition?
    /// A remedy; `nil` if the message suffices.
    package var help: String?

    /// A fault that reading the document does not show.
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
    /// The position of a key with a dotted path such as `identity.key`.
    ///
    /// If the key is missing, it is the position of its innermost parent that exists; `nil` if none does.
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
