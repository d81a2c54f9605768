import OpenMarket
package import OpenMarketFiles

/// An export with the certificate next to it.
package struct CertifiedExport {
    let path: String
    package let certificate: ExportCertificate
    private let role: FileRole

    /// Reads the certificate of the export at a path; throws ``CommandFailure`` without one.
    ///
    /// The role is for both files.
    package init(path: String, as role: FileRole = .earlierExport) throws(CommandFailure) {
        self.path = path
        self.role = role
        let place = ExportCertificate.path(of: path)
        guard !FileSystem.isMissing(path) else { throw CommandFailure(.invalidInput, "the file \(path) is missing") }
        guard !FileSystem.isMissing(place) else {
            let help = "an export writes one next to its file; keep the two together"
            throw CommandFailure(.invalidInput, "\(path) lacks its certificate \(place)", help: help)
        }
        guard let certificate = ExportCertificate(of: path, as: role),
            certificate.document["format_version"] == .formatVersion
        else { throw CommandFailure(.invalidInput, "\(place) is not an export certificate") }
        self.certificate = certificate
    }

    func isWhole() throws(FileError) -> Bool {
        try InputFile.digest(of: path, as: role) == certificate.digest
    }

    /// Checks the file against the certificate; throws ``CommandFailure`` or `FileError`.
    package func check(by access: any CatalogFileAccess) throws {
        let mismatch = try certificate.mismatch(InputFile.digest(of: path, as: role), of: path) {
            var count = 0
            try EarlierExport(path: path, role: .earlierExport, access: access).rows(ids: nil) { _ in count += 1 }
            return count
        }
        if let mismatch { throw mismatch }
    }
}
