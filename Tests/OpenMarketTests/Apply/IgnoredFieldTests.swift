@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// A plan is stale only by what it writes: what `ignore_changes` names makes none stale, whatever it does.
struct IgnoredFieldTests {
    private static let manifest = Lamp.listing.values

    /// Another value of a field, of two that go with any other.
    private static func value(_ field: ProductField, _ number: Int) -> FieldValue {
        switch field {
        case .name: .text(["Lamp of the market", "Lamp of today"][number])
        case .description: .text(["Words of the market.", "Words of today."][number])
        case .price: .number([110, 120][number])
        case .currency: .text(["USD", "KRW"][number])
        case .salePrice: .sale([.price(60), .price(50)][number])
        case .stock: .integer([8, 1][number])
        case .images: .images([.digest(.picture(3))])
        case .thumbnail: .image(.digest(.picture(2)))
        }
    }

    /// The product on the market, with some fields other than the manifest has them.
    private static func product(_ values: [ProductField: FieldValue]) -> LiveProduct {
        Lamp.product(55) { product in
            for (field, value) in values { product.values[field] = value }
        }
    }

    private static func operation(
        _ profile: MarketProfile,
        wants trigger: ProductField,
        ignores: Set<ProductField>,
        over live: LiveProduct
    ) throws -> PlannedOperation {
        var listing = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1, 2])
        listing.values = manifest
        switch trigger {
        case .name: listing.values.name = "Floor lamp"
        case .description: listing.values.description = "Cold light, one arm."
        case .price: listing.values.price = 90
        case .currency: listing.values.currency = .usd
        case .salePrice: listing.values.sale = .price(70)
        case .stock: listing.values.stock = 7
        case .images: listing.values.images = [.digest(.picture(4))]
        case .thumbnail: listing.values.thumbnail = .digest(.picture(2))
        }
        listing.pictures = (listing.values.images?.digests ?? []).map(pictureFile)
        listing.ignoreChanges = ignores
        var state = StateSnapshot(vendorID: 29)
        state.entries["lamp"] = Lamp.entry(55) { $0.applied = manifest }
        var catalog = LiveCatalog()
        catalog.products[55] = live
        let input = Planner.Input(
            manifest: Manifest([listing], profile),
            state: state,
            live: catalog
        )
        let plan = Planner.plan(input, capabilities: profile.capabilities, options: PlannerOptions())
        #expect(plan.operations.count == 1, "\(profile) \(trigger) \(ignores): \(plan.diagnostics)")
        return try #require(plan.operations.first)
    }

    private static let money: Set<ProductField> = [.price, .currency, .salePrice]

    private static func isStale(_ operation: PlannedOperation, profile: MarketProfile, by product: LiveProduct) -> Bool
    {
        var run = MachineTrace(
            operation.work,
            entry: Lamp.entry(55) { $0.applied = manifest },
            profile: profile,
            staleCheck: true
        )
        #expect(run(.start) == .readProduct(55))
        if case .record(.skipped, _) = run(.product(product)) { return true }
        return false
    }

    /// Whether the market had the manifest's value or another one when the plan was made.
    @Test(arguments: MarketProfile.builtIns, [false, true])
    func `makes no plan stale`(profile: MarketProfile, differsAtFirst: Bool) throws {
        var actions: Set<PlannedOperation.Action> = []
        let movable = ProductField.allCases.filter { $0 != .images && $0 != .thumbnail }
        let triggers = ProductField.allCases.filter { $0 != .thumbnail || profile.capabilities.thumbnailIsChosen }
        for trigger in triggers {
            // An amount that is left to the market keeps its currency.
            for moved in movable where moved != trigger && (trigger != .currency || !Self.money.contains(moved)) {
                let before = Self.product(differsAtFirst ? [moved: Self.value(moved, 0)] : [:])
                let now = Self.product([moved: Self.value(moved, differsAtFirst ? 1 : 0)])
                let place: Comment = "\(profile): \(trigger) is changed, \(moved) moves"
                let operation = try Self.operation(profile, wants: trigger, ignores: [moved], over: before)
                actions.insert(operation.action)
                #expect(!Self.isStale(operation, profile: profile, by: now), place)
                // And a plan that was saved is the same plan.
                #expect(try operation.readBack == operation, place)
                guard !differsAtFirst else { continue }
                // What is managed does where it is written: in a new product, and an amount with other amounts.
                let managed = try Self.operation(profile, wants: trigger, ignores: [], over: before)
                let isCreated = managed.action == .replace && moved != .stock
                let isWritten = isCreated || Self.money.isSuperset(of: [trigger, moved])
                #expect(Self.isStale(managed, profile: profile, by: now) == isWritten, place)
            }
        }
        #expect(actions == (profile.capabilities.picturesChangeInPlace ? [.update] : [.update, .replace]))
    }
}
