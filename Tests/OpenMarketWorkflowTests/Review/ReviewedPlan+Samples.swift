@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketWorkflow
@testable import OpenMarketTestSupport

extension ReviewSubject {
    /// What the plans of tests are of.
    static let sample = ReviewSubject(
        market: "https://market.example",
        profile: .v2b,
        manifests: ["openmarket.yaml"],
        tool: "openmarket VERSION",
        content: .of(7),
        productAddress: "https://market.example/api/products/"
    )
}

extension ReviewedPlan {
    /// What can be decided about, each with a digest of its own.
    var items: [PlanDecisions.Item] {
        plan.operations.enumerated().map { number, operation in
            PlanDecisions.Item(
                digest: .of(UInt8(number + 1)),
                key: operation.key,
                action: operation.action.rawValue
            )
        }
    }

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
                        id: MarketID(Int64(number + 1)),
                        changes: [.of(.price, was: .number(100), .number(100), .number(new))],
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
                        id: MarketID(Int64(100_000 + number)),
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
                        id: MarketID(Int64(200_000 + number)),
                        live: ProductValues(name: "A product that goes, number \(number)")
                    )
                )
            )
        }
        return ReviewedPlan(Plan(operations: moved + pictured + gone), of: .sample)
    }

    /// A text in every place that a manifest or a market fills.
    static func of(_ texts: String...) -> ReviewedPlan { of(texts) }

    /// Each text in every place.
    static func of(_ texts: [String]) -> ReviewedPlan {
        let plans = texts.map(plan)
        let plan = Plan(
            operations: plans.flatMap(\.operations),
            refusals: plans.flatMap(\.refusals),
            diagnostics: plans.flatMap(\.diagnostics)
        )
        return ReviewedPlan(plan, of: .sample)
    }

    private static func plan(of text: String) -> Plan {
        let location = SourceLocation(file: text, position: SourcePosition(line: 3, column: 1))
        let update = PlannedOperation.Update(
            id: MarketID(7),
            changes: [
                .of(.name, kind: .conflict, was: .text(text), .text("A name."), .text(text)),
                .of(.description, kind: .drift, .text(text), .text("Another text.")),
                .of(.currency, .text(text), .text(text + text)),
                .of(.images, .images([.unknown(text)]), .images([.unknown(text)])),
            ],
            desired: ProductValues(),
            live: ProductValues(name: text)
        )
        let created = NewProduct(values: ProductValues(name: text, description: text, price: 5))
        let deletion = PlannedOperation.Deletion(id: MarketID(9), live: ProductValues(name: text, description: text))
        let operations = [
            PlannedOperation(key: text, reason: text, source: location, work: .update(update)),
            PlannedOperation(key: text + "2", reason: text, source: location, work: .create(created)),
            PlannedOperation(key: text + "3", reason: text, work: .delete(deletion)),
        ]
        return Plan(
            operations: operations,
            refusals: [PlanRefusal(text, override: .currencyChange, source: location)],
            diagnostics: [
                Diagnostic(.error, .missingField, text), Diagnostic(.warning, .missingField, text, help: text),
            ]
        )
    }

    /// A product whose two pictures change, and its pictures.
    static var pictured: (ReviewedPlan, [PictureMove.Side]) {
        let files = [Picture.of("a.jpg", .of(3), .jpeg), .of("b.png", .of(4))]
        let old: [PictureIdentity] = [.digest(.of(1)), .digest(.of(2))]
        let new = files.map { PictureIdentity.digest($0.digest) }
        let replacement = PlannedOperation.Replacement(
            id: MarketID(7),
            changes: [.of(.images, .images(old), .images(new))],
            product: NewProduct(values: ProductValues(name: "Lamp", images: new), pictures: files),
            live: ProductValues(name: "Lamp", images: old)
        )
        let plan = Plan(operations: [
            PlannedOperation(
                key: "lamp",
                reason: "pictures",
                source: SourceLocation(file: "shop.yaml"),
                work: .replace(replacement)
            )
        ])
        let reviewed = ReviewedPlan(plan, of: .sample)
        return (reviewed, reviewed.review.pictures)
    }

    /// One operation of each kind, with every field and every finding.
    static var ofEverything: ReviewedPlan {
        let place = { (line: UInt32) in
            SourceLocation(file: "openmarket.yaml", position: SourcePosition(line: line, column: 5))
        }
        let old =
            "A lamp of brass with two arms, a steel foot and a long cable, which gives warm light to a whole desk."
        let update = PlannedOperation.Update(
            id: MarketID(7),
            changes: [
                .of(.name, kind: .conflict, was: .text("Lamp"), .text("Old lamp"), .text("Brass lamp")),
                .of(.description, .text(old), .text(old.replacing("warm", with: "cold"))),
                .of(.price, .number(80_000), .number(100_000)),
                .of(.salePrice, kind: .drift, .sale(.fullPrice), .sale(.price(40_000))),
                .of(.stock, .integer(3), .integer(0)),
            ],
            desired: ProductValues(price: 100_000, sale: .price(40_000)),
            live: ProductValues(name: "Old lamp", price: 80_000, currency: .krw, sale: .fullPrice)
        )
        let created = NewProduct(
            values: ProductValues(name: "새 상품", description: old + old, price: 9900, currency: .krw, stock: 4)
        )
        let replacement = PlannedOperation.Replacement(
            id: MarketID(8),
            changes: [.of(.currency, .text("KRW"), .text("USD"))],
            product: NewProduct(values: ProductValues(name: "Cup", price: 5, currency: .usd)),
            live: ProductValues(name: "Cup", price: 5000, currency: .krw)
        )
        let deletion = PlannedOperation.Deletion(
            id: MarketID(9),
            live: ProductValues(name: "A product that goes", description: "It was good.", price: 12, stock: 2)
        )
        let entry = StateEntry(key: "chair", id: MarketID(10), applied: ProductValues())
        let plan = Plan(
            operations: [
                PlannedOperation(
                    key: "chair",
                    reason: "the same",
                    source: place(3),
                    work: .adopt(entry, name: "Chair")
                ),
                PlannedOperation(key: "new", reason: "new in the manifest", source: place(9), work: .create(created)),
                PlannedOperation(key: "lamp", reason: "changed", source: place(14), work: .update(update)),
                PlannedOperation(key: "cup", reason: "currency", source: place(20), work: .replace(replacement)),
                PlannedOperation(key: "gone", reason: "no longer in the manifest", work: .delete(deletion)),
                PlannedOperation(key: "lost", reason: "gone", work: .forget(MarketID(11), name: "Lost")),
                .renaming("stool", to: "bar stool", name: nil),
            ],
            unchanged: 3,
            unselected: 2,
            refusals: [PlanRefusal("the currency changes", override: .currencyChange, source: place(20))],
            diagnostics: (1...6).map { Diagnostic(.warning, .number, "row \($0) cannot be read", help: "look at it") }
        )
        return ReviewedPlan(plan, of: .sample)
    }

    /// A change of a product in place.
    static func update(
        _ key: String,
        _ changes: [FieldChange],
        live: ProductValues,
        desired: ProductValues
    ) -> PlannedOperation {
        PlannedOperation(
            key: key,
            reason: "changed in the manifest",
            work: .update(PlannedOperation.Update(id: MarketID(7), changes: changes, desired: desired, live: live))
        )
    }

    /// A plan of one product with a finding; where that leaves it on the market, its price falls far besides.
    static func with(_ finding: PlanFinding) -> ReviewedPlan {
        let live = ProductValues(name: "Lamp", price: 100, currency: .krw, sale: .price(90), stock: 4)
        var desired = ProductValues(price: 20)
        func change(_ field: ProductField, _ kind: FieldChange.Kind, _ old: FieldValue, _ new: FieldValue)
            -> FieldChange
        {
            .of(field, kind: kind, was: old, old, new)
        }
        var changes = [change(.price, .change, .number(100), .number(20))]
        let work: PlannedOperation.Work
        switch finding {
        case .delete: work = .delete(PlannedOperation.Deletion(id: MarketID(7), live: live))
        case .forget: work = .forget(MarketID(7), name: "Lamp")
        case .replace:
            let product = NewProduct(values: desired)
            work = .replace(
                PlannedOperation.Replacement(id: MarketID(7), changes: changes, product: product, live: live)
            )
        case .zeroPrice, .conflict, .drift, .currency, .stockToZero, .saleEnds, .price:
            switch finding {
            case .conflict: changes.append(change(.stock, .conflict, .integer(4), .integer(5)))
            case .drift: changes.append(change(.stock, .drift, .integer(4), .integer(5)))
            case .currency: changes.append(change(.currency, .change, .text("KRW"), .text("USD")))
            case .stockToZero: changes.append(change(.stock, .change, .integer(4), .integer(0)))
            case .saleEnds: changes.append(change(.salePrice, .change, .sale(.price(90)), .sale(.fullPrice)))
            case .zeroPrice, .delete, .forget, .replace, .price: break
            }
            if finding == .saleEnds {
                desired.sale = .fullPrice
            } else {
                let sale = Sale.price(finding == .zeroPrice ? 0 : 10)
                changes.append(change(.salePrice, .change, .sale(.price(90)), .sale(sale)))
                desired.sale = sale
            }
            work = .update(PlannedOperation.Update(id: MarketID(7), changes: changes, desired: desired, live: live))
        }
        let operation = PlannedOperation(key: "lamp", reason: "changed", work: work)
        return ReviewedPlan(Plan(operations: [operation]), of: .sample)
    }
}

extension FieldChange {
    /// A change of the manifest, unless it is another one.
    static func of(
        _ field: ProductField,
        kind: Kind = .change,
        was base: FieldValue? = nil,
        _ live: FieldValue?,
        _ manifest: FieldValue?
    ) -> FieldChange {
        FieldChange(field: field, kind: kind, base: base, live: live, manifest: manifest)
    }
}

extension Picture {
    static func of(
        _ path: String,
        _ digest: ContentDigest,
        _ format: PictureFormat = .png,
        byteCount: Int = 100
    ) -> Picture {
        Picture(
            path: path,
            file: "/shop/" + path,
            digest: digest,
            byteCount: byteCount,
            format: format,
            width: 8,
            height: 8
        )
    }
}

extension ContentDigest {
    /// A digest of the same byte 32 times.
    static func of(_ byte: UInt8) -> ContentDigest { ContentDigest(bytes: Array(repeating: byte, count: 32)) }
}

extension PlannedOperation {
    /// A product, number 12, whose key alone changes.
    static func renaming(_ former: String, to key: String, name: String?) -> PlannedOperation {
        var operation = PlannedOperation(key: key, reason: "renamed from '\(former)'", work: .rename(12, name: name))
        operation.renamedFrom = former
        return operation
    }
}
