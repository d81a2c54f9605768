package import OpenMarket

/// What changed since an earlier export, and how the market was read for it.
package struct CatalogDifference: Sendable {
    package var changes: CatalogChanges
    /// The columns that the earlier export shows and that were not compared, because the list does not show them.
    package var uncompared: [CatalogColumn]
    /// How the market was read.
    package var reading: CatalogReading
}

extension Session {
    /// Compares what the market shows with an earlier export.
    ///
    /// Memory holds the earlier export in packed form, and what changed.
    ///
    /// - Parameters:
    ///   - request: the columns to compare, and whether every product's details are read.
    ///   - keys: the manifest's keys, where the state knows products.
    ///   - earlier: reads the earlier export, once.
    ///   - confirmEmpty: called where the market shows no product at all; throws unless that is to be believed.
    /// - Returns: what changed.
    /// - Throws: ``SessionError/incompleteExport(passes:)``, `MarketError`, and what the closures throw.
    package func compare(
        _ request: ExportRequest,
        keys: ProductKeys,
        with earlier: (_ body: (CatalogRow) -> Void) throws -> Void,
        confirmEmpty: () async throws -> Void
    ) async throws -> CatalogDifference {
        // Rows of the list show neither pictures nor, on most profiles, descriptions and vendors' names.
        let listsThem = scope.profile.capabilities.listShowsDescription
        let lacking: Set<CatalogColumn> =
            request.details ? [] : listsThem ? [.images] : [.images, .description, .vendor]
        var comparison = CatalogComparison(shows: request.columns.filter { !lacking.contains($0) })
        try earlier { comparison.add($0) }
        comparison.endEarlier()
        let reading = try await read(
            details: request.details,
            collecting: comparison.emptyPage(keys),
            confirmEmpty: confirmEmpty
        ) {
            comparison.add($0)
        }
        let uncompared = lacking.intersection(comparison.shown)
        return CatalogDifference(
            changes: comparison.finish(),
            uncompared: request.columns.filter(uncompared.contains),
            reading: reading
        )
    }
}
