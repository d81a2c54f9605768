package import OpenMarket
package import OpenMarketManifest

extension ConversionReport {
    /// The report as JSON; an empty manifest path means standard output.
    package func document(table: String, manifest: String, fetched: Int) -> JSONValue {
        func findings(_ findings: [Finding]) -> JSONValue {
            .array(
                findings.map { finding in
                    .object(
                        of: ("reason", .string(finding.reason)),
                        ("count", .integer(Int64(finding.count))),
                        ("examples", .array(finding.examples.map(JSONValue.string)))
                    )
                }
            )
        }
        return .object(
            of: ("format_version", .formatVersion),
            ("table", .string(table)),
            ("manifest", .string(manifest)),
            ("products", .integer(Int64(productCount))),
            ("rows_left_out", .integer(Int64(leftOutCount))),
            ("pictures_fetched", .integer(Int64(fetched))),
            ("left_out", findings(leftOut)),
            ("changed", findings(changes)),
            ("pictures_left_out", findings(picturesLeftOut)),
            ("columns_left_out", .array(unusedColumns.map(JSONValue.string))),
            ("columns_absent", .array(absentColumns.map(JSONValue.string)))
        )
    }
}
