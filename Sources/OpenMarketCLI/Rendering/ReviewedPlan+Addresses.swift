import OpenMarketClient
import OpenMarketReview
import OpenMarketWorkflow

extension ReviewedPlan {
    /// A saved plan for readers.
    init(_ saved: SavedPlan) { self.init(saved, productAddress: saved.profile.productAddress(at: saved.url)) }
}

extension Session {
    /// A plan for readers, with what the state knows of its effort.
    func reviewed(_ saved: SavedPlan, maximumPriceChange: Int64? = nil) async throws -> ReviewedPlan {
        let address = saved.profile.productAddress(at: saved.url)
        return try await reviewed(saved, productAddress: address, maximumPriceChange: maximumPriceChange)
    }
}
