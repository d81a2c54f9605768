import OpenMarket
package import OpenMarketFiles

/// An export with the certificate beside it.
package struct CertifiedExport {
    let path: String
    package let certificate: ExportCertificate
    private let role: FileRole

    /// The format of an export: from the certificate that has the file's bytes, or else from the file's name.
    static func format(of path: String, as role: FileRole) -> ExportFormat {
        let named = ExportFormat(fileName: path)
        guard let certified = try? CertifiedExport(path: path, as: role), let format = certified.certificate.format,
            format != named, (try? certified.isWhole()) == true
        else { return named }
        return format
    }

    /// Reads the certificate of the export at a path; throws ``ExportError`` if there is none.
    ///
    /// The role is for both files.
    package init(path: String, as role: FileRole = .earlierExport) throws(ExportError) {
        self.path = path
        self.role = role
        let place = ExportedFile.certificate(of: path)
        guard !FileSystem.isMissing(path) else { throw .missing(path) }
        guard !FileSystem.isMissing(place) else { throw .uncertified(path) }
        guard let bytes = try? InputFile.bytes(of: place, as: role), let certificate = ExportCertificate(bytes: bytes)
        else { throw .notACertificate(place) }
        self.certificate = certificate
    }

    /// Whether the file has the certified bytes.
    func isWhole() throws(FileError) -> Bool {
        try InputFile.digest(of: path, as: role) == certificate.digest
    }

    /// Checks the file against the certificate; throws ``ExportError`` or `FileError`.
    package func check(by access: any CatalogFileAccess) throws {
        let mismatch = try certificate.mismatch(InputFile.digest(of: path, as: role), fileName: path) {
            var count = 0
            try access.earlierRows(of: path, ids: nil) { _ in count += 1 }
            return count
        }
        if let mismatch { throw ExportError.mismatch(mismatch, path) }
    }
}

extension CatalogFileAccess {
    /// Reads the rows of an earlier export, in any format except a manifest.
    func earlierRows(
        of path: String,
        ids: MarketID.Kind?,
        _ body: (CatalogRow) -> Void
    ) throws(ExportError) {
        let format = CertifiedExport.format(of: path, as: .earlierExport)
        guard format != .manifest else { throw .comparedManifest(path) }
        do {
            try rows(of: path, as: .earlierExport, ids: ids, isLines: format == .jsonl, body)
        } catch {
            throw .unreadable(path, error)
        }
    }

    /// Those of the columns that an earlier export fills in every row, as far as it can be read.
    func filled(_ columns: Set<CatalogColumn>, of path: String, as role: FileRole) -> Set<CatalogColumn> {
        let format = CertifiedExport.format(of: path, as: role)
        guard format != .manifest else {
            let text = (try? InputFile.bytes(of: path, as: role)) ?? []
            let plain = ExportFormat.isCompressed(fileName: path) ? try? decompressor()(text) : text
            let lines = plain?.split(separator: UInt8(ascii: "\n")).map { $0.drop { $0 == UInt8(ascii: " ") } } ?? []
            func count(_ column: CatalogColumn) -> Int { lines.count { $0.starts(with: "\(column.rawValue):".utf8) } }
            return count(.name) == 0 ? [] : columns.filter { count($0) >= count(.name) }
        }
        var filled: Set<CatalogColumn>?
        try? rows(of: path, as: role, ids: nil, isLines: format == .jsonl) { row in
            filled = (filled ?? columns).filter { ![.unset, .texts([])].contains(row[$0]) }
        }
        return filled ?? []
    }
}
