import Crypto
import OpenMarket

/// The last line of a manifest that an export wrote: the SHA-256 of all lines before it.
///
/// By it the next export recognises the file as its own, to the byte, also where the certificate was lost.
struct ExportSeal {
    private var hash = SHA256()

    init() {}

    /// Takes in the next bytes of the manifest.
    mutating func take(_ bytes: some Sequence<UInt8>) { hash.update(data: Array(bytes)) }

    var line: [UInt8] {
        let digest = ContentDigest(bytes: hash.finalize())
        return Array("# End of the export; the lines above have the SHA-256 \(digest.hexadecimal)\n".utf8)
    }

    /// Finds out whether a text ends with the seal of what precedes it; holds back as many bytes as a seal has.
    struct Check {
        private var seal = ExportSeal()
        private var held: [UInt8] = []
        private let length = ExportSeal().line.count

        init() {}

        /// Takes in the next bytes of the text.
        mutating func take(_ bytes: [UInt8]) {
            held += bytes
            guard held.count > length else { return }
            seal.take(held.dropLast(length))
            held.removeFirst(held.count - length)
        }

        /// Whether the text so far ends with its seal.
        var isSealed: Bool { held == seal.line }
    }
}
