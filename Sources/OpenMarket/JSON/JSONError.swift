/// What is wrong with a JSON text, and where.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of fault.
    package enum Kind: Hashable, Sendable {
        /// The text ends in the middle of something.
        case truncated
        /// Something is where the grammar does not allow it.
        case unexpected
        /// Arrays and objects are nested deeper than `JSONReader.maximumDepth`.
        case tooDeep
        /// A value of another kind was asked for. The reader is before the value.
        case typeMismatch
        /// A string that is not UTF-8, or has an escape that means no character. The reader is after the string.
        case invalidString
    }

    /// The category of the fault.
    package var kind: Kind
    /// How many bytes precede the fault.
    var offset: Int
    /// What was expected, as a phrase for messages.
    package var message: String

    /// A fault at a place.
    init(_ kind: Kind, at offset: Int, _ message: String) {
        self.kind = kind
        self.offset = offset
        self.message = message
    }

    /// The message with its place: `expected ',' or '}' (byte 17)`.
    package var description: String { "\(message) (byte \(offset))" }
}
