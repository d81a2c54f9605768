package import OpenMarket
package import OpenMarketFiles

/// Compares what a market shows with an earlier export in a file.
package struct ExportComparison {
    private let earlier: String
    /// The export with its certificate, where it has one.
    private let certified: CertifiedExport?

    /// A comparison with an export that may have changed since it was written, or have no certificate.
    ///
    /// - Parameters:
    ///   - earlier: the export.
    ///   - onEvent: called where it does not match its certificate.
    /// - Throws: `FileError` where it cannot be read.
    package init(with earlier: String, onEvent: (SessionEvent) -> Void) throws(FileError) {
        self.earlier = earlier
        certified = try? CertifiedExport(path: earlier)
        if let certified, try !certified.isWhole() { onEvent(.alteredExport(earlier)) }
    }

    /// A comparison with an export that is known to be what its certificate says.
    package init(with export: CertifiedExport) {
        earlier = export.path
        certified = export
    }

    /// Compares.
    ///
    /// - Parameters:
    ///   - request: the columns to compare, and whether every product's details are read.
    ///   - work: the market, and the state, which is read.
    ///   - allowsEmpty: whether an empty list is compared without a question.
    ///   - access: SQLite and gzip.
    /// - Returns: what changed.
    /// - Throws: ``ExportError``, ``SessionError``, `MarketError`, and what the state throws.
    package func run(
        _ request: ExportRequest,
        with work: MarketWork<some MarketConnection>,
        allowsEmpty: Bool = false,
        access: any CatalogFileAccess
    ) async throws -> CatalogDifference {
        let url = work.target.scope.url
        if let market = certified?.certificate.market, market != url {
            work.onEvent(.foreignExport(earlier, of: market, comparedWith: url))
        }
        do {
            return try await work.reading { session, _ in
                try await session.compare(request, with: earlier, allowsEmpty: allowsEmpty, access: access)
            }
        } catch SessionError.incompleteExport(let passes) {
            throw ExportError.unsettled(passes: passes, .nothingCompared)
        }
    }
}
