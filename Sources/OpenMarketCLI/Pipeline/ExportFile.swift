import Crypto
import OpenMarket
import OpenMarketReview
import OpenMarketWorkflow
import SystemPackage

/// Where an export goes: stdout as it comes, or a file that appears whole with its certificate.
struct ExportFile: ExportSink, ~Copyable {
    private let file: AtomicFile?
    private let path: String
    private let console: Console
    private var hash = SHA256()

    /// Where the certificate of a file is.
    static func certificate(of path: String) -> String { path + ".certificate.json" }

    init(path: String, console: Console) throws {
        self.path = path
        self.console = console
        file = path == "-" ? nil : try AtomicFile(path)
    }

    mutating func write(_ bytes: [UInt8]) throws {
        hash.update(data: bytes)
        if file != nil {
            try file?.write(bytes)
        } else if console.outputIsTerminal {
            // For eyes: what a terminal would obey is escaped. Programs get every byte as it is.
            try console.write(String(decoding: bytes, as: UTF8.self).terminalSafeLines)
        } else {
            try console.write(bytes)
        }
    }

    /// What there is to show for an export that could not be completed.
    var remains: String { file == nil ? "what was written is not the whole catalog" : "nothing was written" }

    /// The SHA-256 of all that was written.
    var digest: ContentDigest { ContentDigest(bytes: hash.finalize()) }

    /// Puts the file in its place, then the certificate that speaks of it.
    consuming func commit(certificate: ExportCertificate) throws {
        guard let file else { return }
        let isSpecial = file.isSpecial
        try file.commit()
        // Beside a pipe or a device there is no place for one.
        guard !isSpecial else { return }
        let bytes = certificate.document.bytes(pretty: true) + Array("\n".utf8)
        try AtomicFile.write(
            bytes,
            to: Self.certificate(of: path),
            permissions: [.ownerReadWrite, .groupRead, .otherRead]
        )
    }
}
