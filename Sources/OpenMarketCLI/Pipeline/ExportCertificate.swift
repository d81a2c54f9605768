import OpenMarket
import OpenMarketClient
import OpenMarketWorkflow

/// What an export vouches for.
struct ExportCertificate {
    let market: String
    let profile: MarketProfile
    let format: ExportFormat
    let columns: [CatalogColumn]
    let summary: CatalogSummary
    let problems: Int
    let digest: ContentDigest
    let startedAt: Milliseconds
    let endedAt: Milliseconds

    var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("tool", .string("openmarket \(toolVersion)")),
            ("market", .object(of: ("url", .string(market)), ("api", .string(profile.rawValue)))),
            ("format", .string(format.rawValue)),
            ("columns", .array(columns.map { .string($0.rawValue) })),
            ("rows", .integer(summary.rows)),
            ("pages", .integer(summary.pages)),
            ("sha256", .string(digest.hexadecimal)),
            ("started_at", .string(startedAt.timestamp)),
            ("ended_at", .string(endedAt.timestamp)),
            ("catalog_moved", .bool(summary.catalogMoved)),
            ("unreadable_rows", .integer(problems))
        )
    }
}
