import OpenMarket
import OpenMarketReview

extension ReviewedPlan {
    /// A plan of many operations; the price of update N moves by N cents from 100.
    static func of(updates: Int, deletes: Int, replaces: Int) -> ReviewedPlan {
        let source = { (line: Int) in
            SourceLocation(file: "shop.yaml", position: SourcePosition(line: UInt32(line), column: 3))
        }
        let moved = (0..<updates).map { number in
            let new = ExactDecimal(significand: Int64(10_000 - number), scale: 2) ?? 0
            return PlannedOperation(
                key: "moved-\(number)",
                reason: "changed in the manifest",
                source: source(number + 1),
                work: .update(
                    PlannedOperation.Update(
                        id: ProductID(Int64(number + 1)),
                        changes: [
                            FieldChange(
                                field: .price,
                                kind: .change,
                                base: .number(100),
                                live: .number(100),
                                manifest: .number(new)
                            )
                        ],
                        desired: ProductValues(price: new),
                        live: ProductValues(name: "Product number \(number)", price: 100)
                    )
                )
            )
        }
        let pictured = (0..<replaces).map { number in
            PlannedOperation(
                key: "pictured-\(number)",
                reason: "pictures changed",
                source: source(number + 1),
                work: .replace(
                    PlannedOperation.Replacement(
                        id: ProductID(Int64(100_000 + number)),
                        changes: [],
                        product: NewProduct(values: ProductValues(name: "Picture \(number)", price: 5)),
                        live: ProductValues(name: "Picture \(number)", price: 5)
                    )
                )
            )
        }
        let gone = (0..<deletes).map { number in
            PlannedOperation(
                key: "gone-\(number)",
                reason: "no longer in the manifest",
                work: .delete(
                    PlannedOperation.Deletion(
                        id: ProductID(Int64(200_000 + number)),
                        live: ProductValues(name: "A product that goes, number \(number)")
                    )
                )
            )
        }
        return ReviewedPlan(Plan(operations: moved + pictured + gone), MarketProfile.v2b.capabilities)
    }
}
