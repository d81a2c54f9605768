import OpenMarket
import OpenMarketDescription

extension ReviewedPlan {
    /// A saved plan for readers, its files named as from the current folder.
    package init(_ saved: SavedPlan) { self.init(saved.plan, of: ReviewSubject(saved)) }
}

extension Session {
    /// A plan for readers, with what the state knows of its effort.
    ///
    /// - Parameters:
    ///   - saved: the plan.
    ///   - maximumPriceChange: the policy's bound for price moves, in hundredths of a percent.
    /// - Returns: the plan.
    /// - Throws: what the state throws.
    package func reviewed(_ saved: SavedPlan, maximumPriceChange: Int64? = nil) async throws -> ReviewedPlan {
        ReviewedPlan(
            saved.plan,
            of: ReviewSubject(saved),
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
