/// Why a YAML text cannot be read, or not as it is.
package struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The category of the fault.
    package enum Kind: Hashable, Sendable {
        /// Not YAML.
        case syntax
        /// Not text: bytes that are not UTF-8, or control characters.
        case encoding
        /// More than ``YAMLLimits`` allow.
        case limit
        /// A key appears twice in one mapping.
        case duplicateKey
        /// An alias to an anchor that is not there.
        case undefinedAlias
        /// YAML that nothing here has a use for: several documents, keys that are lists.
        case unsupported
        /// The text could not be fetched.
        case input
    }

    /// The category of the fault.
    package var kind: Kind
    /// One sentence, lower case, no full stop.
    package var message: String
    /// Where; `nil` when only ``byteOffset`` is known, or nothing.
    package var position: YAMLPosition?
    /// What was being read, or what the error collides with: a second position that explains the first.
    package var context: String?
    /// Where the context began.
    package var contextPosition: YAMLPosition?
    /// What to do about it.
    package var help: String?
    /// The bytes before the trouble, for those errors that libyaml meets before it counts lines.
    package var byteOffset: Int?

    /// Describes an error.
    package init(
        _ kind: Kind,
        _ message: String,
        at position: YAMLPosition? = nil,
        context: String? = nil,
        contextPosition: YAMLPosition? = nil,
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
