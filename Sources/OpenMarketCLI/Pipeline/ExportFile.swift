import Crypto
import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketFiles
import OpenMarketReview
import OpenMarketWorkflow
import SystemPackage

/// Where an export goes: stdout as it comes, or a file that appears whole with its certificate.
struct ExportFile: ExportSink, ~Copyable {
    private let file: AtomicFile?
    private let path: String
    private let console: Console
    /// Compresses the bytes, where they are compressed.
    private let gzip: GzipWriter?
    private var hash = SHA256()
    /// Whether no bytes came: a library that takes a name has written the file, or it is empty.
    private var hasNoBytes = true
    /// The SHA-256 of all that was written.
    private(set) var digest = ContentDigest(bytes: SHA256.hash(data: []))

    /// Where the certificate of a file is.
    static func certificate(of path: String) -> String { path + ".certificate.json" }

    /// Starts an export.
    ///
    /// - Parameters:
    ///   - path: where it goes; `-` is stdout.
    ///   - isCompressed: whether it is compressed.
    ///   - replaces: whether a file that is there in the end is replaced.
    ///   - console: where stdout is.
    /// - Throws: ``CommandFailure`` where it cannot be written.
    init(path: String, isCompressed: Bool = false, replaces: Bool = true, console: Console) throws {
        let gzip = isCompressed ? try GzipWriter() : nil
        let file = try Self.open(path, replaces: replaces)
        self.path = path
        self.console = console
        self.gzip = gzip
        self.file = file
    }

    private static func open(_ path: String, replaces: Bool) throws -> AtomicFile? {
        guard path != "-" else { return nil }
        return try AtomicFile(path, replaces: replaces, replacing: .ownExport)
    }

    mutating func write(_ bytes: [UInt8]) throws { try put(gzip?.compress(bytes) ?? bytes) }

    mutating func finish() throws {
        if let gzip { try put(gzip.finish()) }
        if hasNoBytes, let place = file?.temporaryPath() {
            digest = try InputFile.digest(of: place, as: .ownExport)
        } else {
            digest = ContentDigest(bytes: hash.finalize())
        }
    }

    /// Where the file is until it is whole, for a library that writes it by name.
    func place() throws -> String {
        guard let place = file?.temporaryPath() else {
            throw CommandFailure(.usage, "SQLite output needs a regular file, and \(path.terminalSafe) is not one")
        }
        return place
    }

    private mutating func put(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        hasNoBytes = false
        hash.update(data: bytes)
        if file != nil {
            try file?.write(bytes)
        } else if console.outputIsTerminal {
            // For eyes: what a terminal would obey is escaped. Programs get every byte as it is.
            try console.write(data: Array(String(decoding: bytes, as: UTF8.self).terminalSafeLines.utf8))
        } else {
            try console.write(data: bytes)
        }
    }

    /// Whether it becomes a file, which is at its path when it is whole.
    var isRegular: Bool { file?.temporaryPath() != nil }

    /// What there is to show for an export that could not be completed.
    var remains: String { file == nil ? "what was written is not the whole catalog" : "nothing was written" }

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
            permissions: AtomicFile.readableByAll,
            replacing: .ownExport
        )
    }
}
