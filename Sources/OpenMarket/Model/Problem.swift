/// A mistake in a file of the user, with its position and a remedy.
package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The check that can find the mistake.
    package enum Kind: Hashable, Sendable {
        /// Only a YAML reader as strict as this one: tags, aliases, a repeated key.
        case text
        /// The JSON Schema too: a key, the kind of a value, the form of a text.
        case shape
        /// Only the meaning: contradictory parts, a safety rule.
        case rule
    }

    package var kind: Kind
    /// One sentence, lower case, no full stop.
    package var message: String
    /// The path in the file, such as `list.page.by`; empty for the file.
    package var path: String
    package var position: SourcePosition?
    /// `nil` if the message suffices.
    package var help: String?

    package init(
        _ kind: Kind,
        _ message: String,
        path: String = "",
        position: SourcePosition? = nil,
        help: String? = nil
    ) {
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
