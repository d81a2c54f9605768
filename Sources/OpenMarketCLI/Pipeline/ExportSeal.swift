import Crypto
import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketFiles
import OpenMarketReview
import OpenMarketWorkflow
import SystemPackage

/// The last line of a manifest that an export wrote: the SHA-256 of all lines before it.
///
/// By it the next export knows the file for its own, to the letter, also where the certificate was lost.
struct ExportSeal {
    private var hash = SHA256()

    /// Takes in the next bytes of the manifest.
    mutating func take(_ bytes: some Sequence<UInt8>) { hash.update(data: Array(bytes)) }

    /// The line.
    var line: [UInt8] {
        let digest = ContentDigest(bytes: hash.finalize())
        return Array("# End of the export; the lines above have the SHA-256 \(digest.hexadecimal)\n".utf8)
    }

    /// Whether a file ends with the seal of what stands before it; compressed or not.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 where it cannot be read.
    static func fits(_ path: String) throws -> Bool {
        do {
            var check = Check()
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

    /// Holds back as many bytes as a seal has.
    private struct Check {
        private var seal = ExportSeal()
        private var held: [UInt8] = []
        private let length = ExportSeal().line.count

        mutating func take(_ bytes: [UInt8]) {
            held += bytes
            guard held.count > length else { return }
            seal.take(held.dropLast(length))
            held.removeFirst(held.count - length)
        }

        var isSealed: Bool { held == seal.line }
    }
}
