@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// Products that are made again because a person asks for it.
struct ReplacingTests {
    private static func shop(_ patterns: String...) -> PlanFixture {
        var shop = PlanFixture()
        for (index, key) in ["chair", "lamp-1", "lamp-2"].enumerated() { shop.has(key, Int64(index + 1)) }
        shop.options.replaced = KeyPatterns(patterns)
        return shop
    }

    @Test func `what is asked for is replaced although nothing differs`() throws {
        let plan = Self.shop("lamp-*").plan()
        #expect(plan.operations.map(\.key) == ["lamp-1", "lamp-2"])
        #expect(plan.operations.map(\.action) == [.replace, .replace])
        #expect(plan.operations.map(\.reason) == ["asked for", "asked for"])
        #expect(plan.isSound && plan.unchanged == 1)
        let replacement = try #require(plan.operations.first?.replacement)
        #expect(replacement.changes.isEmpty && !replacement.deletesFirst)
        #expect(replacement.product.values.images == pictures(1) && replacement.product.pictures.count == 1)
    }

    @Test func `what differs goes along, and what is not managed moves over`() throws {
        var shop = Self.shop("chair")
        shop.input.manifest.listings[0].values.price = 120
        shop.input.manifest.listings[0].values.stock = nil
        shop.shows(1) { $0.stock = 3 }
        let replacement = try #require(shop.plan().operations.first?.replacement)
        #expect(replacement.changes.map(\.field) == [.price])
        #expect(replacement.product.values.price == 120 && replacement.product.values.stock == 3)
        #expect(replacement.carriedOver.contains(.stock))
    }

    /// The delete of the old one would be sent with a password that is not its own, at every later apply, too.
    @Test func `where nothing proves a password, one of another place does not take the place of a product`() {
        for proof in [nil, .changeOfNothing] as [MarketCapabilities.OwnershipProof?] {
            for (known, wanted) in [("S1", "S1"), ("S1", "S2")] {
                var shop = Self.passwords(known: known, wanted: wanted)
                shop.capabilities = shop.profile.capabilities
                shop.capabilities?.ownershipProof = proof
                let plan = shop.plan()
                let isReplaced = known == wanted || proof != nil
                #expect(plan.operations.map(\.action) == (isReplaced ? [.replace] : []))
                #expect(plan.diagnostics.map(\.code) == (isReplaced ? [] : [.secret]))
            }
        }
    }

    @Test func `where products have no passwords, theirs do not matter`() {
        let plan = Self.passwords(.v2b, known: "S1", wanted: "S2").plan()
        #expect(plan.operations.map(\.action) == [.replace])
        #expect(plan.diagnostics.isEmpty)
    }

    private static func passwords(
        _ profile: MarketProfile = .v1b,
        known: String,
        wanted: String
    ) -> PlanFixture {
        var shop = PlanFixture(profile)
        shop.has("lamp", 1)
        shop.options.replaced = KeyPatterns(["lamp"])
        shop.input.state.entries["lamp"]?.secret = .environment(known)
        shop.input.manifest.listings[0].secret = ResolvedSecret(reference: .environment(wanted), value: Secret("x"))
        return shop
    }

    @Test func `details are read of what is replaced`() {
        var shop = Self.shop("lamp-1")
        for id: Int64 in 1...3 { shop.shows(id) { $0.images = nil } }
        let needed = shop.input.detailsNeeded(
            mode: .changed,
            capabilities: shop.profile.capabilities,
            filter: KeyFilter(),
            replaced: shop.options.replaced
        )
        #expect(needed == [2])
    }

    @Test func `what is protected, or too many, is refused as for every replace`() {
        var shop = Self.shop("chair")
        shop.input.manifest.listings[0].isProtected = true
        shop.input.state.entries["chair"]?.isProtected = true
        #expect(shop.plan().refusals.map(\.override) == [.unprotect(isListed: true)])
        shop = Self.shop("*")
        shop.options.policies.maximumDelete = .count(2)
        #expect(shop.plan().refusals.map(\.override) == [.deletes(3)])
    }

    @Test func `targets come first, and what is new is made`() {
        var shop = Self.shop("*")
        shop.wants("desk") { $0.values.name = "Desk" }
        shop.options.filter = KeyFilter(targets: ["chair", "desk"])
        #expect(shop.plan().operations.map(\.action) == [.create, .replace])
        #expect(shop.plan().operations.map(\.key) == ["desk", "chair"])
    }

    @Test func `pictures that are not in the manifest refuse it`() {
        for isIgnored in [false, true] {
            var shop = Self.shop("chair")
            if isIgnored {
                shop.input.manifest.listings[0].ignoreChanges = [.images]
            } else {
                shop.input.manifest.listings[0].values.images = nil
            }
            let faults = shop.plan().diagnostics.map(\.message)
            #expect(shop.plan().operations.isEmpty && faults.count == 1)
            let lacks = "'chair' has to be created, but the manifest lacks: images"
            #expect(faults == [isIgnored ? "'chair' is to be replaced, and its pictures are on v2b only" : lacks])
        }
    }

    // MARK: Where the old product has to go first

    /// A market with a unique key and prices in one currency.
    private static func unique(_ change: (inout Listing) -> Void = { _ in }) throws -> PlanFixture {
        var market = DescribedShop()
        market.identity += "\n  key: {at: /sku, unique: enforced, find: {query: {sku: \"{key}\"}}}"
        market.fields["currency"] = "{fixed: USD}"
        var shop = PlanFixture(try market.profile())
        shop.input.sendsKeys = true
        shop.options.replaced = KeyPatterns(["lamp"])
        shop.has("lamp", 7)
        change(&shop.input.manifest.listings[0])
        return shop
    }

    @Test func `it is deleted first where all that the new one takes is in the manifest`() throws {
        let plan = try Self.unique().plan()
        #expect(plan.isSound)
        #expect(plan.operations.map(\.replacement?.deletesFirst) == [true])
        let reason = "asked for; the old product is deleted first, because the new one has its key"
        #expect(plan.operations.map(\.reason) == [reason])
        // Neither that there is no sale nor the market's only currency is anything that could be lost.
        let sparse = try Self.unique { ($0.values.currency, $0.values.sale) = (nil, nil) }.plan()
        #expect(sparse.isSound && sparse.operations.first?.replacement?.carriedOver == [.stock])
    }

    @Test(arguments: [ProductField.description, .stock])
    func `it is refused where a value is on the market only`(field: ProductField) throws {
        let message = "'lamp' is to be deleted and created again, and its '\(field.rawValue)' is on tickets only"
        for isIgnored in [false, true] {
            let shop = try Self.unique { listing in
                if isIgnored { listing.ignoreChanges = [field] } else { listing.values[field] = nil }
            }
            #expect(shop.plan().operations.isEmpty)
            #expect(shop.plan().diagnostics.map(\.message) == [message])
        }
    }

    @Test func `it is refused where a unit was sold, of which only the market knows`() throws {
        var shop = try Self.unique()
        shop.shows(7) { $0.stock = 9 }
        let message = "'lamp' is to be deleted and created again, and its 'stock' is on tickets only"
        #expect(shop.plan().operations.isEmpty && shop.plan().diagnostics.map(\.message).contains(message))
        shop.options.onDrift = .restore
        #expect(shop.plan().operations.map(\.replacement?.product.values.stock) == [10])
    }

    @Test func `the document of such a replace says that it begins with the delete`() throws {
        let operation = try #require(try Self.unique().plan().operations.first)
        #expect(try operation.readBack == operation)
        #expect(try operation.readBack.replacement?.deletesFirst == true)
    }
}
