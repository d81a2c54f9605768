package import OpenMarket

/// What changed since an earlier export, and how the market was read for it.
package struct CatalogDifference: Sendable {
    package var changes: CatalogChanges
    /// The columns that the earlier export shows and that were not compared, because the list does not show them.
    package var uncompared: [CatalogColumn]
    /// How the market was read.
    package var reading: CatalogReading

    /// Makes sure that all of the market was read, at one moment.
    ///
    /// - Throws: ``CatalogGap``.
    package func requireWhole() throws(CatalogGap) {
        if let gap = CatalogGap(reading) { throw gap }
    }

    /// Makes sure that nothing changed, as far as the market was read; a change is the reason before a gap is.
    ///
    /// - Parameter earlier: the earlier export.
    /// - Throws: ``ExportError/outdated(_:)``, ``CatalogGap``.
    package func requireUnchanged(since earlier: String) throws {
        guard changes.changes.isEmpty else { throw ExportError.outdated(earlier) }
        try requireWhole()
    }
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
    func compare(
        _ request: ExportRequest,
        keys: ProductKeys,
        with earlier: (_ body: (CatalogRow) -> Void) throws -> Void,
        confirmEmpty: () async throws -> Void
    ) async throws -> CatalogDifference {
        // Rows of the list show on many markets neither pictures nor descriptions and vendors' names.
        var lacking: Set<CatalogColumn> = []
        if !request.details {
            if !capabilities.listShowsPictures { lacking.insert(.images) }
            if capabilities.listOmitsSale { lacking.formUnion([.salePrice, .discount]) }
            if !capabilities.listShowsDescription { lacking.formUnion([.description, .vendor]) }
        }
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
        // A row that could not be read is not a product that is gone, nor is one that a list left out.
        if reading.lostRows > 0 || !reading.summary.isComplete {
            let missing = comparison.goneProducts
            if !missing.isEmpty { try requireDetails(for: .missingProducts(missing.count)) }
            for id in missing {
                guard let product = try await market.product(id) else { continue }
                var page = comparison.emptyPage(keys)
                page.append(product)
                comparison.add(page)
            }
        }
        let uncompared = lacking.intersection(comparison.shown)
        return CatalogDifference(
            changes: comparison.finish(),
            uncompared: request.columns.filter(uncompared.contains),
            reading: reading
        )
    }
}
