import Crypto
import OpenMarket
import OpenMarketFiles

/// Where an export goes: standard output as it comes, or a file that appears whole with its certificate.
struct ExportFile: ExportSink, ~Copyable {
    private let file: AtomicFile?
    private let path: String
    private let standardOutput: ([UInt8]) throws -> Void
    /// Compresses the bytes, where they are compressed.
    private let compress: (([UInt8]?) -> [UInt8])?
    /// The path without links where a database will be, if one is written.
    private var database: String?
    private var hash = SHA256()
    /// Whether no bytes came: a library that takes a name has written the file, or it is empty.
    private var hasNoBytes = true
    /// The SHA-256 of all that was written.
    private(set) var digest = ContentDigest(bytes: SHA256.hash(data: []))

    /// Starts an export.
    ///
    /// - Parameters:
    ///   - path: where it goes; `-` is standard output.
    ///   - compress: compresses it piece by piece; the last call takes `nil`.
    ///   - replaces: whether a file that is there in the end is replaced.
    ///   - standardOutput: writes to standard output.
    /// - Throws: `FileError`, `FileConflict`.
    init(
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

    mutating func write(_ bytes: [UInt8]) throws { try put(compress?(bytes) ?? bytes) }

    mutating func finish() throws {
        if let compress { try put(compress(nil)) }
        if hasNoBytes, let place = file?.temporaryPath() {
            digest = try InputFile.digest(of: place, as: .ownExport)
        } else {
            digest = ContentDigest(bytes: hash.finalize())
        }
    }

    /// Where the file is until it is whole, for a library that writes it as a database.
    ///
    /// - Throws: ``ExportError/databaseNeedsRegularFile(_:)``, ``ExportError/databaseInUse(_:sideFiles:)``.
    mutating func databasePlace() throws(ExportError) -> String {
        guard let place = file?.temporaryPath() else { throw .databaseNeedsRegularFile(path) }
        database = FileSystem.resolved(path) ?? (try? FileSystem.destination(of: path)) ?? path
        try requireNoSideFiles()
        return place
    }

    /// Makes sure that no program has left anything beside the old database.
    ///
    /// SQLite goes by the name, and would read it into the new one. Also an empty file beside it may be in use, but for the
    /// journal, which some programs keep so.
    private func requireNoSideFiles() throws(ExportError) {
        guard let database else { return }
        let found = ["-wal", "-shm", "-journal"].map { database + $0 }.filter { path in
            switch FileSystem.kind(of: path) {
            case .missing: false
            case .regular(size: 0): !path.hasSuffix("-journal")
            default: true
            }
        }
        guard found.isEmpty else { throw .databaseInUse(path, sideFiles: found) }
    }

    private mutating func put(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        hasNoBytes = false
        hash.update(data: bytes)
        if file == nil { try standardOutput(bytes) } else { try file?.write(bytes) }
    }

    /// Puts the file in its place, then its certificate, which is on the disk before: what keeps it away keeps both away.
    ///
    /// - Throws: `FileError`, `FileConflict`, ``ExportError/databaseInUse(_:sideFiles:)``.
    consuming func commit(certificate: ExportCertificate) throws {
        try requireNoSideFiles()
        guard let file else { return }
        // Beside a pipe or a device there is no place for one.
        guard !file.isSpecial else { return try file.commit() }
        let beside = try AtomicFile(CertifiedExport.certificate(of: path), replacing: .ownExport)
        try beside.write(certificate.document.bytes(pretty: true) + Array("\n".utf8))
        try file.commit()
        try beside.commit()
    }
}
