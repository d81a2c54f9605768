package import OpenMarket

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

    /// `line:column: message (help)`.
    package var description: String {
        let place = position.map { "\($0.line):\($0.column): " } ?? ""
        return place + message + (help.map { " (\($0))" } ?? "")
    }
}
