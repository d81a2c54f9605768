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
            sale: Sale.fullPrice,
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
    private static func trace(
        _ machine: Machine,
        _ events: [Machine.Event],
        stopFrom: Int = .max,
        vendor: Int64? = nil,
        holder: String? = nil
    ) -> [Machine.Action] {
        var machine = machine
        return events.enumerated().map { index, event in
            machine.handle(
                event,
                Machine.Circumstances(
                    elapsed: .seconds(index),
                    jitter: 0.5,
                    isStopping: index >= stopFrom,
                    highWater: 100,
                    vendorID: vendor,
                    holder: holder
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

    // MARK: - Replies that prove nothing

    /// A reply that cannot be the new product, and why.
    struct Doubt: CustomTestStringConvertible, Sendable {
        var id: Int64 = 101
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
        let operation = Self.operation(.create, id: nil)
        var shown = Self.product(doubt.id)
        shown.name = doubt.name
        let actions = Self.trace(
            Self.machine(operation),
            [.start, .recorded, .outcome(.succeeded(WriteReply(product: shown))), .recorded]
                + [.settled(.happened(Self.product(102), picturesAreCertain: true)), .recorded],
            holder: doubt.holder
        )
        #expect(
            Array(actions.dropFirst(2)) == [
                .record(.unknown(.create, "the reply shows \(doubt.reason)"), []), .settle,
                .record(.succeeded(102), [.put(Self.entry(102)), .vendor(29)]),
                Self.result(.create, .done, id: 102),
            ]
        )
    }

    @Test func `a new product of another vendor is not taken for ours, and teaches us no number`() {
        let actions = Self.trace(
            Self.machine(Self.operation(.create, id: nil)),
            [.start, .recorded, .outcome(.succeeded(WriteReply(product: Self.reply)))],
            vendor: 7
        )
        #expect(
            actions.last
                == .record(.unknown(.create, "the reply shows product 101 of vendor 29, and ours is 7"), [])
        )
    }

    @Test func `an update that is answered without the product is read back`() {
        let actions = Self.trace(
            Self.machine(Self.operation(.update, id: 55)),
            [.start, .recorded, .outcome(.succeeded(WriteReply())), .product(Self.product(55)), .recorded]
        )
        #expect(actions[2] == .readProduct(55))
        #expect(actions.last == Self.result(.update, .done, id: 55))
        let unread = Self.trace(
            Self.machine(Self.operation(.update, id: 55)),
            [.start, .recorded, .outcome(.succeeded(WriteReply())), .unreadable("no answer"), .recorded]
        )
        let message = "the market did not say what it made of the update"
        #expect(unread[3] == .record(.unknown(.update, message), []))
        #expect(unread[4] == Self.result(.update, .unknown, id: 55, error: message))
    }

    @Test func `a product under our number that is another vendor's by now is left alone`() {
        let actions = Self.trace(
            Self.machine(Self.operation(.update, id: 55), staleCheck: true),
            [.start, .product(Self.product(55)), .recorded],
            vendor: 7
        )
        let message = "product 55 is another vendor's: ours is gone from the market"
        #expect(
            actions == [
                .readProduct(55), .record(.skipped(message), []),
                Self.result(.update, .stale, id: 55, error: message),
            ]
        )
        // What took our product's number does not keep ours from being made anew, or forgotten.
        let create = Self.trace(
            Self.machine(Self.operation(.create, id: nil), entry: Self.entry(55)),
            [.start, .product(Self.product(55))],
            vendor: 7
        )
        #expect(create.last == .record(.sent(.create, highWater: 100), []))
        let forget = Self.trace(
            Self.machine(Self.operation(.forget, id: 55), entry: Self.entry(55)),
            [.start, .product(Self.product(55))],
            vendor: 7
        )
        #expect(forget.last == .record(.succeeded(55), [.remove(key: "lamp")]))
    }

    @Test func `a product that is another key's by now is not adopted`() {
        var operation = Self.operation(.adopt, id: 55)
        operation.entry = Self.entry(55)
        let message = "product 55 is 'one' already"
        #expect(
            Self.trace(Self.machine(operation), [.start], holder: "one") == [.record(.skipped(message), [])]
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

    @Test func `a field that nobody manages, or that is ignored, makes nothing stale`() {
        var operation = Self.operation(.update, id: 55)
        operation.desired.description = nil
        operation.ignored = [.stock]
        operation.live.stock = 5
        operation.live.description = "Warm light, two arms."
        var moved = Self.product(55)
        moved.price = 90
        moved.stock = 4
        moved.description = "Warm light."
        let machine = Self.machine(operation, staleCheck: true)
        #expect(Self.trace(machine, [.start, .product(moved)]).last == .record(.sent(.update, highWater: nil), []))
        // What is managed and not ignored still does.
        moved.name = "Floor lamp"
        let message = "the product moved since the plan: name was “Desk lamp”, is “Floor lamp”"
        #expect(Self.trace(machine, [.start, .product(moved)]).last == .record(.skipped(message), []))
    }

    @Test func `a sale put on since the plan is left as it is, or makes the new price stale`() {
        var operation = Self.operation(.update, id: 55)
        operation.desired.sale = nil
        operation.live.sale = Sale.fullPrice
        var moved = Self.product(55)
        moved.price = 90
        moved.sale = .price(80)
        let machine = Self.machine(operation, staleCheck: true)
        let actions = Self.trace(machine, [.start, .product(moved), .recorded])
        guard case .send(let request) = actions.last, case .update(_, let update) = request.kind else {
            Issue.record("\(actions)")
            return
        }
        #expect(update.live.sale == .price(80))
        moved.price = 120
        moved.sale = .price(110)
        operation.live.price = 120
        let message = "its sale price is 110 by now, which does not fit a price of 100"
        #expect(
            Self.trace(Self.machine(operation, staleCheck: true), [.start, .product(moved)]).last
                == .record(.skipped(message), [])
        )
    }

    @Test func `a replace takes over what is left by now`() {
        var operation = Self.operation(.replace, id: 55)
        operation.carriedOver = [.stock]
        operation.live = ProductValues(name: "Desk lamp", price: 100, stock: 5)
        var moved = Self.product(55)
        moved.stock = 3
        var desired = operation.desired
        desired.stock = 3
        #expect(
            Self.trace(Self.machine(operation, staleCheck: true), [.start, .product(moved), .recorded]) == [
                .readProduct(55), .record(.sent(.create, highWater: 100), []),
                .send(WriteRequest(.create(desired, pictures: operation.pictures))),
            ]
        )
    }

    @Test(arguments: [true, false])
    func `a price that moved alone is done although the sale is another than the manifest's`(isIgnored: Bool) {
        var operation = Self.operation(.update, id: 55)
        operation.desired.sale = .price(80)
        operation.live.sale = .price(70)
        if isIgnored { operation.ignored = [.salePrice] }
        var shown = Self.product(55)
        shown.sale = .price(70)
        let actions = Self.trace(
            Self.machine(operation),
            [.start, .recorded, .outcome(.succeeded(WriteReply(product: shown))), .recorded]
        )
        #expect(actions.last == Self.result(.update, .done, id: 55))
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

    @Test func `a replace whose new product is not right takes it back and keeps the old one`() {
        let operation = Self.operation(.replace, id: 55)
        var cut = Self.reply
        cut.description = "Warm"
        let actions = Self.trace(
            Self.machine(operation, entry: Self.entry(55)),
            [.start, .recorded, .outcome(.succeeded(WriteReply(product: cut))), .recorded, .recorded]
                + [.outcome(.succeeded(WriteReply(deleteKey: "k1"))), .recorded]
                + [.outcome(.succeeded(WriteReply(product: cut))), .recorded]
        )
        let message =
            "the new product 101 was not as sent, so it was deleted again; product 55 stays as it was: "
            + "description: sent “Warm light, two arms.”, the market shows “Warm”"
        #expect(
            Array(actions.dropFirst(2)) == [
                .record(.advanced(.create, created: 101), [.vendor(29)]),
                .record(.sent(.deleteKey, highWater: nil), []), .send(WriteRequest(.deleteKey(101))),
                .record(.sent(.delete, highWater: nil), []), .send(WriteRequest(.delete(101, key: "k1"))),
                .record(.failed(message), []),
                Self.result(.replace, .failed, id: 55, error: message),
            ]
        )
    }

    @Test func `a new product that is not right and cannot be taken back stays unsettled`() {
        var cut = Self.reply
        cut.blank = [.description]
        cut.description = nil
        let actions = Self.trace(
            Self.machine(Self.operation(.replace, id: 55), entry: Self.entry(55)),
            [.start, .recorded, .outcome(.succeeded(WriteReply(product: cut))), .recorded, .recorded]
                + [.outcome(.refused(WriteRefusal(.other, status: 400, message: "no"))), .recorded]
        )
        #expect(actions[5] == .record(.unknown(.deleteKey, "no"), []))
        #expect(
            actions[6]
                == Self.result(
                    .replace,
                    .failed,
                    id: 101,
                    error: "the new product 101 is not as sent (description: sent “Warm light, two arms.”, the market "
                        + "shows nothing) and could not be deleted again yet, product 55 stays: no"
                )
        )
    }

    @Test func `a unit that was sold before a lost create was found is no reason to take it back`() {
        var sold = Self.reply
        sold.stock = 4
        let actions = Self.trace(
            Self.machine(Self.operation(.replace, id: 55), entry: Self.entry(55)),
            [.start, .recorded, .outcome(.uncertain(Self.failure)), .recorded]
                + [.settled(.happened(sold, picturesAreCertain: true))]
        )
        guard case .record(.advanced(.create, created: 101), let mutations) = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(mutations.contains { if case .put(let entry) = $0 { entry.id == 101 } else { false } })
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
