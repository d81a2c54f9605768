package import OpenMarket
import OpenMarketDescription

extension MarketInspection {
    /// The inspection as a document for programs.
    ///
    /// `market` is the name and the value of the member that identifies the source.
    package func document(
        of market: (String, JSONValue),
        showsProducts: Bool,
        with trial: WriteProbe? = nil
    ) -> JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            market,
            ("products", .integer(count)),
            ("pages", .integer(census.pages)),
            ("rows", .integer(census.rows)),
            ("complete", .bool(summary?.isComplete ?? false)),
            ("proof", .string(summary?.proof?.rawValue ?? "none")),
            ("error", failure.map { .string($0.message) }),
            ("fields", .array(census.fields.map { JSONValue($0) })),
            ("unnamed_in_rows", .array(census.unnamedInRows.map { JSONValue($0) })),
            ("unnamed_in_pages", .array(census.unnamedInPages.map { JSONValue($0) })),
            ("row_faults", .integer(problemCount)),
            (
                "faults",
                .array(
                    problems.map {
                        .object(of: ("position", .string($0.place)), ("message", .string($0.message)))
                    }
                )
            ),
            ("catalog", showsProducts ? catalog : nil),
            ("writing", trial?.document)
        )
    }

    private var catalog: JSONValue {
        .array(
            products.split(separator: UInt8(ascii: "\n")).compactMap { try? JSONValue.parse(Array($0)) }
        )
    }
}

extension JSONValue {
    fileprivate init(_ sighting: ResponseFieldStats.Sighting) {
        self = .object(
            of: ("name", .string(sighting.name)),
            ("seen", .integer(sighting.count)),
            ("filled", .integer(sighting.filled)),
            ("kinds", .array(sighting.kinds.map { .string($0.rawValue) })),
            ("values", .array(sighting.samples.map(JSONValue.string)))
        )
    }
}
