/// Why a server cannot start, or a file of its cannot be used.
package struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds that need different handling.
    ///
    /// Later versions may add categories.
    package enum Code: String, Hashable, Sendable {
        /// The configuration contradicts itself.
        case configuration
        /// A vendors or faults file says something that cannot be.
        case input
        /// The database was written by a newer version.
        case newerDatabase
        /// The address cannot be listened on.
        case address
        /// The database or the pictures' folder cannot be used.
        case storage
    }

    /// The error category.
    package var code: Code
    /// One sentence for people, with the line of the file where there is one.
    var message: String

    /// An error.
    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    package var description: String { message }
}
