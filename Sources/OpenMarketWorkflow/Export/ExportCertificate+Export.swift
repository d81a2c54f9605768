package import OpenMarket
package import OpenMarketFiles

extension ExportCertificate {
    /// The certificate of an export that was read from a market as described.
    init(
        tool: String,
        market: MarketScope,
        profile: MarketProfile,
        options: ExportOptions,
        reading: CatalogReading,
        digest: ContentDigest
    ) {
        let summary = reading.summary
        var description = [JSONValue.Member("description_sha256", profile.digest.document)]
        // A description that was never tried is only a claim about a market.
        if !profile.isBuiltIn { description.append(.init("probed", profile.probed.map { .string($0) } ?? .null)) }
        let document = JSONValue.object(
            of: ("format_version", .formatVersion),
            ("tool", .string("openmarket \(tool)")),
            ("market", JSONValue(market, and: description)),
            ("format", .string(options.format.rawValue)),
            ("columns", .array(options.columns.map { .string($0.rawValue) })),
            ("rows", .integer(summary.rows)),
            ("pages", .integer(summary.pages)),
            ("sha256", .string(digest.hexadecimal)),
            ("started_at", .string(reading.startedAt.iso8601)),
            ("ended_at", .string(reading.endedAt.iso8601)),
            ("proof", .string(summary.proof?.rawValue ?? "none")),
            ("catalog_moved", summary.catalogMoved.map { .bool($0) } ?? .null),
            ("unreadable_rows", .integer(reading.problems)),
            ("lost_rows", .integer(reading.lostRows))
        )
        self.init(document, digest: digest, rows: summary.rows)
    }

    /// `nil` if a certificate of another version does not state it.
    var format: ExportFormat? { document["format"]?.text.flatMap { ExportFormat(rawValue: $0) } }

    /// Compares the certificate with the SHA-256 and the rows of its file; `nil` if they match.
    ///
    /// If the certificate does not state it, the file's name decides whether it is a manifest. `countRows` is not
    /// called for a manifest, or if the file lacks ids.
    func mismatch(_ found: ContentDigest, of file: String, countRows: () throws -> Int) rethrows -> CommandFailure? {
        guard found == digest else {
            return CommandFailure(
                .invalidInput,
                "\(file) does not match its certificate: its SHA-256 is \(found.hexadecimal), and the certificate has "
                    + digest.hexadecimal,
                help: "it was changed, cut off or replaced since; export again, or take both files from a backup"
            )
        }
        let id = JSONValue.string(CatalogColumn.id.rawValue)
        guard (format ?? ExportFormat(fileName: file)) != .manifest,
            document["columns"]?.elements?.contains(id) ?? false
        else { return nil }
        let count = try countRows()
        guard count != rows else { return nil }
        let what = "\(file) has \(counted(count, "product")), and its certificate counts \(rows)"
        return CommandFailure(.invalidInput, what)
    }

    // MARK: - Verification

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
