package import OpenMarket

/// How an export differs from what its certificate says of it.
package enum ExportMismatch: Error, Hashable, Sendable {
    /// The file has another SHA-256.
    case digest(found: ContentDigest, certified: ContentDigest)
    /// The file has another number of products.
    case rows(found: Int, certified: Int)
}

/// The certificate of an export, read back.
package struct ReadCertificate: Hashable, Sendable {
    /// The certificate as it was written.
    let document: JSONValue
    /// The SHA-256 of the export.
    let digest: ContentDigest
    /// How many products it has.
    let rows: Int

    /// Reads a certificate; `nil` where the bytes are not one.
    init?(bytes: [UInt8]) {
        guard let document = try? JSONValue.parse(bytes), document["format_version"] == .formatVersion,
            let rows = document["rows"]?.integer,
            let digest = document["sha256"]?.text.flatMap({ ContentDigest(hexadecimal: $0) })
        else { return nil }
        self.document = document
        self.digest = digest
        self.rows = Int(rows)
    }

    /// How the export is written; `nil` where the certificate does not say it.
    var format: ExportFormat? { document["format"]?.text.flatMap { ExportFormat(rawValue: $0) } }

    /// The market that was exported.
    var market: String? { document["market"]?["url"]?.text }

    /// When the export ended.
    var endedAt: String? { document["ended_at"]?.text }

    /// Whether the catalog is known to have changed while it was read.
    var catalogMoved: Bool { document["catalog_moved"]?.truth ?? false }

    /// What proved that the export has every product; `nil` where nothing did, and where the certificate does not say it.
    var proof: CatalogProof? { document["proof"]?.text.flatMap { CatalogProof(rawValue: $0) } }

    /// Whether nothing proved that the export has every product.
    var isUnproved: Bool { document["proof"]?.text == "none" }

    /// Compares it with the file that it belongs to.
    ///
    /// - Parameters:
    ///   - found: the SHA-256 of the file.
    ///   - fileName: the file's name, which says whether it is a manifest where the certificate does not.
    ///   - countRows: counts the products of the file; not called for a manifest, or where the file shows no ids.
    /// - Throws: ``ExportMismatch``, and what `countRows` throws.
    func check(_ found: ContentDigest, fileName: String, countRows: () throws -> Int) throws {
        guard found == digest else { throw ExportMismatch.digest(found: found, certified: digest) }
        let id = JSONValue.string(CatalogColumn.id.rawValue)
        guard (format ?? ExportFormat(fileName: fileName)) != .manifest,
            document["columns"]?.elements?.contains(id) ?? false
        else { return }
        let count = try countRows()
        guard count == rows else { throw ExportMismatch.rows(found: count, certified: rows) }
    }

    /// Why a file is not what its certificate says, as a document.
    package static func refusal(of file: String, because error: any Error) -> JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("file", .string(file)),
            ("valid", .bool(false)),
            ("error", .string("\(error)"))
        )
    }

    /// What was found of a file that is what its certificate says, as a document.
    ///
    /// - Parameters:
    ///   - file: the export.
    ///   - online: how the market differs from it, where that was asked.
    /// - Returns: the document.
    package func verification(of file: String, online: JSONValue?) -> JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("file", .string(file)),
            ("valid", .bool(true)),
            ("certificate", document),
            ("online", online)
        )
    }
}
