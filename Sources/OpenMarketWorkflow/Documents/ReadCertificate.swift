package import OpenMarket

/// How an export differs from its certificate.
package enum ExportMismatch: Error, Hashable, Sendable {
    case digest(found: ContentDigest, certified: ContentDigest)
    case rows(found: Int, certified: Int)
}

package struct ReadCertificate: Hashable, Sendable {
    /// The certificate as written.
    let document: JSONValue
    let digest: ContentDigest
    let rows: Int

    /// Reads a certificate; `nil` if the bytes are not one.
    init?(bytes: [UInt8]) {
        guard let document = try? JSONValue.parse(bytes), document["format_version"] == .formatVersion,
            let rows = document["rows"]?.integer,
            let digest = document["sha256"]?.text.flatMap({ ContentDigest(hexadecimal: $0) })
        else { return nil }
        self.document = document
        self.digest = digest
        self.rows = Int(rows)
    }

    /// The format of the export; `nil` if the certificate does not state it.
    var format: ExportFormat? { document["format"]?.text.flatMap { ExportFormat(rawValue: $0) } }

    var market: String? { document["market"]?["url"]?.text }

    var endedAt: String? { document["ended_at"]?.text }

    var catalogMoved: Bool { document["catalog_moved"]?.truth ?? false }

    /// The proof that the export has every product; `nil` if there is none, or if the certificate does not state it.
    var proof: CatalogProof? { document["proof"]?.text.flatMap { CatalogProof(rawValue: $0) } }

    /// Whether the certificate states that there is no such proof.
    var isUnproved: Bool { document["proof"]?.text == "none" }

    /// Compares the certificate with the SHA-256 and the products of its file.
    ///
    /// The file's name decides whether it is a manifest if the certificate does not state it. `countRows` is not called
    /// for a manifest, or if the file shows no ids. Throws ``ExportMismatch``, and errors of `countRows`.
    func check(_ found: ContentDigest, fileName: String, countRows: () throws -> Int) throws {
        guard found == digest else { throw ExportMismatch.digest(found: found, certified: digest) }
        let id = JSONValue.string(CatalogColumn.id.rawValue)
        guard (format ?? ExportFormat(fileName: fileName)) != .manifest,
            document["columns"]?.elements?.contains(id) ?? false
        else { return }
        let count = try countRows()
        guard count == rows else { throw ExportMismatch.rows(found: count, certified: rows) }
    }

    package static func refusal(of file: String, because error: any Error) -> JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("file", .string(file)),
            ("valid", .bool(false)),
            ("error", .string("\(error)"))
        )
    }

    /// The findings about a file that matches its certificate, as JSON.
    ///
    /// `online` is the difference from the market, if it was requested.
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
