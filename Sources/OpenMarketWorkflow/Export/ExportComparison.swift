package import OpenMarket
package import OpenMarketFiles

/// Compares the market's current catalog with an earlier export in a file.
package struct ExportComparison {
    private let earlier: String
    private let certified: CertifiedExport?

    /// A comparison with an export that may have changed since it was written, or lack its certificate.
    ///
    /// `onEvent` is called if the export does not match its certificate.
    package init(with earlier: String, onEvent: (SessionEvent) -> Void) throws(FileError) {
        self.earlier = earlier
        certified = try? CertifiedExport(path: earlier)
        guard let certified, try !certified.isWhole() else { return }
        onEvent(.note("warning: \(earlier) does not match its certificate: products that it lacks count as new"))
    }

    /// A comparison with an export that matches its certificate.
    package init(with export: CertifiedExport) {
        earlier = export.path
        certified = export
    }

    package func run(
        _ options: ExportOptions,
        with work: MarketWork<some MarketConnection>,
        access: any CatalogFileAccess
    ) async throws -> CatalogDifference {
        let url = work.target.scope.url
        if let market = certified?.certificate.market?.url, market != url {
            work.onEvent(.note("warning: \(earlier) was exported from \(market), and is compared with \(url)"))
        }
        return try await work.reading { session, _ in try await session.compare(options, with: earlier, access: access)
        }
    }
}
