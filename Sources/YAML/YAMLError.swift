package import OpenMarket

/// Why a YAML text cannot be read completely.
package struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// Not YAML.
        case syntax
        /// Not text: bytes that are not UTF-8, or control characters.
        case encoding
        /// More than ``YAMLLimits`` allow.
        case limit
        case duplicateKey
        case undefinedAlias
        /// Unsupported YAML: several documents, keys that are lists.
        case unsupported
        /// The text could not be read from its source.
        case input
    }

    package var kind: Kind
    /// One sentence, lower case, no full stop.
    package var message: String
    /// `nil` if there is only ``byteOffset``, or no position at all.
    package var position: SourcePosition?
    /// The construct being read, or the conflicting part; adds a second position to the first.
    package var context: String?
    package var contextPosition: SourcePosition?
    package var help: String?
    /// The number of bytes before the error, for errors that libyaml finds before it counts lines.
    package var byteOffset: Int?

    package init(
        _ kind: Kind,
        _ message: String,
        at position: SourcePosition? = nil,
        context: String? = nil,
        contextPosition: SourcePosition? = nil,
        help: String? = nil,
        byteOffset: Int? = nil
    ) {
        self.kind = kind
        self.message = message
        self.position = position
        self.context = context
        self.contextPosition = contextPosition
        self.help = help
        self.byteOffset = byteOffset
    }

    /// `line:column: message (context at line:column)`.
    package var description: String {
        var text = position.map { "\($0.line):\($0.column): " } ?? ""
        text += message
        if let context {
            text += " (" + context
            if let contextPosition { text += " at \(contextPosition.line):\(contextPosition.column)" }
            text += ")"
        }
        return text
    }
}
