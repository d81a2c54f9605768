package import OpenMarket
package import OpenMarketFiles

package enum ExportError: Error, Sendable {
    /// `{date}` occurs more than once in a file's name, or in a folder's.
    case misplacedDate(String)
    /// Older exports are to be removed, but the file's name lacks the `{date}` to recognize them by.
    case keepNeedsDate
    case folderUnreadable(String)
    /// Next to the SQLite database to replace are files of a program that has it open, or had.
    case databaseInUse(String, sideFiles: [String])
    /// The existing manifest is not exactly the output of an export, even if an export wrote it.
    case notAnExport(String, isEdited: Bool)
    /// The list is empty, and products of the state or of the earlier export are not confirmed to be gone.
    case emptyList(EmptyCatalogGuard.Refusal, earlier: String)
    /// No row has these fields any more, which the earlier export shows.
    case missingMembers([CatalogColumn], earlier: String)
    /// A product that the state manages shows another vendor number than the stated one.
    case vendor(VendorContradiction)
    /// A manifest without products would replace a file.
    ///
    /// With this vendor identity, all products are other vendors'.
    case othersOnly(vendorID: Int64?, String)
    case missing(String)
    case uncertified(String)
    case notACertificate(String)
    case mismatch(ExportCertificate.Mismatch, String)
    case unreadable(String, any Error)
    /// A manifest cannot be compared, because it lacks some of the market's values.
    case comparedManifest(String)
    /// The catalog changed faster than it could be read completely, in this many passes; the text is what remains.
    case unsettled(passes: Int, String)
    /// A library cannot write the export at this path.
    case unwritable(String, CatalogFileError)
    /// The export was written, but this many pictures could not be fetched.
    case picturesMissing(Int)
    /// The export at this path is whole, but the market has changed since.
    case outdated(String)
}

extension ExportError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .misplacedDate(let path):
            "'\(path)': \(DatedFiles.placeholder) may occur once, and in the name of the file"
        case .keepNeedsDate: "the exports of other days cannot be recognised"
        case .folderUnreadable(let folder): "cannot look for earlier exports in the folder \(folder)"
        case .databaseInUse(let path, let sideFiles):
            "SQLite would read \(sideFiles.listed("and")) into the new \(path); no file was written"
        case .notAnExport(let path, isEdited: true): "\(path) was edited since it was exported; it was not changed"
        case .notAnExport(let path, isEdited: false):
            "\(path) exists, and differs from an export's file; it was not changed"
        case .emptyList(.isListed(let id), _):
            "the market's list is empty, and product \(id) is on the market; no file was written"
        case .emptyList(.unconfirmed, let path):
            "the market's list is empty, and the products in \(path) are not confirmed as gone; no file was written"
        case .missingMembers(let columns, let path):
            "no product of the market's list has \(columns.map { "'\($0.rawValue)'" }.listed("and")) any more, as in \(path); "
                + "no file was written"
        case .vendor(let contradiction): "\(contradiction); no file was written"
        case .othersOnly(let number, let path):
            "every product on the market belongs to another vendor than vendor \(number.map(String.init) ?? "…"); "
                + "\(path) was not changed"
        case .missing(let path): "the file \(path) is missing"
        case .uncertified(let path):
            "\(path) lacks its certificate \(ExportCertificate.path(of: path))"
        case .notACertificate(let path): "\(path) is not an export certificate"
        case .mismatch(.digest(let found, let certified), let path):
            "\(path) does not match its certificate: its SHA-256 is \(found.hexadecimal), and the certificate has "
                + certified.hexadecimal
        case .mismatch(.rows(let found, let certified), let path):
            "\(path) has \(counted(found, "product")), and its certificate counts \(certified)"
        case .unreadable(let path, let reason):
            foreignKind.map { "\(path) is \($0.name), and not an export" }
                ?? "cannot read the export \(path): \(reason)"
        case .comparedManifest(let path): "\(path) is a manifest, which omits a part of the market's values"
        case .unsettled(let passes, let remainder):
            "\(CatalogSummary.unsettledWords(passes: passes)); \(remainder)"
        case .unwritable(let path, let reason): "cannot write \(path): \(reason)"
        case .picturesMissing(let count):
            "the catalog is complete, and \(counted(count, "picture")) could not be downloaded"
        case .outdated(let path): "\(path) is whole, but the market has changed since"
        }
    }

    /// The kind of an unreadable file that is not an export; `nil` if it may be one.
    package var foreignKind: FileKind? {
        guard case .unreadable(let path, _) = self else { return nil }
        let kind = FileKind(head: FileSystem.head(of: path, atMost: 24) ?? [])
        return kind?.mayBeExport == true ? nil : kind
    }
}
