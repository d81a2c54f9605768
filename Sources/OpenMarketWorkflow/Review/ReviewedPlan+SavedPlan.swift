import OpenMarket
import OpenMarketDescription

extension ReviewedPlan {
    /// Creates a plan for readers, with file paths relative to the current folder.
    package init(_ saved: SavedPlan) { self.init(saved.plan, of: ReviewSubject(saved), unresolved: saved.unresolved) }
}

extension Session {
    /// A plan for readers, with its effort as known from the state.
    ///
    /// The bound for price moves is in hundredths of a percent. Errors come from the state.
    package func reviewed(_ saved: SavedPlan, maximumPriceChange: Int64? = nil) async throws -> ReviewedPlan {
        ReviewedPlan(
            saved.plan,
            of: ReviewSubject(saved),
            unresolved: saved.unresolved,
            maximumPriceChange: maximumPriceChange,
            lastRun: try await state.runs(limit: 1).first
        )
    }
}

extension ReviewSubject {
    fileprivate init(_ saved: SavedPlan) {
        let paths = DocumentPaths(folder: DocumentFolder.current)
        self.init(
            market: saved.url,
            profile: saved.profile,
            manifests: saved.manifestFiles.map(paths.relative),
            tool: saved.tool,
            content: saved.contentDigest,
            productAddress: saved.profile.productAddress(at: saved.url)
        )
    }
}
