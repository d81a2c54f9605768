@testable import OpenMarket
@testable import OpenMarketWorkflow
@testable import OpenMarketTestSupport

extension ReviewedPlan {
    /// A plan whose products, keys and messages are in Korean, with everything that the page itself words, and its pictures.
    static var inKorean: (ReviewedPlan, ReviewPictures) {
        let plan = Plan(
            operations: [lamp, cup, jar, replaced] + others + [.renaming("걸상", to: "의자", name: nil)],
            unchanged: 3,
            unselected: 1,
            refusals: [PlanRefusal("통화가 바뀝니다", override: nil, source: place(20))],
            diagnostics: (1...6).map { Diagnostic(.warning, .number, "\($0)행을 읽을 수 없습니다", help: "확인하세요") }
        )
        var run = RunSummary(
            record: RunRecord(id: RunID(rawValue: "run"), manifest: nil, tool: "0"),
            startedAt: Timestamp(milliseconds: 0),
            finishedAt: Timestamp(milliseconds: 1000),
            interrupted: false,
            totals: RunTotals(),
            operations: 100,
            unresolved: 0
        )
        run.totals.done = 100
        let reviewed = ReviewedPlan(plan, of: .sample, lastRun: run)
        var pictures = ReviewPictures()
        let reasons = [
            ReviewPictures.tooLarge(9_000_000), "the file cannot be read", "the file changed after the plan",
            "not fetched: its address is unknown", "not fetched: the market was not contacted",
            "not fetched: the market took too long",
        ]
        for (number, side) in reviewed.review.pictures.enumerated() {
            if number < 2 {
                pictures.add(side, SmallPicture.png(number), remark: "not the picture that was sent")
            } else if number - 2 < reasons.count {
                pictures.leaveOut(side, because: reasons[number - 2])
            }
        }
        return (reviewed, pictures)
    }

    private static func place(_ line: UInt32) -> SourceLocation {
        SourceLocation(file: "openmarket.yaml", position: SourcePosition(line: line, column: 5))
    }

    private static var lamp: PlannedOperation {
        let name = Spellings.korean
        return PlannedOperation(
            key: "조명등",
            reason: "changed in the manifest",
            source: place(3),
            work: .update(
                PlannedOperation.Update(
                    id: MarketID(7),
                    changes: [
                        .of(.name, .text(name.decomposed), .text(name.composed)),
                        .of(.price, kind: .conflict, was: .number(52_000), .number(50_000), .number(49_000)),
                        .of(
                            .salePrice,
                            kind: .conflict,
                            was: .sale(.fullPrice),
                            .sale(.price(47_000)),
                            .sale(.price(45_000))
                        ),
                        .of(.stock, kind: .drift, .integer(4), .integer(0)),
                    ],
                    desired: ProductValues(price: 49_000, sale: .price(45_000)),
                    live: ProductValues(name: name.composed, price: 50_000, currency: .krw, sale: .price(47_000))
                )
            )
        )
    }

    private static var cup: PlannedOperation {
        PlannedOperation(
            key: "찻잔",
            reason: "changed in the manifest",
            source: place(9),
            work: .update(
                PlannedOperation.Update(
                    id: MarketID(8),
                    changes: [
                        .of(.price, .number(10_000), .number(30_000)),
                        .of(.salePrice, .sale(.price(9000)), .sale(.fullPrice)),
                    ],
                    desired: ProductValues(price: 30_000, sale: .fullPrice),
                    live: ProductValues(name: "청자 찻잔", price: 10_000, currency: .krw, sale: .price(9000))
                )
            )
        )
    }

    private static var jar: PlannedOperation {
        let files = [Picture.of("달항아리", .of(21), byteCount: 921)]
        return PlannedOperation(
            key: "달항아리",
            reason: "new in the manifest",
            source: place(14),
            work: .create(
                NewProduct(
                    values: ProductValues(
                        name: "백자 달항아리",
                        description: String(repeating: "물레로 빚은 둥근 항아리입니다. ", count: 20),
                        price: 280_000,
                        currency: .krw,
                        stock: 2,
                        images: files.map { .digest($0.digest) }
                    ),
                    pictures: files
                )
            )
        )
    }

    private static var replaced: PlannedOperation {
        let files = zip(["새 부채", "새 그림", "셋째"], 11...13 as ClosedRange<UInt8>).map { name, number in
            Picture.of(name, .of(number), byteCount: 900 + Int(number))
        }
        let old = (1...4).map { PictureIdentity.digest(.of($0)) }
        let new = files.map { PictureIdentity.digest($0.digest) }
        return PlannedOperation(
            key: "부채",
            reason: "pictures changed, and this market cannot change pictures in place",
            source: place(20),
            work: .replace(
                PlannedOperation.Replacement(
                    id: MarketID(9),
                    changes: [
                        .of(.images, .images(old), .images(new)), .of(.currency, .text("KRW"), .text("USD")),
                        .of(.thumbnail, .image(old[0]), .image(new[1])),
                    ],
                    product: NewProduct(
                        values: ProductValues(name: "둥근 부채", price: 12, currency: .usd, images: new),
                        pictures: files
                    ),
                    live: ProductValues(name: "둥근 부채", price: 12_000, currency: .krw, images: old)
                )
            )
        )
    }

    private static var others: [PlannedOperation] {
        let entry = StateEntry(key: "의자", id: MarketID(10), applied: ProductValues())
        let live = ProductValues(name: "조각보", description: "손바느질", price: 52_000, sale: .price(47_000), stock: 2)
        return [
            PlannedOperation(
                key: "보자기",
                reason: "no longer in the manifest",
                work: .delete(PlannedOperation.Deletion(id: MarketID(11), live: live))
            ),
            PlannedOperation(
                key: "등받이",
                reason: "pinned by id in the manifest",
                source: place(30),
                work: .adopt(entry, name: "등받이 의자")
            ),
            PlannedOperation(
                key: "수저",
                reason: "gone from the market",
                work: .forget(MarketID(12), name: "유기 수저")
            ),
        ]
    }
}
