package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The text ends inside a value.
        case truncated
        /// A byte that the grammar does not allow at its position.
        case unexpected
        /// More than `JSONReader.maximumDepth` nested arrays and objects.
        case tooDeep
        /// A value of another kind than requested; the reader is before the value.
        case typeMismatch
        /// A string that is not UTF-8, or has an escape for no character; the reader is after the string.
        case invalidString
    }

    package var kind: Kind
    /// The number of bytes before the fault.
    var offset: Int
    /// What was expected, as a phrase for messages.
    package var message: String

    init(_ kind: Kind, at offset: Int, _ message: String) {
        self.kind = kind
        self.offset = offset
        self.message = message
    }

    /// `expected ',' or '}' (byte 17)`.
    package var description: String { "\(message) (byte \(offset))" }
}
