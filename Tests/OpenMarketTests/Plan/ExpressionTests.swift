@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// What a market cannot be asked for is refused with the market's name, and never left out of a request.
struct ExpressionTests {
    private static func shop(_ change: (inout DescribedShop) -> Void = { _ in }) throws -> PlanFixture {
        var market = DescribedShop()
        change(&market)
        return PlanFixture(try market.profile())
    }

    /// The messages of what forbids a plan.
    private static func faults(_ plan: Plan) -> [String] {
        plan.refusals.map(\.message) + plan.diagnostics.filter { $0.severity == .error }.map(\.message)
    }

    // MARK: Operations

    @Test func `a market that does all of it refuses nothing`() throws {
        var shop = try Self.shop()
        shop.wants("new") { $0.values.name = "New" }
        shop.has("lamp", 7)
        shop.input.manifest.listings[1].values.price = 90
        shop.input.manifest.listings[1].values.images = pictures(2)
        shop.manages("old", 8)
        let plan = shop.plan()
        #expect(plan.isSound && plan.operations.map(\.action) == [.create, .update, .delete])
    }

    @Test(arguments: ["create", "update", "delete"])
    func `what the market has no request for is not planned`(missing: String) throws {
        var shop = try Self.shop { $0.operations[missing] = nil }
        shop.wants("new") { $0.values.name = "New" }
        shop.has("lamp", 7)
        shop.input.manifest.listings[1].values.price = 90
        shop.manages("old", 8)
        let plan = shop.plan()
        let key = ["create": "new", "update": "lamp", "delete": "old"][missing] ?? ""
        let done = ["create": "created", "update": "changed", "delete": "deleted"][missing] ?? ""
        #expect(
            Self.faults(plan) == [
                "'\(key)' would be \(done), which cannot be done on tickets: 'operations.\(missing)' is not described"
            ]
        )
        #expect(plan.refusals.map(\.override) == [nil])
        #expect(plan.operations.map(\.action.rawValue) == ["create", "update", "delete"].filter { $0 != missing })
    }

    @Test func `many of a kind are one refusal`() throws {
        var shop = try Self.shop { $0.operations["create"] = nil }
        for number in 1...5 { shop.wants("new-\(number)") { $0.values.name = "New \(number)" } }
        #expect(
            Self.faults(shop.plan()) == [
                "'new-1', 'new-2' and 3 others would be created, which cannot be done on tickets: 'operations.create' is not described"
            ]
        )
    }

    @Test func `a replace takes a create and a delete`() throws {
        var shop = try Self.shop {
            $0.operations["delete"] = nil
            $0.pictures = $0.pictures?.replacing("in_place", with: "replace")
        }
        shop.has("lamp", 7)
        shop.input.manifest.listings[0].values.images = pictures(2)
        #expect(
            Self.faults(shop.plan()) == [
                "'lamp' would be replaced, which cannot be done on tickets: 'operations.delete' is not described"
            ]
        )
    }

    // MARK: Fields

    /// A product that all three sides agree on, on a market that differs from the usual one in something.
    private static func shop(
        _ change: (inout DescribedShop) -> Void,
        wants: (inout Listing) -> Void,
        shows: (inout LiveProduct) -> Void = { _ in }
    ) throws -> PlanFixture {
        var shop = try shop(change)
        shop.has("lamp", 7)
        wants(&shop.input.manifest.listings[0])
        shop.shows(7, shows)
        return shop
    }

    @Test(arguments: ["name", "description", "price", "currency", "sale", "stock"])
    func `a field that no change can say is not changed`(field: String) throws {
        var market = DescribedShop()
        market.fields[field] = market.fields[field]?.replacing("}", with: ", for: [create]}")
        var shop = PlanFixture(try market.profile())
        shop.has("lamp", 7)
        let wanted = ProductField(rawValue: field) ?? .salePrice
        let other = ProductValues(
            name: "Other",
            description: "Another text.",
            price: 200,
            currency: .krw,
            sale: .price(50),
            stock: 3
        )
        shop.input.manifest.listings[0].values[wanted] = other[wanted]
        #expect(
            Self.faults(shop.plan()) == [
                "'lamp' needs another '\(wanted.rawValue)', which cannot be changed on a product of tickets"
            ]
        )
        #expect(shop.plan().operations.isEmpty)
    }

    @Test(arguments: ["description", "sale", "stock"])
    func `a field that no create can say keeps a product from being made`(field: String) throws {
        var market = DescribedShop()
        market.fields[field] = market.fields[field]?.replacing("}", with: ", for: [update]}")
        var shop = PlanFixture(try market.profile())
        shop.wants("lamp") { $0.values.sale = .price(50) }
        let name = field == "sale" ? "sale_price" : field
        #expect(
            Self.faults(shop.plan()) == [
                "'lamp' has '\(name)', which cannot be set when a product of tickets is created"
            ]
        )
        // That there is no sale is said by saying nothing.
        shop.input.manifest.listings[0].values[
            name == "sale_price" ? .salePrice : ProductField(rawValue: name) ?? .name
        ] =
            field == "sale" ? .sale(.fullPrice) : nil
        #expect(shop.plan().isSound)
    }

    @Test func `a sale that nothing ends is not ended`() throws {
        let shop = try Self.shop {
            $0.fields["sale"] = "{at: /sale, as: decimal_text, means: sale_price}"
        } wants: {
            $0.values.sale = .fullPrice
        } shows: {
            $0.sale = .price(50)
        }
        #expect(Self.faults(shop.plan()) == ["the sale of 'lamp' is to end, which tickets does not support"])
    }

    @Test func `pictures that nothing takes away stay`() throws {
        let shop = try Self.shop {
            $0.pictures = $0.pictures?.replacing("bytes: kept", with: "bytes: kept, clear: never")
        } wants: {
            $0.values.images = []
            $0.pictures = []
        }
        #expect(
            Self.faults(shop.plan()) == [
                "'images' of 'lamp' is to be emptied, which tickets does not support"
            ]
        )
    }

    @Test func `pictures have places`() throws {
        var shop = try Self.shop {
            $0.pictures = "{style: base64, write: {at: /p, one: true}, read: {at: /p, one: true}, change: in_place}"
        }
        shop.wants("lamp") { $0.values.images = pictures(1, 2) }
        #expect(Self.faults(shop.plan()) == ["'lamp' has 2 pictures, and tickets has a place for one"])
    }

    @Test func `a picture that the market fetches has an address`() throws {
        var shop = try Self.shop {
            $0.pictures = "{style: url, write: {at: /p, new: /src}, read: {at: /p}, change: in_place}"
        }
        shop.wants("lamp")
        #expect(
            Self.faults(shop.plan()) == [
                "tickets fetches pictures itself, and the address of 'p1.png' of 'lamp' is not configured"
            ]
        )
        shop.input.manifest.listings[0].pictures[0].address = "https://cdn/p1.png"
        #expect(shop.plan().isSound)
    }

    @Test func `all prices are in the currency of the market`() throws {
        var shop = try Self.shop {
            $0.parameters = ["currency": "EUR"]
            $0.fields["currency"] = "{fixed: \"{currency}\"}"
        }
        shop.wants("lamp")
        #expect(Self.faults(shop.plan()) == ["'lamp' is in USD, and all prices of tickets are in EUR"])
        shop.input.manifest.listings[0].values.currency = Currency(rawValue: "EUR")
        #expect(shop.plan().isSound)
        shop.input.manifest.listings[0].values.currency = nil
        #expect(shop.plan().isSound)
    }

    @Test func `a product of another kind is left alone`() throws {
        var shop = try Self.shop()
        shop.has("lamp", 7) { $0.values.price = 90 }
        shop.manages("old", 8)
        for id in [MarketID(7), MarketID(8)] { shop.input.live.products[id]?.isManageable = false }
        shop.wants("desk") { $0.values.name = "Desk" }
        let plan = shop.plan()
        #expect(
            plan.diagnostics.map { "\($0.severity): \($0.message)" } == [
                "warning: 'lamp' (product 7) is left alone: it is of a kind that is read-only in the description of tickets",
                "warning: 'old' (product 8) is left alone: it is of a kind that is read-only in the description of tickets",
            ]
        )
        #expect(plan.isSound && plan.operations.map(\.key) == ["desk"])
    }

    @Test func `whatever means a product of another kind, it alone is left alone, by name`() throws {
        let meanings: [(name: String, make: (inout PlanFixture) -> Void)] = [
            ("managed", { $0.has("lamp", 7) }),
            ("changed", { $0.has("lamp", 7) { $0.values.price = 90 } }),
            (
                "renamed",
                {
                    $0.knows("shade", 7)
                    $0.wants("lamp") { $0.previously = ["shade"] }
                }
            ),
            ("dropped", { $0.knows("lamp", 7) }),
            ("to be deleted", { $0.has("lamp", 7) { $0.isAbsent = true } }),
            (
                "recreated",
                {
                    $0.has("lamp", 7)
                    $0.options.replaced = KeyPatterns(["lamp"])
                }
            ),
            ("pinned", { $0.wants("lamp") { $0.pinnedID = 7 } }),
            (
                "pinned to be deleted",
                {
                    $0.options.adopts = true
                    $0.wants("lamp") {
                        $0.pinnedID = 7
                        $0.isAbsent = true
                    }
                }
            ),
            ("carrying the key", { $0.wants("lamp") }),
        ]
        for (name, make) in meanings {
            var shop = try Self.shop {
                $0.identity += "\n  key: {at: /key, unique: racy, find: {query: {key: \"{key}\"}}}"
            }
            shop.input.sendsKeys = true
            make(&shop)
            shop.wants("desk") { $0.values.name = "Desk" }
            shop.shows(7) { ($0.key, $0.isManageable) = ("lamp", false) }
            let plan = shop.plan()
            let sending = plan.operations.filter { !$0.action.sendsNothing }.map(\.key)
            #expect(plan.isSound && sending == ["desk"], "\(name): \(plan.diagnostics)")
            let left = plan.diagnostics.filter { $0.message.hasPrefix("'lamp' (product 7) is left alone: ") }
            #expect(left.map(\.severity) == [.warning], "\(name): \(plan.diagnostics)")
            let obstacles = shop.input.drift(capabilities: shop.profile.capabilities).obstacles.map(\.obstacle)
            if ["managed", "changed", "renamed", "recreated", "pinned"].contains(name) {
                #expect(obstacles.first == .otherKind, "\(name)")
            }
        }
    }

    // MARK: Money in smallest units

    private static func inSmallestUnits(_ market: inout DescribedShop) {
        for field in ["price", "sale"] {
            market.fields[field] = market.fields[field]?.replacing("decimal_text", with: "minor_units")
        }
    }

    @Test func `smallest units are those of a currency`() throws {
        var shop = try Self.shop(Self.inSmallestUnits)
        shop.wants("lamp") { $0.values.currency = nil }
        #expect(Self.faults(shop.plan()) == ["'lamp' has to be created, but the manifest lacks: currency"])
        shop = try Self.shop(Self.inSmallestUnits) {
            $0.values.price = 90
            $0.values.currency = nil
        } shows: {
            $0.currency = nil
        }
        #expect(
            Self.faults(shop.plan()) == [
                "'lamp' has a price and no currency, and tickets counts in the smallest units of one"
            ]
        )
        shop.input.live.products[MarketID(7)]?.currency = .usd
        #expect(shop.plan().isSound)
        shop.input.live.products[MarketID(7)]?.currency = Currency(rawValue: "JPY")
        shop.input.manifest.listings[0].values.price = ExactDecimal("90.5")
        #expect(
            Self.faults(shop.plan()) == [
                "the price 90.5 of 'lamp' has 1 digit after the point, and tickets counts in the smallest units of JPY, which has 0"
            ]
        )
    }

    @Test func `another currency is said with the price`() throws {
        func shop(_ shows: (inout LiveProduct) -> Void) throws -> PlanFixture {
            try Self.shop(
                Self.inSmallestUnits,
                wants: {
                    $0.values.currency = .krw
                    $0.values.price = nil
                },
                shows: shows
            )
        }
        #expect(
            Self.faults(try shop { _ in }.plan()) == [
                "the currency of 'lamp' changes from USD to KRW, and its price of 100 on the market would stay"
            ]
        )
        let open = try shop { $0.price = nil }
        #expect(
            Self.faults(open.plan()) == [
                "'currency' of 'lamp' cannot be changed: tickets takes it together with 'price', which it does not show"
            ]
        )
    }

    // MARK: Sales that move the price

    private static func comparesPrices(_ market: inout DescribedShop) {
        market.fields["sale"] = "{at: /was, as: decimal_text, means: compare_at, none: null}"
    }

    @Test func `price and sale are known where one moves`() throws {
        let moves = try Self.shop(Self.comparesPrices) {
            $0.values.price = 90
        } shows: {
            $0.sale = .price(50)
        }
        #expect(moves.plan().isSound && moves.plan().operations.count == 1)
        let unseen = try Self.shop(Self.comparesPrices) {
            $0.values.price = 90
        } shows: {
            $0.sale = nil
        }
        #expect(
            Self.faults(unseen.plan()) == [
                "'price' of 'lamp' cannot be changed: tickets takes it together with 'sale_price', which it does not show"
            ]
        )
    }

    // MARK: Keys and creates

    private static func replaces(_ uniqueness: String) -> (inout DescribedShop) -> Void {
        {
            $0.pictures = $0.pictures?.replacing("in_place", with: "replace")
            $0.identity += "\n  key: {at: /sku, unique: \(uniqueness), find: {query: {sku: \"{key}\"}}}"
        }
    }

    @Test(arguments: [
        ("enforced", true, true), ("racy", true, true), ("unenforced", true, false), ("enforced", false, false),
    ])
    func `a successor is not made while the old product has the key`(
        uniqueness: String,
        sendsKeys: Bool,
        isRefused: Bool
    ) throws {
        var shop = try Self.shop(Self.replaces(uniqueness)) {
            $0.values.images = pictures(2)
            $0.pictures = []
        }
        shop.input.sendsKeys = sendsKeys
        let message =
            "the pictures of 'lamp' change, which takes a new product on tickets, and it refuses a second one with the same key"
        #expect(Self.faults(shop.plan()) == (isRefused ? [message] : []))
        #expect(shop.plan().operations.map(\.action) == (isRefused ? [] : [.replace]))
        #expect(shop.plan().refusals.map(\.override) == (isRefused ? [.replacement(of: "lamp")] : []))
        // Asked for, the old one goes first, and only where it has to.
        shop.options.replaced = KeyPatterns(["l*"])
        #expect(Self.faults(shop.plan()) == [])
        #expect(shop.plan().operations.map(\.replacement?.deletesFirst) == [isRefused])
    }

    private static func attaches(_ change: String) -> (inout DescribedShop) -> Void {
        {
            $0.pictures =
                "{style: attach, attach: {path: \"/items/{id}/pictures\", body: raw}, "
                + "read: {at: /images, id: /id, url: /url}, change: \(change), bytes: kept}"
            $0.operations["create"] = "{method: POST, path: /items, body: json}"
            $0.operations["update"] = "{method: PATCH, path: \"/items/{id}\", body: json}"
            $0.identity += "\n  key: {at: /sku, unique: enforced, find: {query: {sku: \"{key}\"}}}"
            if change == "in_place" { $0.limits = "{images: {count: [0, 1]}}" }
        }
    }

    @Test func `a product that lacks attached pictures gets them, and another one only for what it is not to have`()
        throws
    {
        var shop = try Self.shop(Self.attaches("replace")) { $0.values.images = pictures(1, 2) }
        shop.input.sendsKeys = true
        #expect(shop.plan().isSound && shop.plan().operations.map(\.action) == [.update])
        shop.input.manifest.listings[0].values.images = pictures(2)
        #expect(shop.plan().operations.isEmpty)
        #expect(shop.plan().refusals.map(\.override) == [.replacement(of: "lamp")])
        shop.options.replaced = KeyPatterns(["lamp"])
        #expect(shop.plan().isSound && shop.plan().operations.map(\.replacement?.deletesFirst) == [true])
    }

    @Test func `a picture that was attached is not taken away, unless the product is replaced`() throws {
        var shop = try Self.shop(Self.attaches("in_place")) { $0.values.images = pictures(2) }
        let message = "'lamp' has unwanted pictures on tickets, which cannot remove pictures"
        #expect(Self.faults(shop.plan()) == [message])
        #expect(shop.plan().refusals.map(\.override) == [.replacement(of: "lamp")])
        shop.options.replaced = KeyPatterns(["lamp"])
        #expect(shop.plan().isSound && shop.plan().operations.map(\.action) == [.replace])
    }

    @Test func `nothing is made where nothing shows what became of it, unless that is accepted`() throws {
        var shop = try Self.shop { $0.identity = "id: {at: /id, as: text}" }
        shop.wants("lamp")
        let message =
            "'lamp' would be created, and a create whose reply is lost cannot be settled on tickets: a product could be created twice"
        #expect(Self.faults(shop.plan()) == [message])
        #expect(shop.plan().refusals.map(\.override) == [.unsettledCreates(canSendKeys: false)])
        shop.options.policies.allowsUnsettledCreates = true
        #expect(shop.plan().isSound)
    }

    @Test(arguments: [false, true])
    func `a key settles a create only where it is sent`(sendsKeys: Bool) throws {
        var shop = try Self.shop {
            $0.identity = "id: {at: /id, as: text}\n  key: {at: /sku, unique: racy, find: {query: {sku: \"{key}\"}}}"
        }
        shop.wants("lamp")
        shop.input.sendsKeys = sendsKeys
        #expect(shop.plan().isSound == sendsKeys)
        #expect(shop.plan().refusals.map(\.override) == (sendsKeys ? [] : [.unsettledCreates(canSendKeys: true)]))
    }

    @Test(arguments: [
        "repeat: {header: X-Key, hours: 24, replays: errors, for: [create]}", "order: rising",
    ])
    func `a repeat key settles a create, and so do rising ids`(line: String) throws {
        var shop = try Self.shop {
            $0.identity =
                line.hasPrefix("order") ? "id: {at: /id, as: integer, \(line)}" : "id: {at: /id, as: text}\n  \(line)"
        }
        shop.wants("lamp")
        #expect(shop.plan().isSound)
    }
}
