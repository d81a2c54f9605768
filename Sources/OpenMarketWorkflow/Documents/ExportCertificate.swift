package import OpenMarket

/// A summary of an export: where it came from, how complete it is, and its digest.
package struct ExportCertificate: Hashable, Sendable {
    /// The version of the tool that exported.
    var tool: String
    /// The market's base URL.
    var market: String
    /// The market's profile.
    var profile: MarketProfile
    /// The format and the columns.
    var request: ExportRequest
    /// How the list was read.
    var summary: CatalogSummary
    /// How many rows could not be read, or not in whole.
    var problems: Int
    /// How many rows of the list could not be read at all, and are not in the export.
    var lostRows: Int
    /// The SHA-256 of the export.
    var digest: ContentDigest
    /// When it began.
    var startedAt: Timestamp
    /// When it ended.
    var endedAt: Timestamp

    /// The market, and what it was read by.
    private static func market(_ url: String, _ profile: MarketProfile) -> JSONValue {
        .object(
            of: ("url", .string(url)),
            ("profile", .string(profile.name)),
            ("parameters", profile.parameters.isEmpty ? nil : profile.parameters.document),
            ("description_sha256", .string(profile.digest.hexadecimal)),
            // A description that was never tried is a claim about a market.
            ("probed", profile.isBuiltIn ? nil : profile.probed.map { .string($0) } ?? .null)
        )
    }

    /// The certificate as it is written.
    package var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("tool", .string("openmarket \(tool)")),
            ("market", Self.market(market, profile)),
            ("format", .string(request.format.rawValue)),
            ("columns", .array(request.columns.map { .string($0.rawValue) })),
            ("rows", .integer(summary.rows)),
            ("pages", .integer(summary.pages)),
            ("sha256", .string(digest.hexadecimal)),
            ("started_at", .string(startedAt.iso8601)),
            ("ended_at", .string(endedAt.iso8601)),
            ("proof", .string(summary.proof?.rawValue ?? "none")),
            ("catalog_moved", summary.catalogMoved.map { .bool($0) } ?? .null),
            ("unreadable_rows", .integer(problems)),
            ("lost_rows", .integer(lostRows))
        )
    }
}
