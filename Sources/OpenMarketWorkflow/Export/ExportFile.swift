import Crypto
import OpenMarket
import OpenMarketFiles

/// The destination of an export: standard output, written immediately, or an atomic file with its certificate.
struct ExportFile: ~Copyable {
    private let file: AtomicFile?
    private let path: String
    private let standardOutput: ([UInt8]) throws -> Void
    private let compress: (([UInt8]?) -> [UInt8])?
    /// The final path with links resolved, if the export is a database.
    private var database: String?
    private var hash = SHA256()
    /// Whether no bytes came: a library that writes to a path created the file, or it is empty.
    private var hasNoBytes = true
    /// The SHA-256 of all written bytes, once the export is finished.
    private(set) var digest = ContentDigest(bytes: SHA256.hash(data: []))

    /// Starts an export to `path`; `-` is standard output.
    ///
    /// `compress` works piece by piece; its last call gets `nil`. Without `replaces`, a file that exists at the end is
    /// not replaced.
    init(
        path: String,
        compress: (([UInt8]?) -> [UInt8])? = nil,
        replaces: Bool = true,
        standardOutput: @escaping ([UInt8]) throws -> Void = { _ in }
    ) throws {
        file = path == "-" ? nil : try AtomicFile(path, replaces: replaces, replacing: .ownExport)
        self.path = path
        self.standardOutput = standardOutput
        self.compress = compress
    }

    /// Writes the next bytes: whole rows, and what precedes and follows them.
    mutating func write(_ bytes: [UInt8]) throws { try put(compress?(bytes) ?? bytes) }

    mutating func finish() throws {
        if let compress { try put(compress(nil)) }
        if hasNoBytes, let place = file?.temporaryPath() {
            digest = try InputFile.digest(of: place, as: .ownExport)
        } else {
            digest = ContentDigest(bytes: hash.finalize())
        }
    }

    /// The path of the unfinished file, for a library that writes it as a database.
    mutating func databasePlace() throws -> String {
        guard let place = file?.temporaryPath() else { throw ExportOptions.notRegular(path) }
        database = FileSystem.resolved(path) ?? (try? FileSystem.destination(of: path)) ?? path
        try requireNoSideFiles()
        return place
    }

    /// Checks that no program has left a file next to the old database.
    ///
    /// SQLite finds these files by name, and would apply them to the new database. An empty file may also be in use,
    /// except the journal, which some programs keep empty.
    private func requireNoSideFiles() throws(CommandFailure) {
        guard let database else { return }
        let found = ["-wal", "-shm", "-journal"].map { database + $0 }.filter { path in
            switch FileSystem.kind(of: path) {
            case .missing: false
            case .regular(size: 0): !path.hasSuffix("-journal")
            default: true
            }
        }
        guard found.isEmpty else {
            throw CommandFailure(
                .failure,
                "SQLite would read \(found.listed("and")) into the new \(path); no file was written",
                help: "end the programs that have the database open; then remove the files that stay next to it"
            )
        }
    }

    private mutating func put(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        hasNoBytes = false
        hash.update(data: bytes)
        if file == nil { try standardOutput(bytes) } else { try file?.write(bytes) }
    }

    /// Moves the file to its path, then its certificate.
    ///
    /// The new certificate is written beforehand, so its failure prevents both moves. Two exports into one file move
    /// theirs one after the other, so that file and certificate belong together. The old certificate is removed first:
    /// next to the new file, it would report an edit after a crash.
    consuming func commit(certificate: ExportCertificate) throws {
        try requireNoSideFiles()
        guard let file else { return }
        // A pipe or a device cannot have a certificate next to it.
        guard !file.isSpecial else { return try file.commit() }
        let certified = ExportCertificate.path(of: path)
        let beside = try AtomicFile(certified, replacing: .ownExport)
        try beside.write(certificate.document.bytes(pretty: true) + Array("\n".utf8))
        let folder = try? FileSystem.lock(folder: FileSystem.folder(of: file.path))
        defer { folder?.unlockAndClose() }
        try file.requireFree()
        try FileSystem.remove(certified)
        try file.commit()
        try beside.commit()
    }
}
