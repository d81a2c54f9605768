@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

struct RetryDelaysTests {
    @Test(
        arguments: [
            (1, 0.0, nil, Duration.zero),
            (1, 0.5, nil, .milliseconds(250)),
            (2, 0.5, nil, .milliseconds(500)),
            (4, 0.5, nil, .seconds(2)),
            (7, 0.5, nil, .seconds(15)),
            (500, 0.5, nil, .seconds(15)),
            (1, 0.0, .seconds(7), .seconds(7)),
            (3, 0.5, .seconds(7), .milliseconds(7250)),
        ] as [(Int, Double, Duration?, Duration)]
    )
    func `delays double up to the cap, spread by the jitter, never below what the market asked for`(
        attempt: Int,
        jitter: Double,
        retryAfter: Duration?,
        expected: Duration
    ) {
        #expect(RetryDelays().delay(attempt: attempt, jitter: jitter, retryAfter: retryAfter) == expected)
    }
}

struct ThrottleTests {
    @Test func `overload halves once for all requests of one time, and success grows it back by one a round`() {
        var throttle = Throttle(parallelism: 8)
        let tickets = (0..<8).map { _ in throttle.admit(at: .zero) }
        #expect(tickets == Array(repeating: .granted(0), count: 8))
        #expect(throttle.admit(at: .zero) == .full)

        #expect(throttle.release(0, overload: true, retryAfter: nil, at: .zero) == true)
        #expect(throttle.release(0, overload: true, retryAfter: nil, at: .zero) == false)
        #expect(throttle.width == 4)
        for _ in 0..<4 { #expect(throttle.release(0, overload: false, retryAfter: nil, at: .zero) == false) }
        #expect(throttle.width == 4)
        #expect(throttle.release(0, overload: false, retryAfter: nil, at: .zero) == false)
        #expect(throttle.width == 5)

        #expect(throttle.admit(at: .zero) == .granted(1))
        #expect(throttle.release(1, overload: true, retryAfter: nil, at: .zero) == true)
        #expect(throttle.width == 2)
    }

    @Test func `the width never falls below one`() {
        var throttle = Throttle(parallelism: 1)
        for generation in 0..<3 {
            #expect(throttle.admit(at: .zero) == .granted(generation))
            _ = throttle.release(generation, overload: true, retryAfter: nil, at: .zero)
        }
        #expect(throttle.width == 1)
    }

    @Test func `what the market asks to wait holds the whole run, up to a limit`() {
        var throttle = Throttle(parallelism: 8)
        _ = throttle.admit(at: .zero)
        _ = throttle.release(0, overload: true, retryAfter: .seconds(10), at: .seconds(5))
        #expect(throttle.admit(at: .seconds(6)) == .after(.seconds(9)))
        #expect(throttle.admit(at: .seconds(15)) == .granted(1))
        _ = throttle.release(1, overload: true, retryAfter: .seconds(86400), at: .seconds(20))
        #expect(throttle.admit(at: .seconds(20)) == .after(.seconds(300)))
    }

    @Test(arguments: [1e-300, Double.leastNonzeroMagnitude, 0.0001, 1e300, Double.infinity])
    func `no rate overflows a time`(rate: Double) {
        var throttle = Throttle(parallelism: 1, rate: rate)
        #expect(throttle.admit(at: .zero) == .granted(0))
        _ = throttle.release(0, overload: false, retryAfter: nil, at: .zero)
        guard case .after(let wait) = throttle.admit(at: .zero) else {
            Issue.record("the second request leaves at once")
            return
        }
        #expect((.microseconds(10) ... .seconds(1000)).contains(wait))
    }

    @Test func `a rate spaces requests evenly`() {
        var throttle = Throttle(parallelism: 8, rate: 4)
        #expect(throttle.admit(at: .zero) == .granted(0))
        #expect(throttle.admit(at: .zero) == .after(.milliseconds(250)))
        #expect(throttle.admit(at: .milliseconds(250)) == .granted(0))
        #expect(throttle.admit(at: .seconds(10)) == .granted(0))
        #expect(throttle.admit(at: .seconds(10)) == .after(.milliseconds(250)))
    }
}

struct CreateSettlementTests {
    private static let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])

    private static func open(_ index: Int, _ listing: Listing = lamp, highWater: MarketID? = 100)
        -> CreateSettlement.OpenCreate
    {
        .init(index, listing, highWater: highWater)
    }

    private static func product(
        _ id: Int64,
        vendor: Int64? = 29,
        price: ExactDecimal = 100,
        stock: Int64 = 5,
        images: Int = 1
    ) -> LiveProduct {
        Lamp.product(MarketID(id)) { product in
            (product.vendorID, product.price, product.stock) = (vendor, price, stock)
            product.images = (0..<images).map {
                LiveProduct.Image(id: MarketID(id * 10 + Int64($0)), url: "https://market.example/\(id)-\($0)")
            }
        }
    }

    private static func settlement(
        _ creates: [CreateSettlement.OpenCreate],
        _ snapshot: StateSnapshot = ours,
        identity: VendorIdentity? = nil,
        keys: [String] = []
    ) -> CreateSettlement {
        CreateSettlement(
            creates: creates,
            snapshot: snapshot,
            identity: identity,
            keys: ManagedKeys(keys, MarketProfile.v2b.capabilities),
            on: MarketProfile.v2b.capabilities
        )
    }

    private static func pairs(_ settlement: CreateSettlement, _ products: [LiveProduct]) -> [Int: Int64] {
        Dictionary(settlement.matches(products).map { ($0.create.index, $0.product.id.whole) }) { $1 }
    }

    private static let ours = StateSnapshot(vendorID: 29)

    @Test func `twins are matched by count, the oldest first`() {
        let settlement = Self.settlement([Self.open(0), Self.open(1), Self.open(2)], Self.ours)
        #expect(Self.pairs(settlement, [Self.product(103), Self.product(102)]) == [0: 102, 1: 103])
    }

    @Test func `of fewer products than creates, each goes to the create that it differs least from`() {
        let older = Listing.with(key: "lamp-1", name: "Desk lamp", price: 100, pictures: [1, 2, 3])
        let newer = Listing.with(key: "lamp-2", name: "Desk lamp", price: 100, pictures: [1])
        let creates = [Self.open(0, older), Self.open(1, newer)]
        let settlement = Self.settlement(creates, Self.ours)
        var product = Self.product(102)
        product.description = "Warm light"
        #expect(settlement.likeliest(creates[0], among: [product]) == nil)
        #expect(settlement.likeliest(creates[1], among: [product]) == product)
        product.images = []
        // Alike to both: the oldest goes first.
        #expect(settlement.likeliest(creates[0], among: [product]) == product)
        #expect(settlement.likeliest(creates[1], among: [product]) == nil)
    }

    @Test func `a product under a cut name fits where nothing has the whole name`() {
        let settlement = Self.settlement([Self.open(0)], Self.ours)
        var cut = Self.product(102)
        cut.name = "Desk l"
        cut.description = "Warm li"
        #expect(settlement.shortlist([cut]) == [cut])
        #expect(Self.pairs(settlement, [cut]) == [0: 102])
        #expect(Self.pairs(settlement, [cut, Self.product(103)]) == [0: 103])
        var dearer = cut
        dearer.price = 101
        #expect(Self.pairs(settlement, [dearer]) == [:])
    }

    /// What markets make of names; the last are of none that the tool knows.
    private static let rewritten = [
        ("Salt & pepper", "Salt &amp; pepper"), ("Salt & pepper", "Salt &#38;amp; pepper"),
        ("A <b>bold</b> cup", "A bold cup"), ("A <b>bold</b> cup", "A &lt;b&gt;bold&lt;/b&gt; cup"),
        ("Cup  and\u{A0}saucer ", "Cup and saucer"), ("Cook's knife", "Cook\u{2019}s knife"),
        ("desk lamp", "Desk Lamp"), ("desk lamp", "DESK LAMP"), ("Lamp \u{1F680} two", "Lamp two"),
        ("A-frame - oak", "A\u{2013}frame \u{2014} oak"), ("Cafe\u{301} cup", "Caf\u{E9} cup"),
        ("A very long name", "A very lo"), ("A very long name", "A VERY LO..."), ("\u{1F680}", "?"),
        ("Damn good lamp", "**** good lamp"), ("Caf\u{E9}", "Cafe"), ("Desk lamp", "New: Desk lamp | Our market"),
        ("Desk lamp", "Schreibtischlampe"), ("Desk lamp", ""),
    ]

    @Test(arguments: rewritten)
    func `whatever a market or a person makes of a name, a new product as it was sent is the create's`(
        sent: String,
        shown: String
    ) {
        var listing = Self.lamp
        listing.values.name = sent
        let settlement = Self.settlement([Self.open(0, listing)])
        var product = Self.product(102)
        product.name = shown
        var row = product
        (row.description, row.images) = (nil, nil)
        #expect(settlement.shortlist([row]) == [row])
        #expect(Self.pairs(settlement, [product]) == [0: 102])
        // Of two, a person says which; the one with the name goes first.
        var other = Self.product(103)
        other.name = "Something else"
        #expect(Self.pairs(settlement, [other, Self.named(sent, 104)]) == [0: 104])
        var third = other
        third.id = 105
        #expect(Self.pairs(settlement, [other, third]) == [:])
        #expect(settlement.mayBe(other, of: Self.open(0, listing)))
    }

    private static func named(_ name: String, _ id: Int64) -> LiveProduct {
        var product = product(id)
        product.name = name
        return product
    }

    @Test func `where texts decide nothing, pictures and the other fields do`() {
        var settlement = Self.settlement([Self.open(0)])
        var product = Self.named("Something else", 102)
        product.description = "Of another kind."
        // It may be a listing that was renamed and described anew.
        #expect(settlement.likeness(of: product, to: Self.open(0)) == .possible)
        settlement.pictureDigests["https://market.example/102-0"] = .picture(1)
        #expect(settlement.likeness(of: product, to: Self.open(0)) == .rewritten)
        settlement.pictureDigests["https://market.example/102-0"] = .picture(2)
        #expect(settlement.likeness(of: product, to: Self.open(0)) == nil)
        for price in [100, 99] as [ExactDecimal] {
            var dear = Self.product(102, price: price)
            dear.name = "Something else"
            dear.description = "Of another kind."
            #expect(
                Self.settlement([Self.open(0)]).likeness(of: dear, to: Self.open(0)) == (price == 99 ? nil : .possible)
            )
        }
    }

    @Test func `an id that was known is the create's where it shows what was sent`() {
        #expect(Self.pairs(Self.settlement([Self.open(0)]), [Self.product(100)]) == [0: 100])
        // What has another name only may be it, and what differs is not.
        let renamed = Self.named("Something else", 100)
        #expect(Self.settlement([Self.open(0)]).likeness(of: renamed, to: Self.open(0)) == .possible)
        let dear = Self.product(100, price: 99)
        #expect(Self.settlement([Self.open(0)]).likeness(of: dear, to: Self.open(0)) == nil)
        // Something newer goes first, and may come until the last look.
        #expect(Self.pairs(Self.settlement([Self.open(0)]), [Self.product(100), Self.product(101)]) == [0: 101])
        var first = Self.settlement([Self.open(0)])
        first.isLast = false
        #expect(first.likeness(of: Self.product(100), to: Self.open(0)) == nil)
    }

    @Test func `an id of another key is the create's where the market gave it out again`() {
        for (name, isReused) in [("Round fan", true), ("desk  lamp", false)] {
            var snapshot = Self.ours
            snapshot.entries["other"] = StateEntry(key: "other", id: 100, applied: ProductValues(name: name))
            let settlement = Self.settlement([Self.open(0)], snapshot)
            #expect(Self.pairs(settlement, [Self.product(100)]) == (isReused ? [0: 100] : [:]))
            var replace = Self.open(0)
            (replace.key, replace.replaced) = (nil, 100)
            #expect(Self.pairs(Self.settlement([replace], snapshot), [Self.product(100)]) == [:])
        }
    }

    @Test func `a product that carries another key of ours is not the create's, however alike the keys are`() {
        var create = Self.open(0)
        create.carried = "lamp"
        var product = Self.product(102)
        product.key = "lamp-2"
        #expect(Self.pairs(Self.settlement([create], keys: ["lamp"]), [product]) == [0: 102])
        #expect(Self.pairs(Self.settlement([create], keys: ["lamp", "lamp-2"]), [product]) == [:])
    }

    @Test func `a twin whose request left later takes what is newer first`() {
        let creates = [Self.open(0, highWater: 105), Self.open(1, highWater: 100)]
        var settlement = Self.settlement(creates, Self.ours)
        #expect(Self.pairs(settlement, [Self.product(103), Self.product(110)]) == [1: 103, 0: 110])
        #expect(Self.pairs(settlement, [Self.product(103), Self.product(104)]) == [1: 103])
        // A market may give a deleted id out again.
        settlement.close(creates[1], with: 103)
        #expect(Self.pairs(settlement, [Self.product(103), Self.product(104)]) == [0: 104])
    }

    @Test(arguments: [
        product(102, vendor: 77), product(102, price: 99), product(102, images: 2),
        product(102, stock: 6), product(101),
    ])
    func `what is of others, different or managed already is not it`(product: LiveProduct) {
        var snapshot = Self.ours
        snapshot.entries["other"] = StateEntry(key: "other", id: 101, applied: ProductValues())
        var identity = VendorIdentity()
        identity.confirm(29, by: .reply)
        let settlement = Self.settlement([Self.open(0)], snapshot, identity: identity)
        #expect(Self.pairs(settlement, [product]).isEmpty)
        // What has the name may have been changed since, so it is worth a look.
        let isNamesake = product.id == 102 && product.vendorID == 29
        #expect(settlement.shortlist([product]).isEmpty != isNamesake)
    }

    @Test func `a product of which units were sold comes second`() {
        let settlement = Self.settlement([Self.open(0)], Self.ours)
        #expect(Self.pairs(settlement, [Self.product(102, stock: 4)]) == [0: 102])
        #expect(Self.pairs(settlement, [Self.product(102, stock: 4), Self.product(103)]) == [0: 103])
    }

    @Test(arguments: Spellings.all)
    func `a name that the market returned in other bytes is the create's, and one in its own bytes comes first`(
        spellings: Spellings
    ) {
        var (first, second) = (Self.lamp, Self.lamp)
        (first.values.name, second.values.name) = (spellings.composed, spellings.decomposed)
        var (composed, decomposed) = (Self.product(102), Self.product(103))
        (composed.name, decomposed.name) = (spellings.composed, spellings.decomposed)
        let alone = Self.settlement([Self.open(0, first)], Self.ours)
        #expect(alone.shortlist([decomposed]) == [decomposed])
        #expect(Self.pairs(alone, [decomposed]) == [0: 103])
        #expect(Self.pairs(alone, [composed, decomposed]) == [0: 102])
        let both = Self.settlement([Self.open(0, second), Self.open(1, first)], Self.ours)
        #expect(Self.pairs(both, [composed, decomposed]) == [0: 103, 1: 102])
    }

    @Test func `pictures distinguish twins where their bytes can be read`() {
        var other = Self.lamp
        other.values.images = [.digest(.picture(2))]
        var settlement = Self.settlement([Self.open(0), Self.open(1, other)], Self.ours)
        let products = [Self.product(102), Self.product(103)]
        #expect(settlement.matches(products).map(\.picturesAreCertain) == [false, false])

        settlement.pictureDigests = [
            "https://market.example/102-0": .picture(2), "https://market.example/103-0": .picture(1),
        ]
        #expect(Self.pairs(settlement, products) == [0: 103, 1: 102])
        #expect(settlement.matches(products).map(\.picturesAreCertain) == [true, true])
    }

    @Test func `a product may have the pictures of a namesake that was made meanwhile`() {
        var other = Self.lamp.values
        other.images = [.digest(.picture(2))]
        for (id, isCertain) in [(99, true), (105, false)] as [(MarketID, Bool)] {
            let twin = StateEntry(key: "twin", id: id, applied: other)
            let settlement = Self.settlement([Self.open(0)], StateSnapshot(entries: ["twin": twin]))
            #expect(settlement.matches([Self.product(102)]).map(\.picturesAreCertain) == [isCertain])
        }
    }

    @Test func `a product without a named owner needs a proof`() {
        var identity = VendorIdentity()
        identity.confirm(29, by: .reply)
        let known = Self.settlement([Self.open(0)], Self.ours, identity: identity)
        #expect(known.ownership(of: Self.product(102)) == .ours)
        #expect(known.ownership(of: Self.product(102, vendor: nil)) == .unknown)
        for snapshot in [StateSnapshot(), Self.ours] {
            let unknown = Self.settlement([Self.open(0)], snapshot)
            #expect(unknown.ownership(of: Self.product(102)) == .unknown)
        }
    }

    @Test func `a number that only the state remembers makes no product another's`() {
        // The market was set up again: what we made has another number, and its reply was lost.
        var snapshot = Self.ours
        snapshot.entries["other"] = StateEntry(key: "other", id: 7, vendorID: 29, applied: ProductValues())
        let settlement = Self.settlement([Self.open(0)], snapshot)
        #expect(Self.pairs(settlement, [Self.product(102, vendor: 31)]) == [0: 102])
        #expect(settlement.ownership(of: Self.product(102, vendor: 31)) == .unknown)
    }

    @Test func `closed creates and excluded products are out`() {
        var settlement = Self.settlement([Self.open(0), Self.open(1)], Self.ours)
        settlement.close(Self.open(0), with: 102)
        settlement.exclude(103, for: Self.open(1))
        #expect(Self.pairs(settlement, [Self.product(102), Self.product(103), Self.product(104)]) == [1: 104])
    }
}

struct WriteComparisonTests {
    @Test func `a sale at the full price is not a sale, and what does not show is tolerated`() {
        let sent = ProductValues(name: "Desk lamp", description: "Warm light", price: 100, sale: .price(100), stock: 5)
        let shown = LiveProduct(id: 1, name: "Desk lamp", price: 100, sale: Sale.fullPrice)
        #expect(WriteComparison.differences(sent: sent, fields: Set(ProductField.allCases), shown: shown).isEmpty)
    }

    @Test(arguments: Spellings.all)
    func `a text in other bytes differs, and the difference says why it does not show`(spellings: Spellings) {
        let differences = WriteComparison.differences(
            sent: ProductValues(name: spellings.composed, description: spellings.decomposed),
            fields: [.name, .description],
            shown: LiveProduct(id: 1, name: spellings.decomposed, description: spellings.decomposed)
        )
        #expect(
            differences.map(\.description) == [
                "name: sent “\(spellings.composed)”, the market shows the same characters in other bytes"
            ]
        )
    }

    @Test func `every field that differs is named with both values`() {
        let sent = ProductValues(
            name: "Desk lamp",
            price: 100,
            currency: .krw,
            sale: .price(90),
            stock: 5,
            images: [.digest(.picture(1)), .digest(.picture(2))]
        )
        let shown = LiveProduct(
            id: 1,
            name: "Lamp",
            price: 10,
            currency: .usd,
            sale: Sale.fullPrice,
            stock: 0,
            images: [LiveProduct.Image(url: "u")]
        )
        #expect(
            WriteComparison.differences(sent: sent, fields: Set(ProductField.allCases), shown: shown).map(\.description)
                == [
                    "name: sent “Desk lamp”, the market shows “Lamp”",
                    "price: sent 100, the market shows 10",
                    "currency: sent “KRW”, the market shows “USD”",
                    "sale_price: sent 90, the market shows no sale",
                    "stock: sent 5, the market shows 0",
                    "images: sent 2 pictures, the market shows 1 picture",
                ]
        )
    }

    @Test(arguments: ProductField.allCases)
    func `a field that the reply has to show differs from what was sent when it is null`(field: ProductField) {
        let sent = ProductValues(
            name: "Desk lamp",
            description: "Warm light, two arms.",
            price: 100,
            currency: .krw,
            sale: .price(90),
            stock: 5,
            images: [.digest(.picture(1)), .digest(.picture(2))],
            thumbnail: .digest(.picture(2))
        )
        let words: [ProductField: String] = [
            .name: "“Desk lamp”", .description: "“Warm light, two arms.”", .price: "100", .currency: "“KRW”",
            .salePrice: "90", .stock: "5", .images: "2 pictures", .thumbnail: "a choice",
        ]
        let shown = LiveProduct(id: 1, blank: [field])
        var unset = LiveProduct(id: 1)
        unset.unset = [field]
        for shown in [shown, unset] {
            #expect(
                WriteComparison.differences(sent: sent, fields: Set(ProductField.allCases), shown: shown)
                    .map(\.description) == ["\(field.rawValue): sent \(words[field] ?? ""), the market shows no value"]
            )
        }
        #expect(WriteComparison.differences(sent: ProductValues(), fields: [field], shown: shown) == [])
    }

    @Test func `a difference behind the beginning is shown where it is`() {
        func clause(_ sent: String, _ shown: String) -> [String] {
            WriteComparison.differences(
                sent: ProductValues(description: sent),
                fields: [.description],
                shown: LiveProduct(id: 1, description: shown)
            )
            .map(\.description)
        }
        let start = "A lamp with two arms and a warm light, made of brass and"
        #expect(
            clause(start + " glass.", start + " steel, by hand, in Incheon, in the year 1962.") == [
                "description: sent “…f brass and glass.”, "
                    + "the market shows “…f brass and steel, by hand, in Incheon, …”"
            ]
        )
        #expect(
            clause(start + " glass.", String(start.prefix(40))) == [
                "description: sent “…arm light, made of brass and glass.”, the market shows “…arm light, m”"
            ]
        )
    }

    @Test func `a price below zero for buyers is an error whoever asked for it`() {
        let shown = LiveProduct(id: 1, price: 2000, sale: .price(-1000))
        #expect(
            WriteComparison.differences(sent: ProductValues(price: 2000), fields: [.price, .salePrice], shown: shown)
                .map(\.description) == ["sale_price: sent none, the market shows -1000"]
        )
    }
}
