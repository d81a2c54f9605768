/// Why an exported catalog cannot be written or read.
package struct CatalogFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence for people; control characters are the caller's to escape.
    var message: String
    /// What to do about it, where there is something.
    package var help: String?

    package init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }

    /// A file of what changed since an export, in the place of an export.
    package static let changes = CatalogFileError("it has what changed since an export, and not what there is")

    package var description: String { message }
}
