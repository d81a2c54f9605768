package import OpenMarket

/// A summary of an export: its origin, its completeness and its digest.
package struct ExportCertificate: Hashable, Sendable {
    var tool: String
    var market: String
    var profile: MarketProfile
    var request: ExportRequest
    var summary: CatalogSummary
    /// The number of rows that could not be read, or not completely.
    var problems: Int
    /// The number of rows of the list that could not be read at all and are not in the export.
    var lostRows: Int
    var digest: ContentDigest
    var startedAt: Timestamp
    var endedAt: Timestamp

    /// The market, and how it was read.
    private static func market(_ url: String, _ profile: MarketProfile) -> JSONValue {
        .object(
            of: ("url", .string(url)),
            ("profile", .string(profile.name)),
            ("parameters", profile.parameters.isEmpty ? nil : profile.parameters.document),
            ("description_sha256", .string(profile.digest.hexadecimal)),
            // A description that was never tried is only a claim about a market.
            ("probed", profile.isBuiltIn ? nil : profile.probed.map { .string($0) } ?? .null)
        )
    }

    /// The certificate as JSON.
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
