import OpenMarket
package import OpenMarketFiles

extension Session {
    /// The pictures that a review shows, and the reasons why others are missing.
    ///
    /// Pictures from the market are stored for the next review, which drops the oldest ones.
    package func pictures(of review: PlanReview, keptIn store: ContentStore) async -> ReviewPictures {
        let pictures = await PictureLoading(market: market, store: store).pictures(of: review)
        store.prune()
        return pictures
    }
}
