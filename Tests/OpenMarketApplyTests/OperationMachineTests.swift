import OpenMarket
import OpenMarketApply
import Testing

/// Whole traces: every event and the action that answers it.
struct OperationMachineTests {
    typealias Machine = OperationMachine

    private static let listing = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1, 2])
    private static let reply = product(101)
    private static let failure = WriteTrouble("connection reset")

    private static func product(_ id: Int64, images: [Int64] = [11, 12]) -> LiveProduct {
        LiveProduct(
            id: ProductID(id),
            vendorID: 29,
            name: "Desk lamp",
            description: "Warm light, two arms.",
            price: 100,
            currency: .krw,
            sale: Sale.none,
            stock: 5,
            images: images.map { LiveProduct.Image(id: $0, url: "https://market.example/\($0)") }
        )
    }

    private static func entry(_ id: Int64, pictures: [UInt8] = [1, 2]) -> StateEntry {
        StateEntry(
            key: "lamp",
            id: ProductID(id),
            vendorID: 29,
            applied: listing.values,
            images: zip(pictures, [11, 12]).map { .init(digest: .picture($0), reference: "\($1)") }
        )
    }

    private static func operation(_ action: OpenMarket.Operation.Action, id: Int64?) -> OpenMarket.Operation {
        OpenMarket.Operation(
            action: action,
            key: "lamp",
            id: id.map { ProductID($0) },
            reason: "",
            changes: action == .update
                ? [
                    FieldChange(
                        field: .price,
                        kind: .change,
                        base: .number(90),
                        live: .number(90),
                        manifest: .number(100)
                    )
                ] : [],
            desired: action == .delete ? ProductValues() : listing.values,
            live: ProductValues(name: "Desk lamp", price: 90),
            pictures: listing.pictures
        )
    }

    private static func machine(
        _ operation: OpenMarket.Operation,
        entry: StateEntry? = nil,
        profile: MarketProfile = .v2b,
        staleCheck: Bool = false
    ) -> Machine {
        var configuration = ExecutorConfiguration()
        configuration.staleCheck = staleCheck
        configuration.delays = RetryDelays(base: .seconds(1), cap: .seconds(8))
        configuration.maximumAttempts = 3
        return Machine(
            sequence: 7,
            operation: operation,
            entry: entry,
            capabilities: profile.capabilities,
            configuration: configuration
        )
    }

    /// Feeds events a second apart.
    private static func trace(_ machine: Machine, _ events: [Machine.Event], stopFrom: Int = .max) -> [Machine.Action] {
        var machine = machine
        return events.enumerated().map { index, event in
            machine.handle(
                event,
                Machine.Circumstances(
                    elapsed: .seconds(index),
                    jitter: 0.5,
                    isStopping: index >= stopFrom,
                    highWater: 100
                )
            )
        }
    }

    private static func result(
        _ action: OpenMarket.Operation.Action,
        _ status: OperationResult.Status,
        id: Int64?,
        error: String? = nil
    ) -> Machine.Action {
        .finish(
            OperationResult(
                sequence: 7,
                key: "lamp",
                action: action,
                status: status,
                id: id.map { ProductID($0) },
                error: error
            )
        )
    }

    // MARK: - Creates

    @Test func `a create is written down before it leaves and when it came back`() {
        let operation = Self.operation(.create, id: nil)
        let actions = Self.trace(
            Self.machine(operation),
            [.start, .recorded, .outcome(.succeeded(WriteReply(product: Self.reply))), .recorded]
        )
        #expect(
            actions == [
                .record(.sent(.create, highWater: 100), []),
                .send(WriteRequest(.create(operation.desired, pictures: operation.pictures))),
                .record(.succeeded(101), [.put(Self.entry(101)), .vendor(29)]),
                Self.result(.create, .done, id: 101),
            ]
        )
    }

    @Test func `a create that never left is sent again, and written down again`() {
        let operation = Self.operation(.create, id: nil)
        let send = Machine.Action.send(WriteRequest(.create(operation.desired, pictures: operation.pictures)))
        let actions = Self.trace(
            Self.machine(operation),
            [.start, .recorded, .outcome(.notSent(Self.failure)), .waited, .recorded, .outcome(.notSent(Self.failure))]
                + [.waited, .recorded, .outcome(.notSent(Self.failure)), .recorded]
        )
        #expect(
            actions == [
                .record(.sent(.create, highWater: 100), []), send,
                .wait(.milliseconds(500)), .record(.sent(.create, highWater: 100), []), send,
                .wait(.seconds(1)), .record(.sent(.create, highWater: 100), []), send,
                .record(.failed("connection reset"), []),
                Self.result(.create, .failed, id: nil, error: "connection reset"),
            ]
        )
    }

    @Test func `a create whose reply is lost is never sent again before the market was asked`() {
        let operation = Self.operation(.create, id: nil)
        let send = Machine.Action.send(WriteRequest(.create(operation.desired, pictures: operation.pictures)))
        let actions = Self.trace(
            Self.machine(operation),
            [.start, .recorded, .outcome(.uncertain(Self.failure)), .recorded, .settled(.neverHappened), .recorded]
                + [.outcome(.uncertain(Self.failure)), .recorded]
                + [.settled(.happened(Self.reply, picturesAreCertain: true)), .recorded]
        )
        #expect(
            actions == [
                .record(.sent(.create, highWater: 100), []), send,
                .record(.unknown(.create, "connection reset"), []), .settle,
                .record(.sent(.create, highWater: 100), []), send,
                .record(.unknown(.create, "connection reset"), []), .settle,
                .record(.succeeded(101), [.put(Self.entry(101)), .vendor(29)]),
                Self.result(.create, .done, id: 101),
            ]
        )
    }

    @Test func `a create that cannot be settled stays unknown in the journal`() {
        let actions = Self.trace(
            Self.machine(Self.operation(.create, id: nil)),
            [.start, .recorded, .outcome(.uncertain(Self.failure)), .recorded, .settled(.undecided("no answer"))]
        )
        #expect(actions.last == Self.result(.create, .unknown, id: nil, error: "no answer"))
    }

    @Test func `a reply that differs from what was sent is an error, and the state knows what the market has`() {
        var shown = Self.reply
        shown.price = 90
        shown.stock = nil
        var entry = Self.entry(101)
        entry.applied.price = 90
        let actions = Self.trace(
            Self.machine(Self.operation(.create, id: nil)),
            [.start, .recorded, .outcome(.succeeded(WriteReply(product: shown))), .recorded]
        )
        let message = "price: sent 100, the market shows 90"
        #expect(actions[2] == .record(.failed(message), [.put(entry), .vendor(29)]))
        #expect(actions[3] == Self.result(.create, .failed, id: 101, error: message))
    }

    @Test func `another thumbnail than the first is chosen by an update after the create`() {
        var operation = Self.operation(.create, id: nil)
        operation.desired.thumbnail = .digest(.picture(2))
        var first = Self.entry(101)
        first.applied.thumbnail = .digest(.picture(1))
        var second = first
        second.applied.thumbnail = .digest(.picture(2))
        let actions = Self.trace(
            Self.machine(operation),
            [.start, .recorded, .outcome(.succeeded(WriteReply(product: Self.reply))), .recorded, .recorded]
                + [.outcome(.succeeded(WriteReply(product: Self.reply))), .recorded]
        )
        let update = ProductUpdate(
            changed: [.thumbnail],
            desired: operation.desired,
            live: first.applied,
            thumbnailImageID: 12
        )
        #expect(
            Array(actions.dropFirst(2)) == [
                .record(.advanced(.create, created: 101), [.put(first), .vendor(29)]),
                .record(.sent(.update, highWater: nil), []),
                .send(WriteRequest(.update(101, update))),
                .record(.succeeded(101), [.put(second)]),
                Self.result(.create, .done, id: 101),
            ]
        )
    }

    @Test func `a product that is on the market after all is not made a second time`() {
        let actions = Self.trace(
            Self.machine(Self.operation(.create, id: nil), entry: Self.entry(55)),
            [.start, .product(Self.product(55)), .recorded]
        )
        let message = "product 55 is on the market after all"
        #expect(
            actions == [
                .readProduct(55), .record(.skipped(message), []),
                Self.result(.create, .stale, id: nil, error: message),
            ]
        )
    }

    @Test func `on v1 a product that does not show is waited for before it is forgotten`() {
        let actions = Self.trace(
            Self.machine(Self.operation(.forget, id: 55), entry: Self.entry(55), profile: .v1b),
            [.start, .product(nil), .waited, .product(nil), .recorded]
        )
        #expect(
            actions == [
                .readProduct(55), .wait(.seconds(5)), .readProduct(55),
                .record(.succeeded(55), [.remove(key: "lamp")]),
                Self.result(.forget, .done, id: 55),
            ]
        )
    }

    // MARK: - Updates

    @Test func `an update without reply is sent again`() {
        let operation = Self.operation(.update, id: 55)
        var entry = Self.entry(55)
        entry.applied.price = 90
        let update = WriteRequest(
            .update(
                55,
                ProductUpdate(
                    changed: [.price],
                    desired: operation.desired,
                    live: operation.live,
                    pictures: operation.pictures
                )
            )
        )
        let actions = Self.trace(
            Self.machine(operation, entry: entry),
            [.start, .recorded, .outcome(.uncertain(Self.failure)), .waited, .recorded]
                + [.outcome(.succeeded(WriteReply(product: Self.product(55)))), .recorded]
        )
        #expect(
            actions == [
                .record(.sent(.update, highWater: nil), []), .send(update), .wait(.milliseconds(500)),
                .record(.sent(.update, highWater: nil), []), .send(update),
                .record(.succeeded(55), [.put(Self.entry(55)), .vendor(29)]),
                Self.result(.update, .done, id: 55),
            ]
        )
    }

    @Test func `an update without any reply is unknown, not failed`() {
        let actions = Self.trace(
            Self.machine(Self.operation(.update, id: 55)),
            [.start, .recorded, .outcome(.uncertain(Self.failure)), .recorded],
            stopFrom: 2
        )
        #expect(actions[2] == .record(.unknown(.update, "connection reset"), []))
        #expect(actions[3] == Self.result(.update, .unknown, id: 55, error: "connection reset"))
    }

    @Test func `a product that moved since the plan is left alone`() {
        var moved = Self.product(55)
        moved.price = 95
        let actions = Self.trace(
            Self.machine(Self.operation(.update, id: 55), staleCheck: true),
            [.start, .product(moved), .recorded]
        )
        let message = "the product moved since the plan: price was 90, is 95"
        #expect(
            actions == [
                .readProduct(55), .record(.skipped(message), []),
                Self.result(.update, .stale, id: 55, error: message),
            ]
        )
    }

    // MARK: - Deletes and replaces

    @Test func `a delete asks for a new key after a lost reply, and gone is done`() {
        let refusal = WriteRefusal(.notFound, status: 404, message: "Not Found")
        let actions = Self.trace(
            Self.machine(Self.operation(.delete, id: 55), entry: Self.entry(55)),
            [.start, .recorded, .outcome(.succeeded(WriteReply(deleteKey: "k1"))), .recorded]
                + [.outcome(.uncertain(Self.failure)), .waited, .recorded, .outcome(.refused(refusal))]
                + [.product(nil), .recorded]
        )
        #expect(
            actions == [
                .record(.sent(.deleteKey, highWater: nil), []), .send(WriteRequest(.deleteKey(55))),
                .record(.sent(.delete, highWater: nil), []), .send(WriteRequest(.delete(55, key: "k1"))),
                .wait(.milliseconds(500)),
                .record(.sent(.deleteKey, highWater: nil), []), .send(WriteRequest(.deleteKey(55))),
                .readProduct(55), .record(.succeeded(55), [.remove(key: "lamp")]),
                Self.result(.delete, .done, id: 55),
            ]
        )
    }

    @Test func `on v2 a product that is there but answers 404 is not dropped from the state`() {
        let refusal = Machine.Event.outcome(.refused(WriteRefusal(.notFound, status: 404, message: "Not Found")))
        let actions = Self.trace(
            Self.machine(Self.operation(.delete, id: 55), entry: Self.entry(55)),
            [.start, .recorded, refusal, .product(Self.product(55)), .recorded, refusal, .product(Self.product(55))]
        )
        let message =
            "the market answers 404 although the product exists: it may speak another API than the one that is set"
        #expect(
            actions == [
                .record(.sent(.deleteKey, highWater: nil), []), .send(WriteRequest(.deleteKey(55))), .readProduct(55),
                .record(.sent(.deleteKey, highWater: nil), []), .send(WriteRequest(.deleteKey(55))), .readProduct(55),
                .record(.failed(message), []),
            ]
        )
    }

    @Test func `on v1 a product that is there but answers 404 has another password`() {
        let refusal = Machine.Event.outcome(.refused(WriteRefusal(.notFound, status: 404, message: "Not Found")))
        let actions = Self.trace(
            Self.machine(Self.operation(.delete, id: 55), entry: Self.entry(55), profile: .v1b),
            [.start, .recorded, refusal, .product(Self.product(55)), .recorded, refusal, .product(Self.product(55))]
        )
        let message = "the market answers 404 although the product exists: its password is not ours"
        #expect(
            actions == [
                .record(.sent(.delete, highWater: nil), []), .send(WriteRequest(.delete(55, key: nil))),
                .readProduct(55),
                .record(.sent(.delete, highWater: nil), []), .send(WriteRequest(.delete(55, key: nil))),
                .readProduct(55),
                .record(.failed(message), []),
            ]
        )
    }

    @Test func `a replace binds the key to the new product before the old one goes`() {
        let operation = Self.operation(.replace, id: 55)
        let actions = Self.trace(
            Self.machine(operation, entry: Self.entry(55)),
            [.start, .recorded, .outcome(.succeeded(WriteReply(product: Self.reply))), .recorded, .recorded]
                + [.outcome(.succeeded(WriteReply(deleteKey: "k1"))), .recorded]
                + [.outcome(.succeeded(WriteReply(product: Self.product(55)))), .recorded]
        )
        #expect(
            actions == [
                .record(.sent(.create, highWater: 100), []),
                .send(WriteRequest(.create(operation.desired, pictures: operation.pictures))),
                .record(.advanced(.create, created: 101), [.put(Self.entry(101)), .vendor(29)]),
                .record(.sent(.deleteKey, highWater: nil), []), .send(WriteRequest(.deleteKey(55))),
                .record(.sent(.delete, highWater: nil), []), .send(WriteRequest(.delete(55, key: "k1"))),
                .record(.succeeded(101), []),
                Self.result(.replace, .done, id: 101),
            ]
        )
    }

    @Test func `a replace whose old product cannot be deleted stays unsettled`() {
        let refusal = WriteRefusal(.other, status: 400, message: "no")
        let actions = Self.trace(
            Self.machine(Self.operation(.replace, id: 55), entry: Self.entry(55)),
            [.start, .recorded, .outcome(.succeeded(WriteReply(product: Self.reply))), .recorded, .recorded]
                + [.outcome(.refused(refusal)), .recorded]
        )
        #expect(actions[5] == .record(.unknown(.deleteKey, "no"), []))
        #expect(
            actions[6]
                == Self.result(
                    .replace,
                    .failed,
                    id: 101,
                    error: "the new product exists, the old one could not be deleted yet: no"
                )
        )
    }

    @Test func `the delete an unfinished replace owes does not drop the new product from the state`() {
        let actions = Self.trace(
            Self.machine(Self.operation(.delete, id: 55), entry: Self.entry(101)),
            [.start, .recorded, .outcome(.succeeded(WriteReply(deleteKey: "k1"))), .recorded]
                + [.outcome(.succeeded(WriteReply())), .recorded]
        )
        #expect(actions[4] == .record(.succeeded(55), []))
    }

    @Test func `a run that stops lets nothing leave and waits for nothing`() {
        let held = Self.trace(
            Self.machine(Self.operation(.create, id: nil)),
            [.start, .heldBack, .recorded],
            stopFrom: 1
        )
        let message = "the run stopped before the request left"
        #expect(held[1] == .record(.skipped(message), []))
        #expect(held[2] == Self.result(.create, .skipped, id: nil, error: message))
        let unsent = Self.trace(
            Self.machine(Self.operation(.create, id: nil)),
            [.start, .recorded, .outcome(.notSent(Self.failure))],
            stopFrom: 2
        )
        #expect(unsent[2] == .record(.skipped("connection reset"), []))
    }
}
