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
}
