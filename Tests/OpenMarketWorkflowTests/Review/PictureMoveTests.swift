@testable import OpenMarket
@testable import OpenMarketWorkflow
@testable import OpenMarketTestSupport
import Testing

/// Which pictures are beside which in a review.
struct PictureMoveTests {
    private func digest(_ number: UInt8) -> ContentDigest { .of(number) }

    private func file(_ number: UInt8) -> Picture { .of("\(number).png", .of(number)) }

    private func shown(_ urls: String...) -> LivePictures {
        LivePictures(images: urls.map { LiveProduct.Image(url: $0) })
    }

    private func replacement(
        from old: [PictureIdentity],
        _ live: LivePictures,
        to new: [UInt8],
        fields: [ProductField] = [.images]
    ) -> PlannedOperation {
        let replacement = PlannedOperation.Replacement(
            id: MarketID(7),
            changes: fields.map { .of($0, nil, nil) },
            product: NewProduct(
                values: ProductValues(images: new.map { .digest(digest($0)) }),
                pictures: new.map(file)
            ),
            live: ProductValues(images: old),
            livePictures: live
        )
        return PlannedOperation(key: "chair", reason: "pictures changed", work: .replace(replacement))
    }

    @Test func `places that stay are left out, and each side says where its bytes are`() {
        let operation = replacement(
            from: [.digest(digest(1)), .digest(digest(2)), .unknown("c.jpg")],
            shown("/a.jpg", "/b.jpg", "/c.jpg"),
            to: [1, 3]
        )
        #expect(
            operation.pictureMoves == [
                PictureMove(
                    place: 2,
                    before: PictureMove.Side(digest: digest(2), url: "/b.jpg"),
                    after: PictureMove.Side(digest: digest(3), file: file(3))
                ),
                PictureMove(place: 3, before: PictureMove.Side(url: "/c.jpg"), after: nil),
            ]
        )
    }

    @Test func `without a picture for each place no address is guessed`() {
        let operation = replacement(from: [.digest(digest(1))], shown("/a.jpg", "/b.jpg"), to: [2])
        #expect(operation.pictureMoves.map(\.before) == [PictureMove.Side(digest: digest(1))])
    }

    @Test func `a replace for another reason moves no picture`() {
        let operation = replacement(from: [.digest(digest(1))], shown("/a.jpg"), to: [2], fields: [.currency])
        #expect(operation.pictureMoves.isEmpty)
    }

    @Test func `a delete shows what goes`() {
        func side(_ live: ProductValues, _ shown: LivePictures) -> [PictureMove.Side?] {
            let deletion = PlannedOperation.Deletion(id: MarketID(7), live: live, livePictures: shown)
            return PlannedOperation(key: "chair", reason: "gone", work: .delete(deletion)).pictureMoves.map(\.before)
        }
        #expect(
            side(ProductValues(images: [.digest(digest(1))]), shown("/a.jpg"))
                == [PictureMove.Side(digest: digest(1), url: "/a.jpg")]
        )
        #expect(
            side(ProductValues(), LivePictures(thumbnailURL: "/t.jpg")) == [PictureMove.Side(url: "/t.jpg")]
        )
        #expect(side(ProductValues(), LivePictures()).isEmpty)
    }

    @Test func `the budget counts each picture once, in the order of the review`() {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let sides = (1...6).map { PictureMove.Side(digest: digest(UInt8($0))) }
        var pictures = ReviewPictures(budget: ReviewPictures.Budget(each: 9, total: 17))
        pictures.add(sides[0], png)
        pictures.add(sides[1], png + [1, 2])
        pictures.add(sides[2], png + [1], remark: "odd")
        pictures.add(sides[3], png)
        pictures.add(sides[4], png + [2])
        pictures.add(sides[5], Array("<svg onload=alert(1)>".utf8))
        #expect(
            sides.map { pictures[$0] } == [
                .shown(png, .png, remark: nil),
                .missing("too large for the page: 10 bytes"),
                .shown(png + [1], .png, remark: "odd"),
                .shown(png, .png, remark: nil),
                .missing("not in the page, which has as many pictures as it may"),
                .missing("neither JPEG nor PNG"),
            ]
        )
        #expect(pictures.isFull)
    }
}
