@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// What a product had before an update, and has not any more although the update does not name it.
struct WriteLossTests {
    private static let whole = Lamp.product(55) { product in
        (product.price, product.sale, product.thumbnailURL) = (90, .price(80), "https://market.example/11")
        product.members = ["/weight", "/tags/*"]
    }

    /// Each way in which a field can be gone.
    private static let gone: [(ProductField, @Sendable (inout LiveProduct) -> Void)] = [
        (.name, { $0.name = nil }), (.name, { $0.name = "" }), (.description, { $0.description = nil }),
        (.description, { $0.description = "" }), (.price, { $0.price = nil }), (.price, { $0.price = 0 }),
        (.currency, { $0.currency = nil }), (.salePrice, { $0.sale = nil }), (.salePrice, { $0.sale = .fullPrice }),
        (.stock, { $0.stock = nil }), (.images, { $0.images = nil }), (.images, { $0.images = [] }),
        (.thumbnail, { $0.thumbnailURL = nil }), (.thumbnail, { $0.thumbnailURL = "" }),
    ]

    @Test func `each field can be lost, in each way, unless the write names it`() {
        #expect(Set(Self.gone.map(\.0)) == Set(ProductField.allCases))
        for (field, takeAway) in Self.gone {
            var after = Self.whole
            takeAway(&after)
            #expect(Self.whole.losses(to: after, besides: [], takesAway: false) == [field.rawValue])
            #expect(Self.whole.losses(to: after, besides: [field], takesAway: false) == [])
            // What was not there before is not lost.
            #expect(after.losses(to: after, besides: [], takesAway: false) == [])
            #expect(after.losses(to: Self.whole, besides: [], takesAway: false) == [])
        }
    }

    @Test func `another value is no loss, and the last unit may be sold meanwhile`() {
        var after = Self.whole
        (after.name, after.price, after.stock) = ("Lamp", 91, 0)
        #expect(Self.whole.losses(to: after, besides: [], takesAway: false) == [])
        // Other pictures have another thumbnail.
        after.thumbnailURL = nil
        #expect(Self.whole.losses(to: after, besides: [.images], takesAway: false) == [])
    }

    @Test func `a member that no field describes can be lost, unless something it may follow from is taken away`() {
        var after = Self.whole
        after.members = ["/weight", "/color"]
        #expect(Self.whole.losses(to: after, besides: [], takesAway: false) == ["/tags/*"])
        #expect(Self.whole.losses(to: after, besides: [], takesAway: true) == [])
        after.members = []
        #expect(Self.whole.losses(to: after, besides: [], takesAway: false) == ["/tags/*", "/weight"])
        // A reply that was not looked through proves nothing.
        after.members = nil
        #expect(Self.whole.losses(to: after, besides: [], takesAway: false) == [])
    }

    // MARK: The machine

    /// A change of the price, whose reply shows this.
    private static func updated(_ reply: LiveProduct) -> (run: MachineTrace, action: OperationMachine.Action?) {
        var run = MachineTrace(.update(Lamp.update), entry: Lamp.entry(55), staleCheck: true)
        var before = Self.whole
        before.sale = .fullPrice
        let action = run.after(.start, .product(before), .recorded, .replied(reply))
        return (run, action)
    }

    private static var after: LiveProduct {
        var product = Self.whole
        (product.price, product.sale) = (100, .fullPrice)
        return product
    }

    @Test func `a reply that shows all that was there is enough`() {
        let (run, action) = Self.updated(Self.after)
        guard case .record(.succeeded(let id, note: nil), _)? = action else {
            Issue.record("\(String(describing: action))")
            return
        }
        #expect(id == 55 && run.machine.loss == nil)
    }

    @Test func `where a reply shows less, the detail decides`() {
        var less = Self.after
        (less.description, less.members) = (nil, ["/weight"])
        var (run, action) = Self.updated(less)
        #expect(action == .readProduct(55))
        guard case .record(.succeeded(let id, note: nil), _) = run(.product(Self.after)) else {
            Issue.record("the detail shows everything")
            return
        }
        #expect(id == 55 && run.machine.loss == nil)

        (run, action) = Self.updated(less)
        let message = "the market removed values that the update does not name: description, /tags/*"
        guard case .record(.failed(message), let mutations) = run(.product(less)) else {
            Issue.record("the loss is not an error")
            return
        }
        // What was written is in the state; the next plan shows what is missing.
        #expect(mutations.contains { if case .put(let entry) = $0 { entry.applied.price == 100 } else { false } })
        #expect(run.machine.loss == message)

        (run, action) = Self.updated(less)
        let unknown = "the reply did not show the updated product"
        #expect(run(.unreadable("no answer")) == .record(.unknown(.update, unknown), []))
    }

    @Test func `without a later look the planned product is what was there`() {
        var update = Lamp.update
        update.live.description = "Warm light, two arms."
        var run = MachineTrace(.update(update), entry: Lamp.entry(55))
        var less = Self.after
        less.description = ""
        #expect(run.after(.start, .recorded, .replied(less)) == .readProduct(55))
        _ = run(.product(less))
        #expect(run.machine.loss == "the market removed values that the update does not name: description")
    }

    @Test func `an update that is sent again is compared with what was there before the first time`() {
        var run = MachineTrace(.update(Lamp.update), entry: Lamp.entry(55), staleCheck: true)
        var before = Self.whole
        before.sale = .fullPrice
        var less = Self.after
        less.description = ""
        #expect(run.after(.start, .product(before), .recorded, .unheard, .waited) == .announce(.update))
        #expect(run.after(.recorded, .replied(less)) == .readProduct(55))
        guard case .record(.failed, _) = run(.product(less)) else {
            Issue.record("the loss is not an error")
            return
        }
        #expect(run.machine.loss == "the market removed values that the update does not name: description")
    }
}
