/// Why an export, a comparison or a verification is not done.
package enum ExportError: Error, Sendable {
    /// `{date}` is more than once in a file's name, or in a folder's.
    case misplacedDate(String)
    /// Older exports were to be removed, and the file's name has no `{date}` to know them by.
    case keepNeedsDate
    /// The folder of the exports cannot be listed.
    case folderUnreadable(String)
    /// A SQLite database was to be written into something that is not a regular file.
    case databaseNeedsRegularFile(String)
    /// A manifest is there that is not just what an export wrote.
    case notAnExport(String)
    /// The list is empty, and products of the state or of the earlier export are not confirmed to be gone.
    case emptyList(EmptyCatalogGuard.Refusal, earlier: String)
    /// There is no such file.
    case missing(String)
    /// There is no certificate beside a file.
    case uncertified(String)
    /// What is beside a file is not a certificate.
    case notACertificate(String)
    /// The file is not what its certificate says.
    case mismatch(ExportMismatch, String)
    /// An export cannot be read.
    case unreadable(String, any Error)
    /// An export that is a manifest cannot be compared: it does not have all that the market shows.
    case comparedManifest(String)
}
