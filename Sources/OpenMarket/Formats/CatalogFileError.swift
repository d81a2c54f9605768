package struct CatalogFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence for people; the caller escapes control characters.
    var message: String
    package var help: String?

    package init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }

    package static let changes = CatalogFileError("it holds the changes since an export, not a whole catalog")

    package var description: String { message }
}
