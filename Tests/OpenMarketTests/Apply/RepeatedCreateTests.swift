@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// What an operation does on markets whose creates can be repeated, whose products carry keys, or whose pictures travel alone.
struct RepeatedCreateTests {
    private static func market(_ change: (inout MarketCapabilities) -> Void) -> MarketCapabilities {
        var capabilities = MarketCapabilities()
        capabilities.idsRise = true
        capabilities.pictureStyle = .parts
        change(&capabilities)
        return capabilities
    }

    private static let idempotent = market { $0.repetition = .init(window: .seconds(100), replaysErrors: true) }
    private static let unique = market { $0.key = .init(isFindable: true, uniqueness: .enforced) }

    private static func sent(_ key: String, references: [String] = []) -> OperationMachine.Action {
        .record(
            .sent(
                .create,
                highWater: 100,
                fingerprint: RequestFingerprint(idempotencyKey: key, references: references)
            ),
            []
        )
    }

    private static func create(key: String? = nil, idempotencyKey: String? = nil, references: [String] = [])
        -> OperationMachine.Action
    {
        var request = WriteRequest(.create(Lamp.new.values, pictures: Lamp.new.pictures))
        request.key = key
        request.idempotencyKey = idempotencyKey
        request.references = references
        return .send(request)
    }

    @Test func `the best method comes first, and each market has a last resort`() {
        func method(_ sendsKeys: Bool, _ change: (inout MarketCapabilities) -> Void) -> SettlementMethod {
            var capabilities = MarketCapabilities()
            change(&capabilities)
            return capabilities.settlementMethod(sendsKeys: sendsKeys)
        }
        #expect(method(true) { _ in } == .absence)
        #expect(method(false) { $0.idsRise = true } == .risingIDs)
        #expect(method(true) { $0.key = .init(isFindable: true, uniqueness: .racy) } == .findableKey)
        #expect(method(true) { $0.key = .init(isFindable: true, uniqueness: .enforced) } == .uniqueKey)
        #expect(method(true) { $0.key = .init(isFindable: false, uniqueness: .enforced) } == .absence)
        #expect(method(false) { $0.key = .init(isFindable: true, uniqueness: .enforced) } == .absence)
        #expect(method(true) { $0.choosesIDs = true } == .uniqueKey)
    }

    @Test func `a create is settled by ids that rise only where the market keeps names`() {
        var capabilities = MarketCapabilities()
        #expect(!capabilities.settlesCreates(sendsKeys: false))
        capabilities.idsRise = true
        #expect(capabilities.settlesCreates(sendsKeys: false))
        capabilities.normalisedFields = [.name]
        #expect(!capabilities.settlesCreates(sendsKeys: false))
        capabilities.repetition = MarketCapabilities.Repetition(window: .seconds(1), replaysErrors: false)
        #expect(capabilities.settlesCreates(sendsKeys: false))
    }

    @Test func `a market knows a key until its time is nearly over, and not if it was sent in the future`() {
        let repetition = MarketCapabilities.Repetition(window: .seconds(100), replaysErrors: false)
        #expect([-1, 0, 89, 90].map { repetition.isKnown(after: .seconds($0)) } == [false, true, true, false])
    }

    @Test func `a dry run shows the requests that the machine sends, without what only a reply says`() {
        func planned(
            _ work: PlannedOperation.Work,
            _ change: (inout MarketCapabilities) -> Void = { _ in }
        ) -> [WriteRequest.Kind] {
            let operation = PlannedOperation(key: "lamp", reason: "", work: work)
            return operation.plannedRequests(Self.market(change)).map(\.kind)
        }
        let pictures = Lamp.new.pictures
        let create = WriteRequest.Kind.create(Lamp.new.values, pictures: pictures)
        #expect(
            planned(.create(Lamp.new)) { $0.pictureStyle = .attach }
                == [create, .attach(.text("{id}"), pictures[0]), .attach(.text("{id}"), pictures[1])]
        )
        #expect(
            planned(.create(Lamp.new)) { $0.pictureStyle = .upload }
                == [.upload(pictures[0]), .upload(pictures[1]), create]
        )
        let deletes = [WriteRequest.Kind.deleteKey(55), .delete(55, key: nil)]
        #expect(planned(.delete(Lamp.deletion)) { $0.deletesInTwoSteps = true } == deletes)
        #expect(planned(.replace(Lamp.replacement)) { $0.deletesInTwoSteps = true } == [create] + deletes)
        var deletedFirst = Lamp.replacement
        deletedFirst.deletesFirst = true
        #expect(planned(.replace(deletedFirst)) == [.delete(55, key: nil), create])
        #expect(planned(.forget(55, name: nil)).isEmpty)
    }

    @Test func `a create without reply is sent again with its key, and waits while the first is worked on`() {
        var run = MachineTrace(.create(Lamp.new), capabilities: Self.idempotent)
        run.repeatKeys = ["k1", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9"]
        #expect(run(.start) == Self.sent("k1"))
        #expect(run(.recorded) == Self.create(idempotencyKey: "k1"))
        #expect(run(.unheard) == .wait(.milliseconds(500)))
        #expect(run(.waited) == Self.sent("k1"))
        #expect(run(.recorded) == Self.create(idempotencyKey: "k1"))
        #expect(run(.outcome(.notSent(WriteTrouble("409", retryAfter: .seconds(2))))) == .wait(.milliseconds(2500)))
        #expect(run(.waited) == Self.sent("k1"))
        #expect(run(.recorded) == Self.create(idempotencyKey: "k1"))
        #expect(
            run(.replied(Lamp.product(101))) == .record(.succeeded(101), [.put(Lamp.entry(101)), .vendor(29)])
        )
    }

    @Test func `a refusal that the market would repeat gets another key, unless the first may have happened`() {
        let overload = OperationMachine.Event.outcome(.notSent(WriteTrouble("429", isOverload: true)))
        var run = MachineTrace(.create(Lamp.new), capabilities: Self.idempotent)
        run.repeatKeys = ["k1", "k1", "k2", "k3", "k4"]
        #expect(run.after(.start, .recorded) == Self.create(idempotencyKey: "k1"))
        #expect(run.after(overload, .waited) == Self.sent("k4"))

        run = MachineTrace(.create(Lamp.new), capabilities: Self.idempotent)
        run.repeatKeys = ["k1", "k1", "k2", "k3", "k4", "k5", "k6"]
        #expect(run.after(.start, .recorded, .unheard, .waited, .recorded, overload, .waited) == Self.sent("k1"))
    }

    @Test func `a create is not sent again once the market may have forgotten its key`() {
        var run = MachineTrace(.create(Lamp.new), capabilities: Self.idempotent)
        run.repeatKeys = ["k1"]
        #expect(run.after(.start, .recorded) == Self.create(idempotencyKey: "k1"))
        run.wait(90)
        #expect(run(.unheard) == .record(.unknown(.create, "connection reset"), []))
        #expect(run(.recorded) == .settleCreate())
        // The product is not there: a new create, with a new key.
        run.repeatKeys = ["k2"]
        #expect(run(.settled(.neverHappened)) == Self.sent("k2"))
        // Nor where it forgets the key before the next attempt.
        run = MachineTrace(.create(Lamp.new), capabilities: Self.idempotent)
        run.repeatKeys = ["k1"]
        #expect(run.after(.start, .recorded, .unheard) == .wait(.milliseconds(500)))
        run.wait(90)
        #expect(run(.waited) == .record(.unknown(.create, "it is too late to send it again"), []))
    }

    @Test func `a create that is refused when it is sent again is looked for, and not sent a third time`() {
        var run = MachineTrace(.create(Lamp.new), capabilities: Self.idempotent)
        run.repeatKeys = ["k1"]
        var lost = OperationMachine.LostCreate(product: Lamp.new, highWater: 100, trouble: "no")
        lost.objection = .refused
        #expect(run.after(.start, .recorded, .unheard, .waited, .recorded) == Self.create(idempotencyKey: "k1"))
        #expect(run(.refused) == .record(.unknown(.create, "no"), []))
        #expect(run(.recorded) == .settle(lost))
        #expect(run(.settled(.neverHappened)) == .record(.failed("no"), []))
    }

    private static let taken = OperationMachine.Event.outcome(
        .refused(WriteRefusal(.duplicate, status: 400, message: "taken"))
    )

    @Test func `a create whose key is taken when it is sent again has happened`() {
        var run = MachineTrace(.create(Lamp.new), capabilities: Self.unique, sendsKeys: true)
        #expect(run(.start) == .announceCreate)
        #expect(run(.recorded) == Self.create(key: "lamp"))
        // The market may have respelt the key, so it is asked first.
        #expect(run(.unheard) == .record(.unknown(.create, "connection reset"), []))
        #expect(run(.recorded) == .settleCreate())
        #expect(run(.settled(.neverHappened)) == .announceCreate)
        #expect(run(.recorded) == Self.create(key: "lamp"))
        var lost = OperationMachine.LostCreate(product: Lamp.new, highWater: 100, trouble: "taken")
        lost.objection = .duplicate(isFirst: false)
        #expect(run(Self.taken) == .record(.unknown(.create, "taken"), []))
        #expect(run(.recorded) == .settle(lost))
        #expect(run(.happened(Lamp.product(101))) == .record(.succeeded(101), [.put(Lamp.entry(101)), .vendor(29)]))
    }

    @Test func `a key that was taken before is taken over where one product shows it, and is a failure otherwise`() {
        var run = MachineTrace(.create(Lamp.new), capabilities: Self.unique, sendsKeys: true)
        let shown = Lamp.product(50) { ($0.key, $0.price) = ("lamp", 80) }
        let entry = Lamp.entry(50) {
            $0.applied.price = 80
            $0.applied.images = [.unknown("11"), .unknown("12")]
            $0.images = nil
        }
        let message = "product 50 carries the key already: it is managed now, and the next plan shows the differences"
        #expect(run.after(.start, .recorded, Self.taken) == .record(.unknown(.create, "taken"), []))
        _ = run(.recorded)
        #expect(run(.happened(shown)) == .record(.failed(message), [.put(entry), .vendor(29)]))
        #expect(run(.recorded) == .end(.create, .failed, 50, message))

        run = MachineTrace(.create(Lamp.new), capabilities: Self.unique, sendsKeys: true)
        _ = run.after(.start, .recorded, Self.taken, .recorded)
        run.holder = "fan"
        #expect(
            run(.happened(shown)) == .record(.failed("product 50 carries the key, and is 'fan' already"), [])
        )

        run = MachineTrace(.create(Lamp.new), capabilities: Self.unique, sendsKeys: true)
        _ = run.after(.start, .recorded, Self.taken, .recorded)
        #expect(run(.settled(.unresolved("nothing shows it"))) == .record(.failed("taken: nothing shows it"), []))
    }

    @Test(arguments: ["LAMP", "la", "p-lamp", "X-12"])
    func `a reply that shows what was sent ends the question, whatever key it shows`(key: String) {
        var run = MachineTrace(.create(Lamp.new), capabilities: Self.unique, sendsKeys: true)
        let message = "the key: sent 'lamp', the market shows '\(key)'"
        #expect(run.after(.start, .recorded) == Self.create(key: "lamp"))
        #expect(
            run(.replied(Lamp.product(101) { $0.key = key }))
                == .record(.failed(message), [.put(Lamp.entry(101)), .vendor(29)])
        )
        #expect(run(.recorded) == .end(.create, .failed, 101, message))
    }

    @Test(arguments: [true, false])
    func `a reply that shows everything but the key has lost it`(isWhole: Bool) {
        var run = MachineTrace(.create(Lamp.new), capabilities: Self.unique, sendsKeys: true)
        #expect(run.after(.start, .recorded) == Self.create(key: "lamp"))
        let message = "the key: sent 'lamp', the market shows none"
        #expect(
            run(.replied(Lamp.product(101) { $0.isWhole = isWhole }))
                == .record(isWhole ? .failed(message) : .succeeded(101), [.put(Lamp.entry(101)), .vendor(29)])
        )
    }

    @Test func `a market whose ids are the keys shows no key besides`() {
        var capabilities = Self.unique
        capabilities.key = nil
        capabilities.choosesIDs = true
        var run = MachineTrace(.create(Lamp.new), capabilities: capabilities, sendsKeys: true)
        #expect(run.after(.start, .recorded) == Self.create(key: "lamp"))
        #expect(
            run(.replied(Lamp.product(101) { $0.isWhole = true }))
                == .record(.succeeded(101), [.put(Lamp.entry(101)), .vendor(29)])
        )
    }

    @Test func `a reply that shows another key of ours is another product's`() {
        var run = MachineTrace(.create(Lamp.new), capabilities: Self.unique, sendsKeys: true)
        run.identity.keys = ManagedKeys(["lamp", "fan"], Self.unique)
        let other = Lamp.product(101) { $0.key = "fan" }
        #expect(run.after(.start, .recorded) == Self.create(key: "lamp"))
        #expect(
            run(.replied(other))
                == .record(.unknown(.create, "the reply shows product 101 with the key 'fan'", answered: 101), [])
        )
    }

    // MARK: - Pictures

    @Test func `pictures are uploaded before the product, and again when the market has forgotten them`() {
        let market = Self.market {
            $0.pictureStyle = .upload
            $0.pictureReferenceLifetime = .seconds(50)
        }
        var run = MachineTrace(.create(Lamp.new), capabilities: market)
        let announceUpload = OperationMachine.Action.record(.sent(.upload, highWater: nil), [])
        func uploaded(_ reference: String) -> OperationMachine.Event {
            .outcome(.succeeded(WriteReply(reference: reference)))
        }
        func sent(_ references: [String]) -> OperationMachine.Action {
            .record(.sent(.create, highWater: 100, fingerprint: RequestFingerprint(references: references)), [])
        }
        #expect(run(.start) == announceUpload)
        #expect(run(.recorded) == .send(.upload(Lamp.new.pictures[0])))
        // An upload that no product shows is not seen.
        #expect(run(.unheard) == .wait(.milliseconds(500)))
        #expect(run.after(.waited, .recorded) == .send(.upload(Lamp.new.pictures[0])))
        #expect(run(uploaded("r1")) == announceUpload)
        #expect(run(.recorded) == .send(.upload(Lamp.new.pictures[1])))
        #expect(run(uploaded("r2")) == sent(["r1", "r2"]))
        #expect(run(.recorded) == Self.create(references: ["r1", "r2"]))
        #expect(run(.notSent) == .wait(.milliseconds(500)))
        run.wait(60)
        #expect(run(.waited) == announceUpload)
        #expect(run.after(.recorded, uploaded("r3"), .recorded, uploaded("r4")) == sent(["r3", "r4"]))
    }

    @Test func `each picture is attached once, however many replies are lost`() {
        let market = Self.market { $0.pictureStyle = .attach }
        var run = MachineTrace(.create(Lamp.new), capabilities: market)
        let bare = Lamp.product(101) { $0.images = [] }
        let one = Lamp.product(101) { $0.images = Array($0.images?.prefix(1) ?? []) }
        let draft = Lamp.entry(101) {
            $0.applied.images = []
            $0.images = nil
        }
        #expect(run.after(.start, .recorded) == .sendCreate())
        #expect(
            run(.replied(bare)) == .record(.advanced(.create, created: 101), [.put(draft), .vendor(29)])
        )
        #expect(run(.recorded) == .announce(.attach))
        #expect(run(.recorded) == .send(.attach(101, Lamp.new.pictures[0])))
        // It is counted once nothing is under way any more.
        #expect(run(.unheard) == .wait(.seconds(3)))
        #expect(run(.waited) == .readProduct(101))
        #expect(run(.product(bare)) == .announce(.attach))
        #expect(run(.recorded) == .send(.attach(101, Lamp.new.pictures[0])))
        #expect(run.after(.unheard, .waited) == .readProduct(101))
        let acknowledged = Lamp.entry(101) {
            $0.applied.images = Array($0.applied.images?.prefix(1) ?? [])
            $0.images = Array($0.images?.prefix(1) ?? [])
        }
        #expect(run(.product(one)) == .record(.advanced(.attach, created: 101), [.put(acknowledged)]))
        #expect(run(.recorded) == .announce(.attach))
        #expect(run(.recorded) == .send(.attach(101, Lamp.new.pictures[1])))
        #expect(run(.replied()) == .readProduct(101))
        #expect(
            run(.product(Lamp.product(101))) == .record(.succeeded(101), [.put(Lamp.entry(101))])
        )
    }

    @Test func `pictures that the reply does not show are not written down before they are attached`() {
        var run = MachineTrace(.create(Lamp.new), capabilities: Self.market { $0.pictureStyle = .attach })
        let draft = Lamp.entry(101) { ($0.applied.images, $0.images) = ([], nil) }
        #expect(run.after(.start, .recorded) == .sendCreate())
        #expect(
            run(.replied(Lamp.product(101) { $0.images = nil }))
                == .record(.advanced(.create, created: 101), [.put(draft), .vendor(29)])
        )
        // One that may be there is counted by the next run, and not given up.
        #expect(run.after(.recorded, .recorded) == .send(.attach(101, Lamp.new.pictures[0])))
        run.isStopping = true
        #expect(run(.unheard) == .record(.unknown(.attach, "connection reset"), []))
    }

    @Test func `pictures that were attached before a run was broken off are counted, and never taken for others`() {
        let market = Self.market { $0.pictureStyle = .attach }
        var update = Lamp.update
        update.changes = [FieldChange(field: .images, kind: .change, base: nil, live: nil, manifest: nil)]
        update.live.images = [.unknown("11"), .unknown("12")]
        let entry = Lamp.entry(55) {
            $0.applied.images = []
            $0.images = nil
        }
        var run = MachineTrace(.update(update), entry: entry, capabilities: market)
        #expect(run(.start) == .readProduct(55))
        #expect(run(.product(Lamp.product(55))) == .record(.succeeded(55), [.put(Lamp.entry(55))]))

        update.live.images = [.digest(.picture(9))]
        run = MachineTrace(.update(update), entry: entry, capabilities: market)
        let message = "this market cannot take a picture away from a product again"
        #expect(run(.start) == .record(.failed(message), []))

        update.live.images = [.unknown("11")]
        run = MachineTrace(.update(update), entry: entry, capabilities: market)
        #expect(run(.start) == .announce(.attach))
        #expect(run(.recorded) == .send(.attach(55, Lamp.new.pictures[1])))
    }

    @Test(arguments: [MarketCapabilities.PictureStyle.url, .base64, .parts])
    func `new pictures whose reply is lost are sent again only where the product shows the old ones`(
        style: MarketCapabilities.PictureStyle
    ) {
        let market = Self.market {
            $0.pictureStyle = style
            $0.keepsPicturesByID = true
            $0.picturesChangeInPlace = true
        }
        var update = Lamp.update
        update.changes = [FieldChange(field: .images, kind: .change, base: nil, live: nil, manifest: nil)]
        update.live.images = [.digest(.picture(1)), .unknown("12")]
        update.livePictures = LivePictures(Lamp.product(55))
        func shown(_ ids: Int64...) -> OperationMachine.Event {
            .product(
                Lamp.product(55) { product in
                    product.images = ids.map { .init(id: MarketID($0), url: "https://market.example/\($0)") }
                }
            )
        }
        func answer(_ event: OperationMachine.Event) -> OperationMachine.Action {
            var run = MachineTrace(.update(update), entry: Lamp.entry(55), capabilities: market)
            #expect(run.after(.start, .recorded, .unheard) == .wait(.seconds(3)))
            #expect(run(.waited) == .readProduct(55))
            return run(event)
        }
        guard case .record(.sent(.update, _, _), _) = answer(shown(11, 12)) else {
            Issue.record("not sent again")
            return
        }
        guard case .record(.succeeded(55, _), let mutations) = answer(shown(11, 13)),
            case .put(let entry)? = mutations.first
        else {
            Issue.record("not settled")
            return
        }
        #expect(entry.images?.map(\.reference) == ["11", "13"])
        // What shows neither is left to the next plan.
        for event in [shown(11), shown(13, 14), shown(12, 11), shown(11, 13, 14), .product(nil), .unreadable("no")] {
            guard case .record(.unknown(.update, _, _), _) = answer(event) else {
                Issue.record("\(event)")
                continue
            }
        }
    }

    @Test func `a new product that lacks a picture does not take the place of the old one`() {
        let market = Self.market { $0.pictureStyle = .attach }
        var run = MachineTrace(.replace(Lamp.replacement), entry: Lamp.entry(55), capabilities: market)
        let bare = Lamp.product(101) { $0.images = [] }
        #expect(run.after(.start, .recorded) == .sendCreate())
        #expect(run(.replied(bare)) == .record(.advanced(.create, created: 101), [.vendor(29)]))
        #expect(run.after(.recorded, .recorded) == .send(.attach(101, Lamp.new.pictures[0])))
        #expect(run(.refused) == .record(.advanced(.attach, created: 101), []))
        #expect(run.after(.recorded, .recorded) == .send(.delete(101, key: nil)))
        #expect(
            run(.replied())
                == .record(
                    .failed(
                        "the new product 101 was not as sent, so it was deleted again; product 55 stays as it was: "
                            + "picture 1 was not attached: no"
                    ),
                    []
                )
        )
    }

    @Test func `a new product that shows fewer pictures than it was given does not get the key, and goes again`() {
        let market = Self.market { $0.pictureStyle = .attach }
        var run = MachineTrace(.replace(Lamp.replacement), entry: Lamp.entry(55), capabilities: market)
        let one = Lamp.product(101) { $0.images = Array($0.images?.prefix(1) ?? []) }
        #expect(run.after(.start, .recorded) == .sendCreate())
        _ = run.after(.replied(Lamp.product(101) { $0.images = [] }), .recorded, .recorded)
        #expect(run(.replied(one)) == .record(.advanced(.attach, created: 101), []))
        #expect(run.after(.recorded, .recorded) == .send(.attach(101, Lamp.new.pictures[1])))
        #expect(run(.replied()) == .readProduct(101))
        #expect(run(.product(one)) == .record(.advanced(.attach, created: 101), []))
        #expect(run.after(.recorded, .recorded) == .send(.delete(101, key: nil)))
    }
}
