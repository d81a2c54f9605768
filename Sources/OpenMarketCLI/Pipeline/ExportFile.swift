import Crypto
import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketFiles
import OpenMarketReview
import OpenMarketWorkflow
import SystemPackage

/// Where an export goes: stdout as it comes, or a file that appears whole with its certificate.
struct ExportFile: ExportSink, ~Copyable {
    /// What becomes of the bytes.
    enum Encoding {
        /// They pass these one after the other; without any they are the export.
        case text([any ExportEncoder])
        /// They are lines of JSON with these columns, whose products go to a database.
        case database([CatalogColumn])
    }

    private let file: AtomicFile?
    private let path: String
    private let encoding: Encoding
    private let console: Console
    private var database: CatalogDatabase?
    private var hash = SHA256()
    /// The SHA-256 of all that was written.
    private(set) var digest = ContentDigest(bytes: SHA256.hash(data: []))

    /// Where the certificate of a file is.
    static func certificate(of path: String) -> String { path + ".certificate.json" }

    /// Starts an export.
    ///
    /// - Parameters:
    ///   - path: where it goes; `-` is stdout.
    ///   - encoding: what becomes of the bytes.
    ///   - replaces: whether a file that is there in the end is replaced.
    ///   - console: where stdout is.
    /// - Throws: ``CommandFailure`` where it cannot be written.
    init(path: String, encoding: Encoding = .text([]), replaces: Bool = true, console: Console) throws {
        self.path = path
        self.encoding = encoding
        self.console = console
        file = path == "-" ? nil : try AtomicFile(path, replaces: replaces, replacing: .ownExport)
    }

    mutating func write(_ bytes: [UInt8]) throws {
        switch encoding {
        case .text(let encoders): try put(encoders.reduce(bytes) { try $1.encode($0) })
        case .database(let columns):
            try Self.explaining(path) {
                let database = try database ?? CatalogDatabase(path: place(), columns: columns)
                self.database = database
                try database.append(bytes)
            }
        }
    }

    mutating func finish() throws {
        if case .text(let encoders) = encoding {
            try put(encoders.reduce([]) { try $1.encode($0) + $1.finish() })
        }
        guard let database else {
            digest = ContentDigest(bytes: hash.finalize())
            return
        }
        try Self.explaining(path) { try database.finish() }
        digest = try InputFile.digest(of: place(), as: .ownExport)
    }

    /// Where the file stands until it is whole, for a library that writes it by name.
    private func place() throws -> String {
        guard let place = file?.temporaryPath() else {
            throw CommandFailure(.usage, "a SQLite database needs a file, and \(path.terminalSafe) is none")
        }
        return place
    }

    private mutating func put(_ bytes: [UInt8]) throws {
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

    /// Names the file in what went wrong with its content.
    private static func explaining<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as CatalogFileError {
            throw CommandFailure(.failure, "cannot write \(path.terminalSafe): \(error.message)", help: error.help)
        }
    }

    /// Whether it becomes a file, which stands in its place when it is whole.
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
