/// Why an exported catalog cannot be written or read.
public struct CatalogFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence for people; control characters are the caller's to escape.
    public var message: String
    /// What to do about it, where there is something.
    public var help: String?

    /// An error.
    public init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }

    /// The message.
    public var description: String { message }
}
