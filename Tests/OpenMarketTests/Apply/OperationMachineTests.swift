@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// Creates, adoptions and forgetting, event by event.
///
/// Updates, deletes and replaces are in `ExistingProductTests`.
struct OperationMachineTests {
    // MARK: - Creates

    @Test func `a create is written down before it leaves and when it came back`() {
        var run = MachineTrace(.create(Lamp.new))
        #expect(run(.start) == .announceCreate)
        #expect(run(.recorded) == .sendCreate())
        #expect(run(.replied(Lamp.product(101))) == .record(.succeeded(101), [.put(Lamp.entry(101)), .vendor(29)]))
        #expect(run(.recorded) == .end(.create, .done, 101))
    }

    @Test func `a create that never left is sent again, and written down again`() {
        var run = MachineTrace(.create(Lamp.new))
        #expect(run(.start) == .announceCreate)
        #expect(run(.recorded) == .sendCreate())
        #expect(run(.notSent) == .wait(.milliseconds(500)))
        #expect(run(.waited) == .announceCreate)
        #expect(run(.recorded) == .sendCreate())
        #expect(run(.notSent) == .wait(.seconds(1)))
        #expect(run(.waited) == .announceCreate)
        #expect(run(.recorded) == .sendCreate())
        #expect(run(.notSent) == .record(.failed("connection reset"), []))
        #expect(run(.recorded) == .end(.create, .failed, nil, "connection reset"))
    }

    @Test func `a create whose reply is lost is never sent again before the market was asked`() {
        var run = MachineTrace(.create(Lamp.new))
        #expect(run(.start) == .announceCreate)
        #expect(run(.recorded) == .sendCreate())
        #expect(run(.unheard) == .record(.unknown(.create, "connection reset"), []))
        #expect(run(.recorded) == .settleCreate())
        #expect(run(.settled(.neverHappened)) == .announceCreate)
        #expect(run(.recorded) == .sendCreate())
        #expect(run(.unheard) == .record(.unknown(.create, "connection reset"), []))
        #expect(run(.recorded) == .settleCreate())
        #expect(run(.happened(Lamp.product(101))) == .record(.succeeded(101), [.put(Lamp.entry(101)), .vendor(29)]))
        #expect(run(.recorded) == .end(.create, .done, 101))
    }

    @Test func `a create that cannot be settled stays unknown in the journal`() {
        var run = MachineTrace(.create(Lamp.new))
        #expect(run.after(.start, .recorded, .unheard, .recorded) == .settleCreate())
        #expect(run(.settled(.unresolved("no answer"))) == .end(.create, .unknown, nil, "no answer"))
    }

    @Test func `a reply that differs from what was sent is an error, and the state knows what the market has`() {
        var run = MachineTrace(.create(Lamp.new))
        let shown = Lamp.product(101) { ($0.price, $0.stock) = (90, nil) }
        let entry = Lamp.entry(101) { $0.applied.price = 90 }
        let message = "price: sent 100, the market shows 90"
        #expect(run.after(.start, .recorded) == .sendCreate())
        #expect(run(.replied(shown)) == .record(.failed(message), [.put(entry), .vendor(29)]))
        #expect(run(.recorded) == .end(.create, .failed, 101, message))
    }

    @Test func `another thumbnail than the first is chosen by an update after the create`() {
        var new = Lamp.new
        new.values.thumbnail = .digest(.picture(2))
        let first = Lamp.entry(101) { $0.applied.thumbnail = .digest(.picture(1)) }
        let second = Lamp.entry(101) { $0.applied.thumbnail = .digest(.picture(2)) }
        let update = ProductUpdate(
            changed: [.thumbnail],
            desired: new.values,
            live: first.applied,
            thumbnailImageID: 12
        )
        var run = MachineTrace(.create(new))
        let reply = OperationMachine.Event.replied(Lamp.product(101))
        #expect(run.after(.start, .recorded) == .sendCreate(new))
        #expect(run(reply) == .record(.advanced(.create, created: 101), [.put(first), .vendor(29)]))
        #expect(run(.recorded) == .announce(.update))
        #expect(run(.recorded) == .send(.update(101, update)))
        #expect(run(reply) == .record(.succeeded(101), [.put(second)]))
        #expect(run(.recorded) == .end(.create, .done, 101))
    }

    @Test func `a thumbnail that cannot be chosen, because nothing distinguishes the pictures, is not a success`() {
        var new = Lamp.new
        new.values.thumbnail = .digest(.picture(2))
        var run = MachineTrace(.create(new))
        let message = "the thumbnail was not set: which of the product's pictures it is, is still unknown"
        #expect(run.after(.start, .recorded) == .sendCreate(new))
        _ = run.after(.unheard, .recorded)
        let entry = Lamp.entry(101) {
            $0.applied.images = [.unknown("11"), .unknown("12")]
            $0.applied.thumbnail = .unknown("11")
            $0.images = nil
        }
        #expect(
            run(.settled(.happened(Lamp.product(101), picturesAreCertain: false)))
                == .record(.failed(message), [.put(entry), .vendor(29)])
        )
        #expect(run(.recorded) == .end(.create, .failed, 101, message))
    }

    @Test func `a product that is on the market after all is not made a second time`() {
        var run = MachineTrace(.create(Lamp.new), entry: Lamp.entry(55))
        let message = "product 55 is on the market after all"
        #expect(run(.start) == .readProduct(55))
        #expect(run(.product(Lamp.product(55))) == .record(.skipped(message), []))
        #expect(run(.recorded) == .end(.create, .stale, nil, message))
    }

    @Test func `a product that cannot be read is neither made again nor forgotten`() {
        for work in [PlannedOperation.Work.create(Lamp.new), .forget(55, name: nil)] {
            var run = MachineTrace(work, entry: Lamp.entry(55))
            #expect(run(.start) == .readProduct(55))
            let message = "the product's absence could not be checked: no answer"
            #expect(run(.unreadable("no answer")) == .record(.failed(message), []))
        }
    }

    @Test func `on v1 a product that does not show is waited for before it is forgotten`() {
        var run = MachineTrace(.forget(55, name: nil), entry: Lamp.entry(55), profile: .v1b)
        #expect(run(.start) == .readProduct(55))
        #expect(run(.product(nil)) == .wait(.seconds(5)))
        #expect(run(.waited) == .readProduct(55))
        #expect(run(.product(nil)) == .record(.succeeded(55), [.remove(key: "lamp")]))
        #expect(run(.recorded) == .end(.forget, .done, 55))
    }

    @Test func `on v1 a product that does not show when the run stops is neither made again nor forgotten`() {
        let message = "the run stopped before it was certain that the product is gone"
        for work in [PlannedOperation.Work.create(Lamp.new), .forget(55, name: nil)] {
            var run = MachineTrace(work, entry: Lamp.entry(55), profile: .v1b)
            #expect(run(.start) == .readProduct(55))
            run.isStopping = true
            #expect(run(.product(nil)) == .record(.skipped(message), []))
        }
    }

    // MARK: - Replies that prove nothing

    /// A reply that cannot be the new product, and why.
    struct Doubt: CustomTestStringConvertible, Sendable {
        var id: MarketID = 101
        var name = "Desk lamp"
        var holder: String?
        var reason: String
        var testDescription: String { reason }
    }

    @Test(arguments: [
        Doubt(id: 1, holder: "one", reason: "product 1, which is 'one' already"),
        Doubt(id: 100, reason: "product 100, which is not newer than product 100 was before"),
        Doubt(name: "Floor lamp", reason: "product 101 with another name, “Floor lamp”"),
    ])
    func `a create whose reply cannot be its own is looked for on the market`(doubt: Doubt) {
        var run = MachineTrace(.create(Lamp.new))
        run.holder = doubt.holder
        let shown = Lamp.product(doubt.id) { $0.name = doubt.name }
        let trouble = "the reply shows \(doubt.reason)"
        #expect(run.after(.start, .recorded) == .sendCreate())
        #expect(run(.replied(shown)) == .record(.unknown(.create, trouble, answered: doubt.id), []))
        #expect(run(.recorded) == .settleCreate(answered: doubt.id, trouble))
        #expect(run(.happened(Lamp.product(102))) == .record(.succeeded(102), [.put(Lamp.entry(102)), .vendor(29)]))
        #expect(run(.recorded) == .end(.create, .done, 102))
    }

    @Test func `a create whose reply shows no product is looked for on the market`() {
        var run = MachineTrace(.create(Lamp.new))
        let trouble = "the reply does not show the product"
        #expect(run.after(.start, .recorded) == .sendCreate())
        #expect(run(.replied()) == .record(.unknown(.create, trouble), []))
        #expect(run(.recorded) == .settleCreate(trouble))
    }

    @Test func `a new product of another vendor is not taken for ours, and teaches us no number`() {
        var run = MachineTrace(.create(Lamp.new))
        run.vendor = 7
        let trouble = "the reply shows product 101 of vendor 29, and yours is 7"
        #expect(run.after(.start, .recorded) == .sendCreate())
        #expect(run(.replied(Lamp.product(101))) == .record(.unknown(.create, trouble, answered: 101), []))
    }

    @Test func `what took the number of our product does not keep it from being made again, or forgotten`() {
        var create = MachineTrace(.create(Lamp.new), entry: Lamp.entry(55))
        create.vendor = 7
        #expect(create(.start) == .readProduct(55))
        #expect(create(.product(Lamp.product(55))) == .announceCreate)
        var forget = MachineTrace(.forget(55, name: nil), entry: Lamp.entry(55))
        forget.vendor = 7
        #expect(forget(.start) == .readProduct(55))
        #expect(forget(.product(Lamp.product(55))) == .record(.succeeded(55), [.remove(key: "lamp")]))
    }

    @Test func `a product that is another key's by now is not adopted`() {
        var run = MachineTrace(.adopt(Lamp.entry(55), name: nil))
        run.holder = "one"
        #expect(run(.start) == .record(.skipped("product 55 is 'one' already"), []))
        run = MachineTrace(.adopt(Lamp.entry(55), name: nil))
        #expect(run(.start) == .record(.succeeded(55), [.put(Lamp.entry(55))]))
    }

    @Test func `a run that stops lets nothing leave and waits for nothing`() {
        var held = MachineTrace(.create(Lamp.new))
        let message = "the run stopped before the request left"
        #expect(held(.start) == .announceCreate)
        held.isStopping = true
        #expect(held(.heldBack) == .record(.skipped(message), []))
        #expect(held(.recorded) == .end(.create, .skipped, nil, message))
        var unsent = MachineTrace(.create(Lamp.new))
        #expect(unsent.after(.start, .recorded) == .sendCreate())
        unsent.isStopping = true
        #expect(unsent(.notSent) == .record(.skipped("connection reset"), []))
    }
}
