import Crypto
import OpenMarket
import OpenMarketFiles
import SystemPackage

/// The last line of a manifest that an export wrote: the SHA-256 of all lines before it.
///
/// With it the next export recognizes its own unchanged file, even without the certificate.
struct ExportSeal {
    private var hash = SHA256()

    init() {}

    mutating func take(_ bytes: some Sequence<UInt8>) { hash.update(data: Array(bytes)) }

    var line: [UInt8] {
        let digest = ContentDigest(bytes: hash.finalize())
        return Array("# End of the export; the lines above have the SHA-256 \(digest.hexadecimal)\n".utf8)
    }

    /// Determines whether a text ends with the seal of the preceding text; holds back as many bytes as a seal has.
    struct Check {
        private var seal = ExportSeal()
        private var held: [UInt8] = []
        private let length = ExportSeal().line.count

        init() {}

        mutating func take(_ bytes: [UInt8]) {
            held += bytes
            guard held.count > length else { return }
            seal.take(held.dropLast(length))
            held.removeFirst(held.count - length)
        }

        var isSealed: Bool { held == seal.line }
    }
}

extension ExportSeal {
    /// Whether a manifest, compressed or not, ends with a seal that matches its content.
    ///
    /// Throws `FileError` if it cannot be read.
    static func isIntact(_ path: String, by access: any CatalogFileAccess) throws -> Bool {
        do {
            var check = Check()
            let descriptor = try InputFile.open(path, as: .ownExport)
            return try descriptor.closeAfter {
                let text = ExportFormat.isCompressed(fileName: path) ? try access.decompressor() : { $0 ?? [] }
                while case let piece = try descriptor.readChunk(), !piece.isEmpty { check.take(try text(piece)) }
                check.take(try text(nil))
                return check.isSealed
            }
        } catch let error as Errno {
            throw FileError(.read, path, error)
        } catch {
            // A file that cannot be decompressed was not written by an export.
            return false
        }
    }
}
