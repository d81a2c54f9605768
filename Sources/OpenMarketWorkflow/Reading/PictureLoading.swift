package import OpenMarket
package import OpenMarketFiles

/// Loads the pictures of a review: the new ones from their files, the old ones from the store, else from the market.
///
/// No failure ends the review: an unavailable picture has a reason.
package struct PictureLoading: Sendable {
    /// `nil` if none is to be contacted.
    let market: (any Market)?
    let store: (any PictureStore)?
    var clock: any Clock<Duration> = ContinuousClock()
    /// Reads a file of the plan; returns `nil` if that is not possible.
    let file: @Sendable (Picture) -> FetchedPicture?

    /// The time limit for the market's pictures; a plan must not wait long for its illustrations.
    private static let patience = Duration.seconds(10)
    private static let width = 16

    /// The pictures of a review; those of its first operations come first.
    package func pictures(of review: PlanReview) async -> ReviewPictures {
        await withTaskGroup(of: ReviewPictures?.self) { group in
            let clock = clock
            group.addTask {
                try? await clock.sleep(for: Self.patience)
                return nil
            }
            group.addTask { await load(review) }
            // After the time limit the market is asked no more; files and stored pictures are shown all the same.
            var pictures: ReviewPictures?
            while let ended = await group.next() {
                group.cancelAll()
                pictures = pictures ?? ended
            }
            return pictures ?? ReviewPictures()
        }
    }

    private func load(_ review: PlanReview) async -> ReviewPictures {
        var pictures = ReviewPictures()
        let sides = review.pictures
        for start in stride(from: 0, to: sides.count, by: Self.width) where !pictures.isFull {
            let batch = sides[start..<min(start + Self.width, sides.count)]
            var found: [Int: Found] = [:]
            try? await forEachConcurrently(batch.indices, width: Self.width) { index in
                await find(batch[index], largest: ReviewPictures.Budget().each)
            } collect: { index, result in
                found[index] = result
            }
            // In the order of the review, not of the replies.
            for index in batch.indices {
                switch found[index] {
                case .bytes(let bytes, let remark): pictures.add(batch[index], bytes, remark: remark)
                case .missing(let reason): pictures.leaveOut(batch[index], because: reason)
                case nil: break
                }
            }
        }
        return pictures
    }

    private enum Found: Sendable {
        case bytes([UInt8], remark: String?)
        case missing(String)
    }

    private func find(_ side: PictureMove.Side, largest: Int) async -> Found {
        if let picture = side.file {
            guard picture.byteCount <= largest else { return .missing(ReviewPictures.tooLarge(picture.byteCount)) }
            guard let read = file(picture) else { return .missing("the file cannot be read") }
            guard read.digest == picture.digest else { return .missing("the file changed after the plan") }
            return .bytes(read.bytes, remark: nil)
        }
        let known = side.digest ?? side.url.flatMap { store?.digest(at: $0) }
        if let known, let bytes = store?.bytes(of: known) { return .bytes(bytes, remark: nil) }
        guard let url = side.url else { return .missing("not fetched: its address is unknown") }
        guard let market else { return .missing("not fetched: the market was not contacted") }
        guard !Task.isCancelled else { return .missing(Self.late) }
        do {
            let fetched = try await market.picture(at: url)
            store?.keep(fetched, from: url)
            let isOther = side.digest.map { $0 != fetched.digest } ?? false
            return .bytes(fetched.bytes, remark: isOther ? "not the picture that was sent" : nil)
        } catch let error as MarketError {
            return .missing(Task.isCancelled ? Self.late : "not fetched: \(error.message)")
        } catch {
            return .missing(Self.late)
        }
    }

    private static let late = "not fetched: the market took too long"
}

extension PictureLoading {
    /// Loads pictures from the files that the plan names, from the store, and from the market.
    package init(market: (any Market)?, store: ContentStore?) {
        self.init(market: market, store: store) { FetchedPicture(file: $0.file, as: .named) }
    }
}

extension Session {
    /// The pictures that a review shows, and the reasons that others are missing.
    ///
    /// Pictures from the market are stored for the next review; the oldest ones are dropped.
    package func pictures(of review: PlanReview, keptIn store: ContentStore) async -> ReviewPictures {
        let pictures = await PictureLoading(market: market, store: store).pictures(of: review)
        store.prune()
        return pictures
    }
}
