@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// What the rows of a table do to products, and what they leave alone.
struct RowPlanTests {
    /// A row that speaks of some fields; at its number in the table, with the columns of an export.
    private func shop(
        _ profile: MarketProfile = .v2b,
        _ build: (inout PlanFixture) -> Void
    ) -> PlanFixture {
        var shop = PlanFixture(profile)
        shop.input.manifest.isComplete = false
        build(&shop)
        // The keys of rows are settled where the input of a plan is put together.
        shop.input = Planner.Input(manifest: shop.input.manifest, state: shop.input.state, live: shop.input.live)
        return shop
    }

    @Test func `what a row leaves out stays, in the state, too`() {
        let shop = shop {
            $0.manages("lamp", 7) { $0.sale = .price(90) }
            $0.row("lamp", ProductValues(stock: 9))
        }
        #expect(
            shop.planText == """
                update lamp #7 at shop.csv:2:stock: changed in the manifest
                    stock change: 10 | 10 | 9
                """
        )
        guard case .update(let update)? = shop.plan().operations.first?.work else { return #expect(Bool(false)) }
        // Neither the sale nor the pictures are about to be forgotten.
        #expect(update.desired.sale == .price(90))
        #expect(update.desired.images == pictures(1))
        #expect(update.changedFields == [.stock])
    }

    @Test func `a drift in a column that the table lacks is not put back`() {
        let shop = shop {
            $0.knows("lamp", 7)
            $0.shows(7) { $0.description = "Other words." }
            $0.row("lamp", ProductValues(price: 100))
        }
        #expect(shop.plan() == Plan(unchanged: 1))
    }

    @Test(arguments: [
        ("First line.\r\nSecond\rthird.", "First line.\nSecond\nthird.", true),
        ("First line.\r\r\nSecond.", "First line.\r\nSecond.", true),
        ("First line.\r\nSecond.", "First line.\n\nSecond.", false),
    ])
    func `lines of a text that only end otherwise are not a change`(old: String, new: String, isSame: Bool) {
        let shop = shop {
            $0.manages("lamp", 7) { $0.description = old }
            $0.row("lamp", ProductValues(description: new))
        }
        #expect(shop.plan().operations.map(\.action) == (isSame ? [] : [.update]))
        #expect(shop.plan().unchanged == (isSame ? 1 : 0))
    }

    @Test(arguments: ["9.78E+12", "9,78E+12"])
    func `a key that a spreadsheet shortened is found by its id`(text: String) {
        let shop = shop {
            for number in Int64(7)...9 {
                $0.knows(number == 9 ? "other" : "978123456789\(number)", number)
                $0.shows(number)
                $0.row("product-\(number)", ProductValues(stock: 9), id: number, madeKey: true)
                $0.input.manifest.listings[$0.input.manifest.listings.count - 1].row?.shortenedKey = text
            }
        }
        #expect(shop.plan().operations.map(\.key) == ["9781234567897", "9781234567898"])
        #expect(
            shop.plan().diagnostics.map { "\($0.location?.description ?? ""): \($0.severity): \($0.message)" } == [
                "shop.csv:4:key: error: '\(text)' is a number that a spreadsheet shortened"
            ]
        )
    }

    @Test(arguments: [("0012", "12"), ("desk-01", "desk-1")], [TableRow.Action.merge, .new])
    func `a slip in a key explains what its row lacks`(slip: (key: String, typed: String), action: TableRow.Action) {
        let (key, typed) = slip
        let shop = shop {
            $0.manages(key, 7)
            $0.row(typed, ProductValues(price: 120), action)
        }
        let plan = shop.plan()
        #expect(plan.diagnostics == [])
        #expect(plan.operations == [])
        #expect(
            plan.refusals.map(\.message) == [
                "'\(typed)' would be created although '\(key)', which is product 7, is probably the same key"
            ]
        )
        #expect(plan.refusals.map(\.override) == [.respelling(of: key, canRename: false)])
    }

    @Test func `a row that only repeats what is not managed does not make it managed`() {
        // The manifest never spoke of the sale: that a table shows it must not make it ours, or the manifest would end it.
        let shop = shop {
            $0.knows("lamp", 7)
            $0.shows(7) { $0.sale = .price(90) }
            $0.row("lamp", ProductValues(price: 100, sale: .price(90)))
        }
        #expect(shop.plan() == Plan(unchanged: 1))
    }

    @Test func `a sale price or a discount without a price is that of the live price`() {
        func plan(_ sale: Sale?, off: ExactDecimal? = nil) -> Plan {
            let shop = shop {
                $0.knows("lamp", 7) { $0.applied.price = 80 }
                $0.shows(7)
                $0.row("lamp", ProductValues(sale: sale), id: 7)
                $0.input.manifest.listings[0].row?.amountOff = off
            }
            return shop.plan()
        }
        func sales(_ plan: Plan) -> [FieldValue?] { plan.operations.flatMap(\.changes).map(\.manifest) }
        #expect(sales(plan(.price(90))) == [.sale(.price(90))])
        #expect(sales(plan(nil, off: 25)) == [.sale(.price(75))])
        // The live price, or nothing off it, is no sale.
        #expect(plan(.price(100)) == Plan(unchanged: 1) && plan(nil, off: 0) == Plan(unchanged: 1))
        for above in [plan(.price(101)), plan(nil, off: 101)] {
            #expect(above.operations.allSatisfy { $0.changes.isEmpty } && above.diagnostics.map(\.severity) == [.error])
        }
    }

    @Test func `products without a row stay, unless the table is complete`() {
        var shop = shop {
            $0.has("desk", 8)
            $0.input.manifest.listings = []
            $0.manages("lamp", 7)
            $0.row("lamp", ProductValues(price: 100))
        }
        #expect(shop.plan() == Plan(unchanged: 1, unselected: 1))
        shop.input.manifest.isComplete = true
        #expect(
            shop.planText == """
                delete desk #8: no longer in the manifest
                1 unchanged
                """
        )
        // A row that is left alone is a row.
        shop.row("desk", ProductValues(), .ignore)
        #expect(shop.plan() == Plan(unchanged: 1, unselected: 1))
    }

    @Test func `in a table of all products a row that is left alone keeps its product, or says that it has none`() {
        func plan(_ key: String, id: Int64?) -> Plan {
            var shop = self.shop {
                $0.manages("0123", 8)
                $0.manages("lamp", 7)
                $0.row("lamp", ProductValues(price: 100))
                $0.row(key, ProductValues(), .ignore, id: id)
            }
            shop.input.manifest.isComplete = true
            return shop.plan()
        }
        // Only what deletes a product may delete the one that is meant.
        var kept = self.shop {
            $0.manages("desk", 8)
            $0.knows("gone", 9)
            $0.row("x-17", ProductValues(), .ignore)
        }
        kept.input.manifest.isComplete = true
        kept.options.deletes = false
        #expect(kept.plan().diagnostics == [] && kept.plan().operations.map(\.action) == [.forget])
        kept.options.deletes = true
        #expect(kept.plan().diagnostics.map(\.severity) == [.error])
        // The number says which one it is, whatever became of the key.
        #expect(plan("Desk", id: 8) == Plan(unchanged: 1, unselected: 1))
        for (key, id) in [("0123 ", nil), ("old", 9), ("x-17", nil)] as [(String, Int64?)] {
            #expect(plan(key, id: id).diagnostics.contains { $0.severity == .error }, "\(key)")
        }
        // What is not managed yet is another matter, where nothing is deleted.
        var shop = shop {
            $0.manages("lamp", 7)
            $0.row("lamp", ProductValues(price: 100))
            $0.row("later", ProductValues(), .ignore)
        }
        shop.input.manifest.isComplete = true
        #expect(shop.plan() == Plan(unchanged: 1, unselected: 1))
    }

    @Test(arguments: [(Currency.krw, "1000.5", "1001"), (.usd, "15.71900001", "15.72")])
    func `a price has no fraction that its product's currency does not have`(
        currency: Currency,
        price: String,
        rounded: String
    ) {
        let shop = shop {
            $0.manages("lamp", 7) { $0.currency = currency }
            $0.row("lamp", ProductValues(price: ExactDecimal(price)))
        }
        #expect(shop.plan().operations == [])
        #expect(shop.plan().diagnostics.map(\.help) == ["rounded it is \(rounded)"])
    }

    @Test(arguments: [
        ProductValues(currency: .krw), ProductValues(price: ExactDecimal("27.5"), currency: .krw),
    ])
    func `a product takes no currency that does not have the amounts that stay`(row: ProductValues) {
        let shop = shop {
            $0.knows("lamp", 7) { ($0.applied.price, $0.applied.currency) = (ExactDecimal("27.5"), .usd) }
            $0.shows(7) { ($0.price, $0.currency) = (ExactDecimal("27.5"), .usd) }
            $0.row("lamp", row)
        }
        let plan = shop.plan()
        #expect(plan.operations == [])
        #expect(
            plan.diagnostics.map(\.message) == [
                "the price 27.5 of 'lamp' has a fraction; amounts in won are whole numbers"
            ]
        )
    }

    @Test func `a row with a number alone is that product, under the key that the state has`() {
        let shop = shop {
            $0.manages("lamp", 7)
            $0.row("product-7", ProductValues(price: 120), id: 7, madeKey: true)
        }
        #expect(
            shop.planText == """
                update lamp #7 at shop.csv:2:price: changed in the manifest
                    price change: 100 | 100 | 120
                """
        )
    }

    @Test func `NEW makes and changes nothing, UPDATE changes and makes nothing`() {
        var values = PlanFixture.values
        let shop = shop {
            $0.has("made", 7)
            $0.has("other", 8)
            $0.input.manifest.listings = []
            $0.row("made", ProductValues(price: 100), .new)
            $0.row("other", ProductValues(price: 120), .new)
            $0.row("missing", ProductValues(price: 120), .update)
            values.name = "New lamp"
            $0.row("new", values, .new)
            values.price = nil
            $0.row("lacking", values, .new)
        }
        #expect(
            shop.planText == """
                create new at shop.csv:5: new in the table
                    makes name New lamp, description Warm light., price 100, currency USD, stock 10, images [p1]
                    sends p1.png
                1 unchanged
                error at shop.csv:3: 'other' is to be created, but exists already with other values
                    MERGE changes it
                error at shop.csv:4: product 'missing' does not exist and cannot be updated
                    MERGE creates it if it is missing
                error at shop.csv:6: 'lacking' has to be created, but the manifest lacks: price
                """
        )
    }

    @Test func `a new product gets the defaults, one that exists does not`() {
        let shop = shop {
            $0.input.manifest.rowDefaults = (.krw, 5)
            $0.manages("lamp", 7)
            $0.row("lamp", ProductValues(price: 100))
            var values = PlanFixture.values
            (values.name, values.currency, values.stock) = ("New lamp", nil, nil)
            $0.row("new", values)
        }
        #expect(
            shop.planText == """
                create new at shop.csv:3: new in the table
                    makes name New lamp, description Warm light., price 100, currency KRW, stock 5, images [p1]
                    sends p1.png
                1 unchanged
                """
        )
    }

    @Test func `DELETE deletes what the state knows or an id names, and says where it does not`() {
        let shop = shop {
            $0.manages("lamp", 7)
            $0.shows(8)
            $0.row("lamp", ProductValues(), .delete)
            $0.row("product-8", ProductValues(), .delete, id: 8, madeKey: true)
            $0.row("lamb", ProductValues(), .delete)
        }
        #expect(
            shop.planText == """
                delete lamp #7 at shop.csv:2: state: absent in the manifest
                delete product-8 #8 at shop.csv:3: state: absent in the manifest
                warning at shop.csv:4: product 'lamb' does not exist and cannot be deleted
                    write the product's number into 'id'
                """
        )
    }

    @Test func `a key that lost its zeros is not a new product`() {
        let shop = shop {
            $0.manages("007", 7)
            $0.row("7", PlanFixture.values)
        }
        #expect(
            shop.planText.hasSuffix(
                "refused at shop.csv:2:key: '7' would be created although '007', which is product 7, is probably the same key "
                    + "[write '007' if it is that product, --allow-namesakes if another one is meant]"
            )
        )
    }

    @Test(arguments: TableRow.Action.allCases)
    func `a row whose id and key are not one product's does nothing`(action: TableRow.Action) {
        for id in [Int64(99), 8] {
            let shop = shop {
                $0.manages("lamp", 7)
                $0.manages("mug", 8)
                $0.row("lamp", ProductValues(stock: 9), action, id: id)
            }
            let plan = shop.plan()
            #expect(plan.operations == [])
            guard action != .ignore, action != .new else { continue }
            #expect(
                plan.diagnostics.filter { $0.severity == .error }.map(\.message) == [
                    "'lamp' has the id \(id), but the state has it as product 7"
                ]
            )
            #expect(!plan.isSound)
        }
    }

    @Test func `a row that changes nothing is warned of, where the market has no product of its id`() {
        var shop = PlanFixture()
        shop.manages("lamp", 7)
        shop.row("lamp", ProductValues(), id: 99)
        let plan = shop.plan()
        #expect(plan.operations == [])
        #expect(plan.isSound)
        #expect(plan.diagnostics.map(\.message) == ["'lamp' has the id 99, and is product 7 now"])
    }

    @Test func `a product is not deleted for an id that is another's or no product's`() {
        var shop = PlanFixture()
        shop.has("lamp", 7) { ($0.isAbsent, $0.pinnedID) = (true, MarketID(99)) }
        #expect(shop.plan().operations == [])
        #expect(!shop.plan().isSound)
    }

    @Test(arguments: ["=1+1", "'=1", "''=", "-20% lamp", "+1", "@home", "＝1", "\n=", "\t=", "'", "'80s", "lamp"])
    func `a guard that a spreadsheet left or lost is not a change`(text: String) {
        for cell in [text, FormulaGuard.guarded(text), FormulaGuard.unguarded(text)] {
            let shop = shop {
                $0.manages("lamp", 7) { $0.description = text }
                $0.row("lamp", ProductValues(description: cell))
            }
            // Two texts of the market that one guard distinguishes are distinguished where the file says which it is.
            #expect(shop.plan().operations == [], "\(cell)")
        }
        let edited = shop {
            $0.manages("lamp", 7) { $0.name = "-20% lamp" }
            $0.row("lamp", ProductValues(name: "'-30% lamp"))
        }
        #expect(edited.plan().operations.flatMap(\.changes).map(\.manifest) == [.text("-30% lamp")])
    }

    @Test func `a key with a guard is the key`() {
        let shop = shop {
            $0.manages("-lamp", 7)
            $0.row("'-lamp", ProductValues(stock: 9))
        }
        #expect(shop.plan().operations.map(\.key) == ["-lamp"])
        #expect(shop.plan().operations.map(\.action) == [.update])
    }

    @Test func `half of a value is not a value where the table ends in it`() {
        func shop(_ text: String, _ values: ProductValues, _ field: ProductField) -> PlanFixture {
            self.shop {
                $0.manages("lamp", 7) { $0.price = 20000 }
                $0.row("lamp", values)
                let location = SourceLocation(file: "shop.csv", position: SourcePosition(line: 2, column: 5))
                $0.input.manifest.openCells = [OpenCell(field: field, text: text, location: location)]
            }
        }
        #expect(
            shop("2", ProductValues(price: 2), .price).plan().diagnostics.map(\.message) == [
                "the file ends inside this cell: it has '2', and the product '20000'"
            ]
        )
        #expect(shop("1", ProductValues(stock: 1), .stock).plan().diagnostics.map(\.severity) == [.error])
        #expect(shop("La", ProductValues(name: "La"), .name).plan().diagnostics.map(\.severity) == [.error])
        // Another value, and the same.
        #expect(shop("3", ProductValues(price: 3), .price).plan().isSound)
        #expect(shop("20000", ProductValues(price: 20000), .price).plan() == Plan(unchanged: 1))
    }

    @Test func `cells that repeat the market say nothing`() {
        let shop = shop {
            $0.knows("lamp", 7)
            $0.shows(7) { $0.vendorName = "example" }
            $0.row("lamp", ProductValues(price: 100, sale: .fullPrice)) {
                $0.vendorID = 29
                $0.discount = 0
                $0.note("example", in: .vendor)
                $0.note("t/71", in: .thumbnail)
                $0.note("u/71", in: .images)
            }
        }
        #expect(shop.plan() == Plan(unchanged: 1))
    }

    @Test func `a value that no product should have is refused only where it is about to be written`() {
        let fault = Diagnostic(.error, .textLength, "the name has 2 characters")
        var shop = shop {
            $0.manages("lamp", 7) { $0.name = "La" }
            $0.row("lamp", ProductValues(name: "La", price: 120), id: 7)
            $0.input.manifest.doubts = [CellDoubt(id: MarketID(7), field: .name, fault: fault)]
        }
        #expect(shop.plan().diagnostics == [])
        shop.input.manifest.listings[0].values.name = "Lb"
        #expect(shop.plan().diagnostics == [fault])
    }
}

extension PlanFixture {
    /// A row of `shop.csv`, whose header is row 1 and has the columns of an export.
    fileprivate mutating func row(
        _ key: String,
        _ values: ProductValues,
        _ action: TableRow.Action = .merge,
        id: Int64? = nil,
        madeKey: Bool = false,
        _ say: (inout ShownCells) -> Void = { _ in }
    ) {
        let header = CatalogColumn.allCases.map(\.rawValue)
        let number = UInt32(input.manifest.listings.count + 2)
        var listing = Listing(
            key: key,
            file: "shop.csv",
            position: SourcePosition(line: number, column: 1),
            values: values,
            isAbsent: action == .delete,
            pinnedID: id.map { MarketID($0) },
            row: TableRow(action: action, header: header, hasMadeKey: madeKey)
        )
        for field in ProductField.allCases where values[field] != nil {
            let column = header.firstIndex(of: field.rawValue) ?? 0
            listing.fieldPositions[field] = SourcePosition(line: number, column: UInt32(column + 1))
        }
        listing.pictures = (values.images?.digests ?? []).map(pictureFile)
        if var shown = listing.row?.shown {
            say(&shown)
            listing.row?.shown = shown
        }
        input.manifest.listings.append(listing)
    }
}
