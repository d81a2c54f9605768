public import OpenMarket

/// What changed since an earlier export, and how the market was read for it.
public struct CatalogDifference: Sendable {
    /// What changed.
    public var changes: CatalogChanges
    /// The columns that the earlier export shows and that were not compared, for the list does not show them.
    public var uncompared: [CatalogColumn]
    /// How the market was read.
    public var reading: CatalogReading
}

extension Session {
    /// Compares what the market shows with an earlier export.
    ///
    /// Memory holds sixteen bytes a product, and what changed.
    ///
    /// - Parameters:
    ///   - request: the columns to compare, and whether every product's details are read.
    ///   - keys: the manifest's keys, where the state knows products.
    ///   - earlier: reads the earlier export from its beginning, as often as it is called.
    ///   - confirmEmpty: called where the market shows no product at all; throws unless that is to be believed.
    /// - Returns: what changed.
    /// - Throws: ``SessionError/incompleteExport(passes:)``, `MarketError`, and what the closures throw.
    public func compare(
        _ request: ExportRequest,
        keys: ProductKeys,
        with earlier: (_ body: (CatalogRow) throws -> Void) throws -> Void,
        confirmEmpty: () async throws -> Void
    ) async throws -> CatalogDifference {
        // Rows of the list show neither pictures nor, on most deployments, descriptions and vendors' names.
        let listsThem = scope.profile.capabilities.listShowsDescription
        let lacking: Set<CatalogColumn> =
            request.details ? [] : listsThem ? [.images] : [.images, .description, .vendor]
        var comparison = CatalogComparison(shows: request.columns.filter { !lacking.contains($0) })
        var shown: Set<CatalogColumn> = []
        try earlier { row in
            comparison.survey(row)
            for column in lacking where row[column] != .unset { shown.insert(column) }
        }
        comparison.endSurvey()
        try earlier { comparison.note($0) }
        var lines = CatalogLineReader()
        let columns = CatalogColumn.allCases
        let reading = try await read(
            ExportRequest(format: .jsonl, columns: columns, details: request.details),
            as: CatalogJSONLines(columns: columns),
            keys: keys,
            confirmEmpty: confirmEmpty
        ) { bytes in
            try lines.read(bytes) { comparison.compare($0) }
        }
        try earlier { comparison.explain($0) }
        return CatalogDifference(
            changes: comparison.finish(),
            uncompared: request.columns.filter(shown.contains),
            reading: reading
        )
    }
}
