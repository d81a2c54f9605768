package import OpenMarket
package import OpenMarketFiles

/// The changes since an earlier export, and the reading of the market for them.
package struct CatalogDifference: Sendable {
    package var changes: CatalogChanges
    /// Columns of the earlier export that were not compared, because the list does not show them.
    package var uncompared: [CatalogColumn]
    package var reading: CatalogReading

    /// Checks that all of the market was read, at one moment.
    package func requireWhole() throws(CatalogGap) {
        if let gap = CatalogGap(reading) { throw gap }
    }

    /// Checks that the market is unchanged, as far as it was read; a change is reported before a gap.
    package func requireUnchanged(since earlier: String) throws {
        guard changes.changes.isEmpty else {
            let what = "\(earlier) is whole, but the market has changed since"
            throw CommandFailure(.failure, what, help: "export again")
        }
        try requireWhole()
    }
}

extension MarketWork {
    /// Compares the market's current catalog with an earlier export in a file.
    ///
    /// One that changed since it was written, or is another market's, is compared with a warning; `isVerified` saves the
    /// first check.
    package func compare(
        _ options: ExportOptions,
        with earlier: String,
        isVerified: Bool = false,
        access: any CatalogFileAccess
    ) async throws -> CatalogDifference {
        if let export = try? CertifiedExport(path: earlier) {
            if try !isVerified && !export.isWhole() {
                onEvent(
                    .note("warning: \(earlier) does not match its certificate: products that it lacks count as new")
                )
            }
            let url = target.scope.url
            if let market = export.certificate.market?.url, market != url {
                onEvent(.note("warning: \(earlier) was exported from \(market), and is compared with \(url)"))
            }
        }
        return try await reading { session, _ in try await session.compare(options, with: earlier, access: access) }
    }
}

extension Session {
    /// Compares the market's current catalog with an earlier export.
    ///
    /// Memory holds the earlier export and the changes.
    ///
    /// `keys` are the manifest's keys of products in the state. `earlier` reads the earlier export once.
    /// `confirmEmpty` is called if the market's list is empty; it throws if the empty list is not confirmed.
    func compare(
        _ options: ExportOptions,
        keys: ProductKeys,
        with earlier: (_ body: (CatalogRow) -> Void) throws -> Void,
        confirmEmpty: () async throws -> Void
    ) async throws -> CatalogDifference {
        let lacking = columnsWithoutDetails(options)
        var comparison = CatalogComparison(shows: options.columns.filter { !lacking.contains($0) })
        try earlier { comparison.add($0) }
        comparison.endEarlier()
        let reading = try await read(
            details: options.details,
            collecting: comparison.emptyPage(keys),
            confirmEmpty: confirmEmpty
        ) {
            comparison.add($0)
        }
        // A product whose row could not be read, or that the list left out, is not gone.
        if reading.lostRows > 0 || !reading.summary.isComplete {
            let missing = comparison.goneProducts
            if !missing.isEmpty {
                try requireDetails(
                    ", and some rows of its list could not be read: \(counted(missing.count, "product")) of the earlier "
                        + "export may be gone or unread",
                    help: "describe it; or correct the description, so that every row can be read"
                )
            }
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
            uncompared: options.columns.filter(uncompared.contains),
            reading: reading
        )
    }

    /// The columns that rows of the list do not show, if no details are read.
    ///
    /// On many markets these are pictures, descriptions and vendor names.
    func columnsWithoutDetails(_ options: ExportOptions) -> Set<CatalogColumn> {
        var lacking: Set<CatalogColumn> = []
        guard !options.details else { return lacking }
        if !capabilities.listShowsPictures { lacking.insert(.images) }
        if capabilities.listOmitsSale { lacking.formUnion([.salePrice, .discount]) }
        if !capabilities.listShowsDescription { lacking.formUnion([.description, .vendor]) }
        return lacking
    }
}
