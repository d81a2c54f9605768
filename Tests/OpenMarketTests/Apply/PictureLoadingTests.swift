@testable import OpenMarket
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Synchronization
import Testing

/// Pictures for a review: each from the nearest place, and none of them worth failing for.
struct PictureLoadingTests {
    private final class Shelf: PictureStore {
        private let kept: Mutex<[ContentDigest: [UInt8]]>
        private let addresses = Mutex<[String: ContentDigest]>([:])

        var digests: Set<ContentDigest> { kept.withLock { Set($0.keys) } }

        init(_ pictures: FetchedPicture...) {
            kept = Mutex(Dictionary(uniqueKeysWithValues: pictures.map { ($0.digest, $0.bytes) }))
        }

        func bytes(of digest: ContentDigest) -> [UInt8]? { kept.withLock { $0[digest] } }
        func digest(at url: String) -> ContentDigest? { addresses.withLock { $0[url] } }
        func keep(_ picture: FetchedPicture, from url: String) {
            kept.withLock { $0[picture.digest] = picture.bytes }
            addresses.withLock { $0[url] = picture.digest }
        }
    }

    private func picture(_ number: Int) -> FetchedPicture { FetchedPicture(SmallPicture.png(number)) }

    private func shown(_ number: Int, _ remark: String? = nil) -> ReviewPictures.View {
        .shown(SmallPicture.png(number), .png, remark: remark)
    }

    /// A product each whose pictures go, known by their digest or not.
    private func review(_ pictures: [(digest: ContentDigest?, url: String?)]) -> (PlanReview, [PictureMove.Side]) {
        let operations = pictures.enumerated().map { index, picture in
            let deletion = PlannedOperation.Deletion(
                id: MarketID(Int64(index + 1)),
                live: ProductValues(images: picture.digest.map { [.digest($0)] }),
                livePictures: LivePictures(
                    images: picture.url.map { [LiveProduct.Image(url: $0)] }
                )
            )
            return PlannedOperation(key: "k\(index)", reason: "gone", work: .delete(deletion))
        }
        let review = PlanReview(Plan(operations: operations))
        return (review, review.pictures)
    }

    @Test func `what is kept is not fetched, and what is fetched is kept`() async {
        let market = StandInMarket(
            pictures: ["/2": picture(2).bytes, "/3": picture(3).bytes, "/4": picture(9).bytes],
            pictureError: MarketError(.refused, "there is no such picture")
        )
        let store = Shelf(picture(1))
        let (review, sides) = review([
            (picture(1).digest, "/1"), (picture(2).digest, "/2"), (nil, "/3"), (picture(4).digest, "/4"),
            (picture(5).digest, "/5"), (picture(6).digest, nil),
        ])
        let loading = PictureLoading(market: market, store: store) { _ in nil }
        let pictures = await loading.pictures(of: review)
        #expect(
            sides.map { pictures[$0] } == [
                shown(1), shown(2), shown(3), shown(9, "not the picture that was sent"),
                .missing("not fetched: there is no such picture"),
                .missing("not fetched: its address is unknown"),
            ]
        )
        #expect(Set(market.asked.pictures) == ["/2", "/3", "/4", "/5"])
        #expect(store.digests == Set([1, 2, 3, 9].map { picture($0).digest }))

        // Without a market, what was kept is there.
        let later = await PictureLoading(market: nil, store: store) { _ in nil }.pictures(of: review)
        #expect(
            sides.map { later[$0] } == [
                shown(1), shown(2), shown(3), .missing("not fetched: the market was not contacted"),
                .missing("not fetched: the market was not contacted"),
                .missing("not fetched: its address is unknown"),
            ]
        )
    }

    @Test func `a market that does not answer costs its pictures, not the plan`() async {
        let (review, sides) = review((1...40).map { (nil, "/\($0)") } + [(picture(1).digest, "/kept")])
        let market = StandInMarket(onPicture: { try await Task.sleep(for: .seconds(3600)) })
        let loading = PictureLoading(market: market, store: Shelf(picture(1)), clock: NoWait()) { _ in nil }
        let pictures = await loading.pictures(of: review)
        #expect(
            sides.map { pictures[$0] }.dropLast().allSatisfy { $0 == .missing("not fetched: the market took too long") }
        )
        #expect(sides.last.map { pictures[$0] } == shown(1))
    }

    @Test func `a file is shown only while it is the plan's`() async {
        let numbers = [1, 2, 3]
        let files = numbers.map { number in
            Picture(
                path: "\(number).png",
                file: "/\(number).png",
                digest: picture(number).digest,
                byteCount: picture(number).bytes.count,
                format: .png,
                width: 1,
                height: 1
            )
        }
        let created = NewProduct(values: ProductValues(images: files.map { .digest($0.digest) }), pictures: files)
        let review = PlanReview(Plan(operations: [PlannedOperation(key: "k", reason: "new", work: .create(created))]))
        let found = ["/1.png": picture(1), "/2.png": picture(7)]
        let loading = PictureLoading(market: nil, store: nil) { found[$0.file] }
        let pictures = await loading.pictures(of: review)
        #expect(
            review.pictures.map { pictures[$0] } == [
                shown(1), .missing("the file changed after the plan"), .missing("the file cannot be read"),
            ]
        )
    }
}
