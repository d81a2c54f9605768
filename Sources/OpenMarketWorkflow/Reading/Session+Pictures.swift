import OpenMarket
package import OpenMarketFiles

extension Session {
    /// The pictures that a review shows; what the market is asked for is kept for the next review, and the oldest of that go.
    ///
    /// - Parameters:
    ///   - review: the review.
    ///   - store: the pictures that reviews have fetched.
    /// - Returns: the pictures, and why others are not there.
    package func pictures(of review: PlanReview, keptIn store: ContentStore) async -> ReviewPictures {
        let pictures = await PictureLoading(market: market, store: store).pictures(of: review)
        store.prune()
        return pictures
    }
}
