import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketReview
import OpenMarketWorkflow

/// An export beside its certificate: whether the file is the one that the certificate speaks of.
struct ExportVerification {
    /// The export.
    let path: String
    private let role: FileRole
    private let certificate: JSONValue
    private let digest: ContentDigest
    /// How many products the certificate counts.
    let rows: Int

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
        let document = try? JSONValue.parse(try InputFile.bytes(of: place, as: role))
        guard let document, document["format_version"]?.integer == 1, let rows = document["rows"]?.integer,
            let digest = document["sha256"]?.text.flatMap({ ContentDigest(hexadecimal: $0) })
        else {
            throw CommandFailure(.invalidInput, "\(place.terminalSafe) is no certificate of an export")
        }
        certificate = document
        self.digest = digest
        self.rows = Int(rows)
    }

    /// The market that the export was made of.
    var market: String? { certificate["market"]?["url"]?.text }

    /// Whether the file has the bytes that the certificate speaks of.
    func isWhole() throws -> Bool { try InputFile.digest(of: path, as: role) == digest }

    /// Makes sure that the file is what the certificate says.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 where it is not.
    func check() throws {
        let found = try InputFile.digest(of: path, as: role)
        guard found == digest else {
            throw CommandFailure(
                .invalidInput,
                "\(path.terminalSafe) is not the file that its certificate speaks of: its SHA-256 is "
                    + "\(found.hexadecimal), and the certificate has \(digest.hexadecimal)",
                help: "it was changed, cut off or replaced since; export again, or take both files from a backup"
            )
        }
        // A manifest, and a file without numbers of products, have no rows to count for whoever reads them back.
        guard ExportFormat(fileName: path) != .manifest,
            certificate["columns"]?.elements?.contains(.string(CatalogColumn.id.rawValue)) ?? false
        else { return }
        var count = 0
        try EarlierExport(path: path).rows { _ in count += 1 }
        guard count == rows else {
            throw CommandFailure(
                .invalidInput,
                "\(path.terminalSafe) has \(counted(count, "product")), and its certificate counts \(rows)"
            )
        }
    }

    /// What was found, in a line for people.
    var words: String {
        let moved = certificate["catalog_moved"]?.truth ?? false
        var words = "\(path.terminalSafe)  \(counted(rows, "product")), sha256:\(digest.abbreviated)"
        if let end = certificate["ended_at"]?.text { words += ", exported \(end.terminalSafe)" }
        if let market { words += " from \(market.terminalSafe)" }
        return words + (moved ? "; the catalog changed while it was read" : "")
    }

    /// The same as a document.
    func document(_ difference: JSONValue?) -> JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("file", .string(path)),
            ("valid", .bool(true)),
            ("certificate", certificate),
            ("online", difference)
        )
    }
}
