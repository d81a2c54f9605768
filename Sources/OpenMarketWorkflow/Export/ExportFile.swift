import Crypto
package import OpenMarket
import OpenMarketFiles

/// Where an export goes: standard output as it comes, or a file that appears whole with its certificate.
package struct ExportFile: ExportSink, ~Copyable {
    private let file: AtomicFile?
    private let path: String
    private let standardOutput: ([UInt8]) throws -> Void
    /// Compresses the bytes, where they are compressed.
    private let compress: (([UInt8]?) -> [UInt8])?
    private var hash = SHA256()
    /// Whether no bytes came: a library that takes a name has written the file, or it is empty.
    private var hasNoBytes = true
    /// The SHA-256 of all that was written.
    package private(set) var digest = ContentDigest(bytes: SHA256.hash(data: []))

    /// Starts an export.
    ///
    /// - Parameters:
    ///   - path: where it goes; `-` is standard output.
    ///   - compress: compresses it piece by piece; the last call takes `nil`.
    ///   - replaces: whether a file that is there in the end is replaced.
    ///   - standardOutput: writes to standard output.
    /// - Throws: `FileError`, `FileConflict`.
    package init(
        path: String,
        compress: (([UInt8]?) -> [UInt8])? = nil,
        replaces: Bool = true,
        standardOutput: @escaping ([UInt8]) throws -> Void = { _ in }
    ) throws {
        let file = try Self.open(path, replaces: replaces)
        self.path = path
        self.standardOutput = standardOutput
        self.compress = compress
        self.file = file
    }

    private static func open(_ path: String, replaces: Bool) throws -> AtomicFile? {
        guard path != "-" else { return nil }
        return try AtomicFile(path, replaces: replaces, replacing: .ownExport)
    }

    package mutating func write(_ bytes: [UInt8]) throws { try put(compress?(bytes) ?? bytes) }

    package mutating func finish() throws {
        if let compress { try put(compress(nil)) }
        if hasNoBytes, let place = file?.temporaryPath() {
            digest = try InputFile.digest(of: place, as: .ownExport)
        } else {
            digest = ContentDigest(bytes: hash.finalize())
        }
    }

    /// Where the file is until it is whole, for a library that writes it by name.
    ///
    /// - Throws: ``ExportError/databaseNeedsRegularFile(_:)``.
    func place() throws(ExportError) -> String {
        guard let place = file?.temporaryPath() else { throw .databaseNeedsRegularFile(path) }
        return place
    }

    private mutating func put(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        hasNoBytes = false
        hash.update(data: bytes)
        if file == nil { try standardOutput(bytes) } else { try file?.write(bytes) }
    }

    /// Puts the file in its place, then its certificate.
    ///
    /// - Throws: `FileError`, `FileConflict`.
    package consuming func commit(certificate: ExportCertificate) throws {
        guard let file else { return }
        let isSpecial = file.isSpecial
        try file.commit()
        // Beside a pipe or a device there is no place for one.
        guard !isSpecial else { return }
        let bytes = certificate.document.bytes(pretty: true) + Array("\n".utf8)
        try AtomicFile.write(
            bytes,
            to: CertifiedExport.certificate(of: path),
            permissions: AtomicFile.readableByAll,
            replacing: .ownExport
        )
    }
}
