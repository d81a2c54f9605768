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

    private static func digest(_ number: UInt8) -> ContentDigest {
        ContentDigest(bytes: Array(repeating: number, count: 32))
    }

    private static func picture(_ path: String, _ number: UInt8) -> Picture {
        Picture(
            path: path,
            file: "/shop/" + path,
            digest: digest(number),
            byteCount: 900 + Int(number),
            format: .png,
            width: 8,
            height: 8
        )
    }

    private static func change(
        _ field: ProductField,
        kind: FieldChange.Kind = .change,
        was base: FieldValue? = nil,
        _ live: FieldValue?,
        _ manifest: FieldValue?
    ) -> FieldChange {
        FieldChange(field: field, kind: kind, base: base, live: live, manifest: manifest)
    }

    private static var lamp: PlannedOperation {
        let name = "한지 조명등"
        return PlannedOperation(
            key: "조명등",
            reason: "changed in the manifest",
            source: place(3),
            work: .update(
                PlannedOperation.Update(
                    id: MarketID(7),
                    changes: [
                        change(.name, .text(name.decomposed), .text(name)),
                        change(.price, kind: .conflict, was: .number(52_000), .number(50_000), .number(49_000)),
                        change(
                            .salePrice,
                            kind: .conflict,
                            was: .sale(.fullPrice),
                            .sale(.price(47_000)),
                            .sale(.price(45_000))
                        ),
                        change(.stock, kind: .drift, .integer(4), .integer(0)),
                    ],
                    desired: ProductValues(price: 49_000, sale: .price(45_000)),
                    live: ProductValues(name: name, price: 50_000, currency: .krw, sale: .price(47_000))
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
                        change(.price, .number(10_000), .number(30_000)),
                        change(.salePrice, .sale(.price(9000)), .sale(.fullPrice)),
                    ],
                    desired: ProductValues(price: 30_000, sale: .fullPrice),
                    live: ProductValues(name: "청자 찻잔", price: 10_000, currency: .krw, sale: .price(9000))
                )
            )
        )
    }

    private static var jar: PlannedOperation {
        let files = [picture("달항아리", 21)]
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
        let files = [picture("새 부채", 11), picture("새 그림", 12), picture("셋째", 13)]
        let old = (1...4).map { PictureIdentity.digest(digest($0)) }
        let new = files.map { PictureIdentity.digest($0.digest) }
        return PlannedOperation(
            key: "부채",
            reason: "pictures changed, and this market cannot change pictures in place",
            source: place(20),
            work: .replace(
                PlannedOperation.Replacement(
                    id: MarketID(9),
                    changes: [
                        change(.images, .images(old), .images(new)), change(.currency, .text("KRW"), .text("USD")),
                        change(.thumbnail, .image(old[0]), .image(new[1])),
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

extension String {
    /// The text with each syllable in its letters: the same characters in other bytes.
    fileprivate var decomposed: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            guard (0xAC00...0xD7A3).contains(scalar.value) else {
                scalars.append(scalar)
                continue
            }
            let index = scalar.value - 0xAC00
            for value in [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28] where value != 0x11A7 {
                if let letter = Unicode.Scalar(value) { scalars.append(letter) }
            }
        }
        return String(scalars)
    }
}
