import FoundationEssentials
import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketFiles
import OpenMarketReview
import OpenMarketWorkflow
import SystemPackage

/// An export and the certificate beside it.
struct ExportVerification {
    let path: String
    /// What the certificate says.
    let certificate: ReadCertificate
    private let role: FileRole

    /// Reads the certificate.
    ///
    /// - Parameters:
    ///   - path: the export.
    ///   - role: as what the two files are read.
    /// - Throws: ``CommandFailure`` with exit 4 where there is none.
    init(path: String, as role: FileRole = .earlierExport) throws {
        self.path = path
        self.role = role
        let place = ExportFile.certificate(of: path)
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(.invalidInput, "there is no file \(path.terminalSafe)")
        }
        guard FileManager.default.fileExists(atPath: place) else {
            throw CommandFailure(
                .invalidInput,
                "\(path.terminalSafe) has no certificate: there is no \(place.terminalSafe)",
                help: "an export writes one beside its file; keep the two together"
            )
        }
        guard let bytes = try? InputFile.bytes(of: place, as: role), let certificate = ReadCertificate(bytes: bytes)
        else {
            throw CommandFailure(.invalidInput, "\(place.terminalSafe) is not an export certificate")
        }
        self.certificate = certificate
    }

    /// Whether the file has the bytes that the certificate speaks of.
    func isWhole() throws -> Bool { try InputFile.digest(of: path, as: role) == certificate.digest }

    /// Makes sure that the file is what the certificate says.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 where it is not.
    func check() throws {
        do {
            try certificate.check(InputFile.digest(of: path, as: role), fileName: path) {
                var count = 0
                try EarlierExport(path: path).rows { _ in count += 1 }
                return count
            }
        } catch let mismatch as ExportMismatch {
            throw CommandFailure(mismatch, path: path)
        }
    }

    /// What was found, in a line for people.
    var words: String {
        var words =
            "\(path.terminalSafe)  \(counted(certificate.rows, "product")), sha256:\(certificate.digest.abbreviated)"
        if let end = certificate.endedAt { words += ", exported \(end.terminalSafe)" }
        if let market = certificate.market { words += " from \(market.terminalSafe)" }
        return words + (certificate.catalogMoved ? "; the catalog changed while it was read" : "")
    }
}

/// Whether a manifest ends with the seal of what precedes it; compressed or not.
///
/// - Throws: ``CommandFailure`` with exit 4 where it cannot be read.
func isSealedExport(_ path: String) throws -> Bool {
    do {
        var check = ExportSeal.Check()
        let descriptor = try InputFile.open(path, as: .ownExport)
        return try descriptor.closeAfter {
            let gzip = ExportFormat.isCompressed(fileName: path) ? try GzipReader() : nil
            while true {
                let piece = try descriptor.readChunk()
                guard !piece.isEmpty else { return check.isSealed }
                if let gzip { try gzip.decompress(piece) { check.take($0) } } else { check.take(piece) }
            }
        }
    } catch is CatalogFileError {
        return false
    } catch {
        throw CommandFailure(.invalidInput, "cannot read \(path.terminalSafe): \(error)")
    }
}
