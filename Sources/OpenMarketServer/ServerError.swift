package struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds that need different handling.
    package enum Code: String, Hashable, Sendable {
        /// The configuration contradicts itself.
        case configuration
        /// A vendors or faults file has an invalid value.
        case input
        /// The database was written by a newer version.
        case newerDatabase
        /// The server cannot listen on the address.
        case address
        /// The database or the pictures' folder cannot be used.
        case storage
    }

    package var code: Code
    /// One sentence for people, with the line of the file if there is one.
    var message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
