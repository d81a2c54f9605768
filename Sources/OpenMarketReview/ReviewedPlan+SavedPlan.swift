import OpenMarket
package import OpenMarketWorkflow

extension ReviewedPlan {
    /// A saved plan for readers, its files named as from the current folder.
    ///
    /// - Parameters:
    ///   - saved: the plan.
    ///   - productAddress: what makes the address of a product with its number behind it.
    package init(_ saved: SavedPlan, productAddress: String?) {
        self.init(saved.plan, of: ReviewSubject(saved, productAddress: productAddress))
    }
}

extension Session {
    /// A plan for readers, with what the state knows of its effort.
    ///
    /// - Parameters:
    ///   - saved: the plan.
    ///   - productAddress: what makes the address of a product with its number behind it.
    ///   - maximumPriceChange: the policy's bound for price moves, in hundredths of a percent.
    /// - Returns: the plan.
    /// - Throws: what the state throws.
    package func reviewed(
        _ saved: SavedPlan,
        productAddress: String?,
        maximumPriceChange: Int64? = nil
    ) async throws -> ReviewedPlan {
        ReviewedPlan(
            saved.plan,
            of: ReviewSubject(saved, productAddress: productAddress),
            maximumPriceChange: maximumPriceChange,
            lastRun: try await state.runs(limit: 1).first
        )
    }
}

extension ReviewSubject {
    fileprivate init(_ saved: SavedPlan, productAddress: String?) {
        let paths = DocumentPaths(folder: DocumentFolder.current)
        self.init(
            market: saved.url,
            profile: saved.profile,
            manifests: saved.manifestFiles.map(paths.relative),
            tool: saved.tool,
            content: saved.contentDigest,
            productAddress: productAddress
        )
    }
}
