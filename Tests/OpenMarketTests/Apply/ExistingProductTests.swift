@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// Updates, deletes and replaces, event by event.
struct ExistingProductTests {
    // MARK: - Updates

    @Test func `an update without reply is sent again`() {
        var run = MachineTrace(.update(Lamp.update), entry: Lamp.entry(55) { $0.applied.price = 90 })
        #expect(run(.start) == .announce(.update))
        #expect(run(.recorded) == .sendUpdate())
        #expect(run(.unheard) == .wait(.milliseconds(500)))
        #expect(run(.waited) == .announce(.update))
        #expect(run(.recorded) == .sendUpdate())
        #expect(run(.replied(Lamp.product(55))) == .record(.succeeded(55), [.put(Lamp.entry(55)), .vendor(29)]))
        #expect(run(.recorded) == .end(.update, .done, 55))
    }

    @Test func `an update without any reply is unknown, not failed`() {
        var run = MachineTrace(.update(Lamp.update))
        #expect(run.after(.start, .recorded) == .sendUpdate())
        run.isStopping = true
        #expect(run(.unheard) == .record(.unknown(.update, "connection reset"), []))
        #expect(run(.recorded) == .end(.update, .unknown, 55, "connection reset"))
    }

    @Test func `an update that is answered without the product is read back`() {
        var run = MachineTrace(.update(Lamp.update))
        #expect(run.after(.start, .recorded) == .sendUpdate())
        #expect(run(.replied()) == .readProduct(55))
        var entry = Lamp.entry(55)
        entry.applied = ProductValues(name: "Desk lamp", price: 100)
        entry.images = nil
        #expect(run(.product(Lamp.product(55))) == .record(.succeeded(55), [.put(entry), .vendor(29)]))
        #expect(run(.recorded) == .end(.update, .done, 55))

        let message = "the reply did not show the updated product"
        for event in [OperationMachine.Event.unreadable("no answer"), .product(nil)] {
            var unread = MachineTrace(.update(Lamp.update))
            #expect(unread.after(.start, .recorded, .replied()) == .readProduct(55))
            #expect(unread(event) == .record(.unknown(.update, message), []))
            #expect(unread(.recorded) == .end(.update, .unknown, 55, message))
        }
    }

    @Test func `a product is another vendor's by what the market says of us, or else by what the state has for it`() {
        let numbers: [Int64?] = [nil, 29, 30]
        for (confirmed, claim) in numbers.flatMap({ confirmed in numbers.map { (confirmed, $0) } }) {
            for (remembered, recorded) in numbers.flatMap({ number in numbers.map { (number, $0) } }) {
                for shown in numbers {
                    var run = MachineTrace(
                        .update(Lamp.update),
                        entry: Lamp.entry(55) { $0.vendorID = recorded },
                        staleCheck: true
                    )
                    let state = StateSnapshot(entries: ["lamp": Lamp.entry(55)], vendorID: remembered)
                    run.identity = VendorIdentity(claim: claim, state: state, live: [:])
                    if let confirmed { run.identity.confirm(confirmed, by: .reply) }
                    let action = run.after(.start, .product(Lamp.product(55) { ($0.vendorID, $0.price) = (shown, 90) }))
                    // Never by a claim.
                    let ours = confirmed ?? remembered ?? recorded
                    let isForeign = shown != nil && ours != nil && shown != ours
                    let message = "product 55 is another vendor's: yours is gone from the market"
                    #expect(
                        (action == .record(.skipped(message), [])) == isForeign,
                        "\([confirmed, claim, remembered, recorded, shown])"
                    )
                }
            }
        }
    }

    @Test func `a product is read before an update that sends all of it`() {
        var capabilities = MarketProfile.v2b.capabilities
        capabilities.readsBeforeUpdating = true
        var run = MachineTrace(.update(Lamp.update), capabilities: capabilities)
        #expect(run(.start) == .readProduct(55))
    }

    @Test func `a product that moved before another attempt is left alone, unless the one before may have done it`() {
        var run = MachineTrace(.update(Lamp.update), staleCheck: true)
        let before = Lamp.product(55) { $0.price = 90 }
        // What was read last is what the update may lose.
        var update = Lamp.update
        (update.live.description, update.live.stock) = (before.description, before.stock)
        #expect(run(.start) == .readProduct(55))
        #expect(run(.product(before)) == .announce(.update))
        #expect(run(.recorded) == .sendUpdate(update))
        #expect(run(.outcome(.notSent(WriteTrouble("no connection")))) == .wait(.milliseconds(500)))
        #expect(run(.waited) == .readProduct(55))
        #expect(run(.product(before)) == .announce(.update))
        #expect(run(.recorded) == .sendUpdate(update))
        #expect(run(.unheard) == .wait(.seconds(1)))
        #expect(run(.waited) == .announce(.update))
        // Before the request could leave at all.
        var late = MachineTrace(.update(Lamp.update), staleCheck: true)
        _ = late.after(.start, .product(before), .recorded, .outcome(.notSent(WriteTrouble("no connection"))), .waited)
        let message = "the product moved since the plan: price was 90, is 95"
        #expect(late(.product(Lamp.product(55) { $0.price = 95 })) == .record(.skipped(message), []))
        #expect(late(.recorded) == .end(.update, .stale, 55, message))
    }

    @Test func `a product that is gone before another attempt at its successor is not followed by one`() {
        var run = MachineTrace(.replace(Lamp.replacement), entry: Lamp.entry(55), staleCheck: true)
        #expect(run(.start) == .readProduct(55))
        #expect(run(.product(Lamp.product(55) { $0.price = 90 })) == .announceCreate)
        _ = run.after(.recorded, .outcome(.notSent(WriteTrouble("no connection"))))
        #expect(run(.waited) == .readProduct(55))
        #expect(run(.product(nil)) == .record(.skipped("the product is gone from the market"), []))
    }

    @Test func `a product that is to be taken over is looked at again where that was planned earlier`() {
        let entry = Lamp.entry(55)
        let adopt = PlannedOperation.Work.adopt(entry, name: nil)
        var run = MachineTrace(adopt)
        #expect(run(.start) == .record(.succeeded(55), [.put(entry)]))
        run = MachineTrace(adopt, staleCheck: true)
        #expect(run(.start) == .readProduct(55))
        #expect(run(.product(Lamp.product(55))) == .record(.succeeded(55), [.put(entry)]))
        for (product, message) in [
            (nil, "the product is gone from the market"),
            (Lamp.product(55) { $0.price = 95 }, "the product moved since the plan: price was 100, is 95"),
            (Lamp.product(55) { $0.vendorID = 7 }, "product 55 is another vendor's by now"),
        ] as [(LiveProduct?, String)] {
            run = MachineTrace(adopt, staleCheck: true)
            #expect(run(.start) == .readProduct(55))
            #expect(run(.product(product)) == .record(.skipped(message), []))
        }
    }

    /// The second product waits for its turn, and is changed by another person meanwhile.
    @Test func `a product that moves while its request waits is left alone`() throws {
        let shop = ApplySimulation(seed: 3, profile: .v2b)
        let lamps = (1...2).map { Listing.with(key: "\($0)", name: "Lamp \($0)", price: 100, pictures: [1]) }
        try shop.simulation.scheduler.run {
            _ = try await shop.apply(lamps, run: 1, configuration: shop.configuration())
            let dearer = lamps.map { lamp in
                var lamp = lamp
                lamp.values.price = 200
                return lamp
            }
            let plan = try await shop.plan(dearer, shop.preview()).plan
            #expect(plan.operations.map(\.action) == [.update, .update])
            var configuration = shop.configuration(parallelism: 2, staleCheck: true)
            configuration.rate = 0.1
            let last = try #require(plan.operations.last?.id)
            try await withThrowingTaskGroup { group in
                group.addTask { [configuration] in
                    try await shop.run(plan.operations, configuration: configuration)
                }
                try await shop.simulation.clock.sleep(for: .seconds(5))
                shop.market.edit(last) { $0.price = 150 }
                let result = try await group.next()
                #expect(result?.totals.done == 1)
                #expect(result?.totals.stale == 1)
            }
            #expect(shop.market.ours.last?.price == 150)
        }
    }

    @Test func `a field that is not written makes nothing stale`() {
        var update = Lamp.update
        update.desired.description = nil
        update.live.stock = 5
        update.live.description = "Warm light, two arms."
        var moved = Lamp.product(55) { ($0.price, $0.stock, $0.description) = (90, 4, "Warm light.") }
        var run = MachineTrace(.update(update), staleCheck: true)
        #expect(run(.start) == .readProduct(55))
        #expect(run(.product(moved)) == .announce(.update))
        moved.name = "Floor lamp"
        run = MachineTrace(.update(update), staleCheck: true)
        #expect(run(.start) == .readProduct(55))
        #expect(run(.product(moved)) == .announce(.update))
        // The currency says what the price means, unless the manifest leaves it to the market.
        update.desired.currency = .krw
        update.live.currency = .krw
        moved.currency = .usd
        for isIgnored in [false, true] {
            update.ignored = isIgnored ? [.currency] : []
            run = MachineTrace(.update(update), staleCheck: true)
            #expect(run(.start) == .readProduct(55))
            let message = "the product moved since the plan: currency was “KRW”, is “USD”"
            #expect(run(.product(moved)) == (isIgnored ? .announce(.update) : .record(.skipped(message), [])))
        }
    }

    @Test(arguments: [false, true])
    func `a delete is stale by anything but a unit that was sold`(isSold: Bool) {
        var deletion = Lamp.deletion
        (deletion.live.stock, deletion.live.price) = (5, 100)
        var run = MachineTrace(.delete(deletion), entry: Lamp.entry(55), staleCheck: true)
        #expect(run(.start) == .readProduct(55))
        let now = Lamp.product(55) { ($0.stock, $0.price) = (isSold ? 4 : 5, isSold ? 100 : 90) }
        let message = "the product moved since the plan: price was 100, is 90"
        #expect(run(.product(now)) == (isSold ? .announce(.deleteKey) : .record(.skipped(message), [])))
    }

    @Test func `a sale put on since the plan is left as it is, or makes the new price stale`() {
        var update = Lamp.update
        update.desired.sale = nil
        update.live.sale = Sale.fullPrice
        var run = MachineTrace(.update(update), staleCheck: true)
        var sent = update
        sent.live.sale = .price(80)
        #expect(run(.start) == .readProduct(55))
        #expect(run(.product(Lamp.product(55) { ($0.price, $0.sale) = (90, .price(80)) })) == .announce(.update))
        guard case .send(let request) = run(.recorded), case .update(_, let written) = request.kind else {
            Issue.record("no update is sent")
            return
        }
        #expect(written.live.sale == .price(80))

        update.live.price = 120
        let message = "its sale price is 110, which does not fit a price of 100"
        run = MachineTrace(.update(update), staleCheck: true)
        let dearer = Lamp.product(55) { ($0.price, $0.sale) = (120, .price(110)) }
        #expect(run(.start) == .readProduct(55))
        #expect(run(.product(dearer)) == .record(.skipped(message), []))
    }

    @Test(arguments: [true, false])
    func `a price that moved alone is done although the sale is another than the manifest's`(isIgnored: Bool) {
        var update = Lamp.update
        update.desired.sale = .price(80)
        update.live.sale = .price(70)
        if isIgnored { update.ignored = [.salePrice] }
        var run = MachineTrace(.update(update))
        #expect(run.after(.start, .recorded) == .sendUpdate(update))
        #expect(run.after(.replied(Lamp.product(55) { $0.sale = .price(70) }), .recorded) == .end(.update, .done, 55))
    }

    // MARK: - Deletes

    @Test func `a delete asks for a new key after a lost reply, and gone is done`() {
        var run = MachineTrace(.delete(Lamp.deletion), entry: Lamp.entry(55))
        #expect(run(.start) == .announce(.deleteKey))
        #expect(run(.recorded) == .send(.deleteKey(55)))
        #expect(run(.replied(key: "k1")) == .announce(.delete))
        #expect(run(.recorded) == .send(.delete(55, key: "k1")))
        #expect(run(.unheard) == .wait(.milliseconds(500)))
        #expect(run(.waited) == .announce(.deleteKey))
        #expect(run(.recorded) == .send(.deleteKey(55)))
        #expect(run(.notFound) == .readProduct(55))
        #expect(run(.product(nil)) == .record(.succeeded(55), [.remove(key: "lamp")]))
        #expect(run(.recorded) == .end(.delete, .done, 55))
    }

    @Test(arguments: [
        (MarketProfile.v2b, RequestStep.deleteKey, "its API, or the requested path, may differ"),
        (.v1b, .delete, "its password differs"),
    ])
    func `a product that is there but answers 404 is not dropped from the state`(
        profile: MarketProfile,
        step: RequestStep,
        difference: String
    ) {
        var run = MachineTrace(.delete(Lamp.deletion), entry: Lamp.entry(55), profile: profile)
        let message = "the market answers 404 although the product exists: \(difference) from the configured one"
        #expect(run(.start) == .announce(step))
        #expect(run.after(.recorded, .notFound) == .readProduct(55))
        #expect(run(.product(Lamp.product(55))) == .announce(step))
        #expect(run.after(.recorded, .notFound) == .readProduct(55))
        #expect(run(.product(Lamp.product(55))) == .record(.failed(message), []))
    }

    @Test func `on v1 a product that does not show is waited for before its 404 is believed`() {
        var run = MachineTrace(.delete(Lamp.deletion), entry: Lamp.entry(55), profile: .v1b)
        #expect(run.after(.start, .recorded) == .send(.delete(55, key: nil)))
        #expect(run(.notFound) == .readProduct(55))
        #expect(run(.product(nil)) == .wait(.seconds(5)))
        #expect(run(.waited) == .announce(.delete))
        #expect(run(.recorded) == .send(.delete(55, key: nil)))
        #expect(run(.notFound) == .readProduct(55))
        #expect(run(.product(nil)) == .record(.succeeded(55), [.remove(key: "lamp")]))
    }

    @Test func `the delete an unfinished replace owes does not drop the new product from the state`() {
        var run = MachineTrace(.delete(Lamp.deletion), entry: Lamp.entry(101))
        #expect(run.after(.start, .recorded, .replied(key: "k1"), .recorded) == .send(.delete(55, key: "k1")))
        #expect(run(.replied()) == .record(.succeeded(55), []))
    }

    // MARK: - Replaces

    @Test func `a replace binds the key to the new product before the old one goes`() {
        var run = MachineTrace(.replace(Lamp.replacement), entry: Lamp.entry(55))
        let bound = [StateMutation.put(Lamp.entry(101)), .vendor(29)]
        #expect(run(.start) == .announceCreate)
        #expect(run(.recorded) == .sendCreate())
        #expect(run(.replied(Lamp.product(101))) == .record(.advanced(.create, created: 101), bound))
        #expect(run(.recorded) == .announce(.deleteKey))
        #expect(run(.recorded) == .send(.deleteKey(55)))
        #expect(run(.replied(key: "k1")) == .announce(.delete))
        #expect(run(.recorded) == .send(.delete(55, key: "k1")))
        #expect(run(.replied(Lamp.product(55))) == .record(.succeeded(101), []))
        #expect(run(.recorded) == .end(.replace, .done, 101))
    }

    @Test func `a product with a password is replaced once the market takes the new one's for it`() {
        var run = MachineTrace(.replace(Lamp.replacement), entry: Lamp.entry(55), profile: .v1b)
        #expect(run(.start) == .announce(.proveOwnership))
        #expect(run(.recorded) == .send(.proveOwnership(55)))
        #expect(run(.unheard) == .wait(.milliseconds(500)))
        #expect(run(.waited) == .announce(.proveOwnership))
        #expect(run(.recorded) == .send(.proveOwnership(55)))
        #expect(run(.replied(Lamp.product(55))) == .record(.sent(.create, highWater: 100), []))
        #expect(run(.recorded) == .sendCreate())
    }

    @Test func `a product of another password stays, and no second one is made`() {
        var run = MachineTrace(.replace(Lamp.replacement), entry: Lamp.entry(55), profile: .v1b)
        #expect(run.after(.start, .recorded, .notFound) == .readProduct(55))
        #expect(run(.product(Lamp.product(55))) == .announce(.proveOwnership))
        #expect(run.after(.recorded, .notFound) == .readProduct(55))
        let message = "the market answers 404 although the product exists: its password differs from the configured one"
        #expect(run(.product(Lamp.product(55))) == .record(.failed(message), []))
        #expect(run(.recorded) == .end(.replace, .failed, 55, message))
    }

    @Test func `a replace takes over what is left by now`() {
        var replacement = Lamp.replacement
        replacement.carriedOver = [.stock]
        replacement.live = ProductValues(name: "Desk lamp", price: 100, stock: 5)
        var run = MachineTrace(.replace(replacement), staleCheck: true)
        replacement.product.values.stock = 3
        #expect(run(.start) == .readProduct(55))
        #expect(run(.product(Lamp.product(55) { $0.stock = 3 })) == .announceCreate)
        #expect(run(.recorded) == .sendCreate(replacement.product))
    }

    private static var deletingFirst: PlannedOperation.Replacement {
        var replacement = Lamp.replacement
        replacement.deletesFirst = true
        return replacement
    }

    @Test func `a replace that begins with the delete gives the key up before the new product is made`() {
        var run = MachineTrace(.replace(Self.deletingFirst), entry: Lamp.entry(55))
        #expect(run(.start) == .announce(.deleteKey))
        #expect(run(.recorded) == .send(.deleteKey(55)))
        #expect(run(.replied(key: "k1")) == .announce(.delete))
        #expect(run(.recorded) == .send(.delete(55, key: "k1")))
        #expect(run(.replied()) == .record(.advanced(.delete, created: nil), [.remove(key: "lamp")]))
        #expect(run(.recorded) == .announceCreate)
        #expect(run(.recorded) == .sendCreate())
        #expect(run(.replied(Lamp.product(101))) == .record(.succeeded(101), [.put(Lamp.entry(101)), .vendor(29)]))
        #expect(run(.recorded) == .end(.replace, .done, 101))
    }

    @Test func `of a replace that begins with the delete a new product that is not right stays: there is no other`() {
        var run = MachineTrace(.replace(Self.deletingFirst), entry: Lamp.entry(55))
        let message = "price: sent 100, the market shows 90"
        let entry = Lamp.entry(101) { $0.applied.price = 90 }
        _ = run.after(.start, .recorded, .replied(key: "k1"), .recorded, .replied(), .recorded, .recorded)
        #expect(
            run(.replied(Lamp.product(101) { $0.price = 90 })) == .record(.failed(message), [.put(entry), .vendor(29)])
        )
    }

    @Test func `what is deleted and cannot be made says so`() {
        var run = MachineTrace(.replace(Self.deletingFirst), entry: Lamp.entry(55))
        let message = "product 55 is deleted, and the new one was not created; the next run creates it: no"
        _ = run.after(.start, .recorded, .replied(key: "k1"), .recorded, .replied(), .recorded, .recorded)
        #expect(run(.refused) == .record(.failed(message), []))
        #expect(run(.recorded) == .end(.replace, .failed, 55, message))
        // Nor is a run that stops there one in which nothing was done.
        var stopped = MachineTrace(.replace(Self.deletingFirst), entry: Lamp.entry(55))
        _ = stopped.after(.start, .recorded, .replied(key: "k1"), .recorded, .replied(), .recorded)
        stopped.isStopping = true
        #expect(
            stopped(.heldBack)
                == .record(
                    .failed(
                        "product 55 is deleted, and the new one was not created; the next run creates it: the run stopped before the "
                            + "request left"
                    ),
                    []
                )
        )
    }

    @Test func `where the new product has the same id, no delete is under way any more when it is made`() {
        var capabilities = MarketProfile.v1b.capabilities
        capabilities.choosesIDs = true
        var run = MachineTrace(
            .replace(Self.deletingFirst),
            entry: Lamp.entry(55),
            capabilities: capabilities,
            sendsKeys: true
        )
        #expect(run.after(.start, .recorded) == .send(.delete(55, key: nil)))
        #expect(run(.unheard) == .wait(.seconds(5)))
    }

    @Test func `a replace whose new product is not right takes it back and keeps the old one`() {
        var run = MachineTrace(.replace(Lamp.replacement), entry: Lamp.entry(55))
        let cut = Lamp.product(101) { $0.description = "Warm" }
        let message =
            "the new product 101 was not as sent, so it was deleted again; product 55 stays as it was: "
            + "description: sent “Warm light, two arms.”, the market shows “Warm”"
        #expect(run.after(.start, .recorded) == .sendCreate())
        #expect(run(.replied(cut)) == .record(.advanced(.create, created: 101), [.vendor(29)]))
        #expect(run(.recorded) == .announce(.deleteKey))
        #expect(run(.recorded) == .send(.deleteKey(101)))
        #expect(run(.replied(key: "k1")) == .announce(.delete))
        #expect(run(.recorded) == .send(.delete(101, key: "k1")))
        #expect(run(.replied(cut)) == .record(.failed(message), []))
        #expect(run(.recorded) == .end(.replace, .failed, 55, message))
    }

    @Test func `a new product that is not right and cannot be taken back stays unresolved`() {
        var run = MachineTrace(.replace(Lamp.replacement), entry: Lamp.entry(55))
        let cut = Lamp.product(101) { ($0.blank, $0.description) = ([.description], nil) }
        let message =
            "the new product 101 is not as sent (description: sent “Warm light, two arms.”, the market shows no value) "
            + "and could not be deleted again yet, product 55 stays: no"
        #expect(run.after(.start, .recorded, .replied(cut), .recorded) == .announce(.deleteKey))
        #expect(run(.recorded) == .send(.deleteKey(101)))
        #expect(run(.refused) == .record(.unknown(.deleteKey, "no"), []))
        #expect(run(.recorded) == .end(.replace, .failed, 101, message))
    }

    @Test func `a unit that was sold before a lost create was found is not a reason to take it back`() {
        var run = MachineTrace(.replace(Lamp.replacement), entry: Lamp.entry(55))
        let sold = Lamp.product(101) { $0.stock = 4 }
        let bound = [StateMutation.put(Lamp.entry(101) { $0.applied.stock = 4 }), .vendor(29)]
        #expect(run.after(.start, .recorded, .unheard, .recorded) == .settleCreate())
        #expect(run(.happened(sold)) == .record(.advanced(.create, created: 101), bound))
    }

    @Test func `a found product that may be the new one and is not as sent is left to people`() {
        var run = MachineTrace(.replace(Lamp.replacement), entry: Lamp.entry(55))
        let message =
            "product 101 may be the new one, but it is not as sent (price: sent 100, the market shows 90), so product 55 "
            + "stays; delete the unwanted one on the market"
        #expect(run.after(.start, .recorded, .unheard, .recorded) == .settleCreate())
        #expect(run(.happened(Lamp.product(101) { $0.price = 90 })) == .end(.replace, .unknown, 101, message))
    }

    @Test func `a replace whose old product cannot be deleted stays unresolved`() {
        var run = MachineTrace(.replace(Lamp.replacement), entry: Lamp.entry(55))
        let message = "the new product exists, the old one could not be deleted yet: no"
        #expect(run.after(.start, .recorded, .replied(Lamp.product(101)), .recorded) == .announce(.deleteKey))
        #expect(run(.recorded) == .send(.deleteKey(55)))
        #expect(run(.refused) == .record(.unknown(.deleteKey, "no"), []))
        #expect(run(.recorded) == .end(.replace, .failed, 101, message))
    }

    // MARK: - What another session began

    /// Its progress, with no request under way any more.
    private static func left(
        _ work: PlannedOperation.Work,
        at step: RequestStep,
        isDone: Bool = false,
        created: MarketID? = nil
    ) -> UnresolvedOperation {
        UnresolvedOperation(
            run: RunID(rawValue: "run"),
            sequence: 7,
            facts: 1,
            operation: PlannedOperation(key: "lamp", reason: "", work: work),
            step: step,
            stepSucceeded: isDone,
            highWater: 90,
            created: created,
            answered: 95,
            sentAt: .epoch
        )
    }

    private static let lost = "the session that began it is over"

    @Test func `a create that another session began is looked for with all that is known of it`() {
        let work = PlannedOperation.Work.create(Lamp.new)
        var run = MachineTrace(work, resuming: Self.left(work, at: .create))
        let create = OperationMachine.LostCreate(product: Lamp.new, highWater: 90, answered: 95, trouble: Self.lost)
        #expect(run(.start) == .settle(create))
    }

    @Test func `a create that follows a delete comes only after that is done`() {
        let work = PlannedOperation.Work.replace(Self.deletingFirst)
        for isDone in [false, true] {
            var run = MachineTrace(work, resuming: Self.left(work, at: .delete, isDone: isDone))
            #expect(run(.start) == (isDone ? .announceCreate : .announce(.deleteKey)))
        }
    }

    @Test func `a product to which another session attached pictures gets none of them twice`() {
        var capabilities = MarketProfile.v2b.capabilities
        capabilities.pictureStyle = .attach
        var update = Lamp.update
        update.changes = [FieldChange(field: .images, kind: .change, base: nil, live: nil, manifest: nil)]
        let open = Self.left(.update(update), at: .attach)
        var run = MachineTrace(.update(update), capabilities: capabilities, resuming: open)
        #expect(run(.start) == .record(.failed("\(Self.lost); the next plan shows the remaining work"), []))
    }

    @Test func `the new product of another session's replace goes again unless it has the key`() {
        let work = PlannedOperation.Work.replace(Lamp.replacement)
        for keyed in [55, 101] as [MarketID] {
            let open = Self.left(work, at: .create, isDone: true, created: 101)
            var run = MachineTrace(work, entry: Lamp.entry(keyed), resuming: open)
            #expect(run.after(.start, .recorded) == .send(.deleteKey(keyed == 55 ? 101 : 55)))
        }
    }
}
