/// Why a YAML text cannot be read, or not as it stands.
public struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The category of the fault.
    public enum Kind: Hashable, Sendable {
        /// Not YAML.
        case syntax
        /// Not text: bytes that are no UTF-8, or control characters.
        case encoding
        /// More than ``YAMLLimits`` allow.
        case limit
        /// A key stands twice in one mapping.
        case duplicateKey
        /// An alias to an anchor that is not there.
        case undefinedAlias
        /// YAML that nothing here has a use for: several documents, keys that are lists.
        case unsupported
        /// The text could not be fetched.
        case input
    }

    /// The category of the fault.
    public var kind: Kind
    /// One sentence, lower case, no full stop.
    public var message: String
    /// Where; `nil` when only ``byteOffset`` is known, or nothing.
    public var mark: YAMLMark?
    /// What was being read, or what the error collides with: a second place that explains the first.
    public var context: String?
    /// Where the context began.
    public var contextMark: YAMLMark?
    /// What to do about it.
    public var help: String?
    /// The bytes before the trouble, for those errors that libyaml meets before it counts lines.
    public var byteOffset: Int?

    /// Describes an error.
    public init(
        _ kind: Kind,
        _ message: String,
        at mark: YAMLMark? = nil,
        context: String? = nil,
        contextMark: YAMLMark? = nil,
        help: String? = nil,
        byteOffset: Int? = nil
    ) {
        self.kind = kind
        self.message = message
        self.mark = mark
        self.context = context
        self.contextMark = contextMark
        self.help = help
        self.byteOffset = byteOffset
    }

    /// `line:column: message (context at line:column)`.
    public var description: String {
        var text = mark.map { "\($0.line):\($0.column): " } ?? ""
        text += message
        if let context {
            text += " (" + context
            if let contextMark { text += " at \(contextMark.line):\(contextMark.column)" }
            text += ")"
        }
        return text
    }
}
