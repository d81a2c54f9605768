import OpenMarket
import OpenMarketReview
import OpenMarketWorkflow

extension Session {
    /// A plan for readers, with what the state knows of its effort.
    func reviewed(_ saved: SavedPlan, maximumPriceChange: Int64? = nil) async throws -> ReviewedPlan {
        ReviewedPlan(
            saved.plan,
            of: ReviewSubject(saved),
            maximumPriceChange: maximumPriceChange,
            lastRun: try await state.runs(limit: 1).first
        )
    }

    /// A plan with what is around it, to be saved or compared.
    func saved(_ planned: PlannedChanges, _ manifest: Manifest) async throws -> SavedPlan {
        SavedPlan(
            planned,
            tool: "openmarket \(toolVersion)",
            scope: scope,
            manifest: manifest,
            state: self.state.location,
            lastRun: try await self.state.runs(limit: 1).first?.record.id,
            in: DocumentFolder.current
        )
    }
}
