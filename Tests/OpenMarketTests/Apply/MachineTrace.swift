@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport

/// A machine under way, asked event by event: each comes a second after the one before.
struct MachineTrace {
    private(set) var machine: OperationMachine
    private var seconds = 0
    /// Whether the run is stopping.
    var isStopping = false
    /// Our vendor number, where the run knows it.
    var vendor: Int64? {
        didSet { identity = VendorIdentity(claim: nil, state: StateSnapshot(vendorID: vendor), live: [:]) }
    }
    /// Who we are.
    var identity = VendorIdentity()
    /// The other key that the product of the next event belongs to.
    var holder: String?
    /// The repeat keys that requests get, one after the other.
    var repeatKeys: [String] = []

    init(
        _ work: PlannedOperation.Work,
        entry: StateEntry? = nil,
        profile: MarketProfile = .v2b,
        capabilities: MarketCapabilities? = nil,
        sendsKeys: Bool = false,
        staleCheck: Bool = false,
        resuming resumption: UnresolvedOperation? = nil
    ) {
        var configuration = ExecutorConfiguration()
        configuration.staleCheck = staleCheck
        configuration.sendsKeys = sendsKeys
        configuration.delays = RetryDelays(base: .seconds(1), cap: .seconds(8))
        configuration.maximumAttempts = 3
        machine = OperationMachine(
            sequence: 7,
            operation: PlannedOperation(key: "lamp", reason: "", work: work),
            entry: entry,
            capabilities: capabilities ?? profile.capabilities,
            configuration: configuration,
            resumption: resumption
        )
    }

    /// Lets time pass.
    mutating func wait(_ seconds: Int) { self.seconds += seconds }

    /// What the machine answers an event with.
    mutating func callAsFunction(_ event: OperationMachine.Event) -> OperationMachine.Action {
        defer { seconds += 1 }
        if repeatKeys.count > 1 { repeatKeys.removeFirst() }
        return machine.handle(
            event,
            OperationMachine.Context(
                elapsed: .seconds(seconds),
                jitter: 0.5,
                isStopping: isStopping,
                highWater: 100,
                identity: identity,
                holder: holder,
                freshIdempotencyKey: repeatKeys.isEmpty ? nil : "\(repeatKeys[0])"
            )
        )
    }

    /// What the machine answers the last of some events with.
    mutating func after(_ events: OperationMachine.Event...) -> OperationMachine.Action? {
        events.map { self($0) }.last
    }
}

/// The lamp that the traces are about.
enum Lamp {
    static let listing = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1, 2])
    static let new = NewProduct(values: listing.values, pictures: listing.pictures)
    static let update = PlannedOperation.Update(
        id: 55,
        changes: [
            FieldChange(field: .price, kind: .change, base: .number(90), live: .number(90), manifest: .number(100))
        ],
        desired: listing.values,
        live: ProductValues(name: "Desk lamp", price: 90),
        pictures: listing.pictures
    )
    static let replacement = PlannedOperation.Replacement(
        id: 55,
        changes: [],
        product: new,
        live: ProductValues(name: "Desk lamp", price: 90)
    )
    static let deletion = PlannedOperation.Deletion(id: 55, live: ProductValues(name: "Desk lamp", price: 90))

    /// The lamp as the market shows it.
    static func product(_ id: MarketID, _ change: (inout LiveProduct) -> Void = { _ in }) -> LiveProduct {
        var product = LiveProduct(
            id: id,
            vendorID: 29,
            name: "Desk lamp",
            description: "Warm light, two arms.",
            price: 100,
            currency: .krw,
            sale: Sale.fullPrice,
            stock: 5,
            images: [11, 12].map { (id: Int64) in
                LiveProduct.Image(id: MarketID(id), url: "https://market.example/\(id)")
            }
        )
        change(&product)
        return product
    }

    /// The lamp as the state knows it.
    static func entry(_ id: MarketID, _ change: (inout StateEntry) -> Void = { _ in }) -> StateEntry {
        var entry = StateEntry(
            key: "lamp",
            id: id,
            vendorID: 29,
            applied: listing.values,
            images: [
                .init(digest: .picture(1), reference: "11"), .init(digest: .picture(2), reference: "12"),
            ]
        )
        change(&entry)
        return entry
    }
}

extension OperationMachine.Event {
    /// The request was carried out, and its reply shows this product.
    static func replied(_ product: LiveProduct? = nil) -> Self { .outcome(.succeeded(WriteReply(product: product))) }

    /// The reply to a request for a delete key.
    static func replied(key: String) -> Self { .outcome(.succeeded(WriteReply(deleteKey: key))) }

    /// The request provably did nothing.
    static let notSent = Self.outcome(.notSent(WriteTrouble("connection reset")))

    /// It is not known what the request did.
    static let unheard = Self.outcome(.uncertain(WriteTrouble("connection reset")))

    /// The market knows no such product.
    static let notFound = Self.outcome(.refused(WriteRefusal(.notFound, status: 404, message: "Not Found")))

    /// The market refuses the request.
    static let refused = Self.outcome(.refused(WriteRefusal(.other, status: 400, message: "no")))

    /// The create took effect.
    static func happened(_ product: LiveProduct) -> Self { .settled(.happened(product, picturesAreCertain: true)) }
}

extension OperationMachine.Action {
    /// The fact that a create is about to leave.
    static let announceCreate = Self.record(.sent(.create, highWater: 100), [])

    /// The fact that another request is about to leave.
    static func announce(_ step: RequestStep) -> Self { .record(.sent(step, highWater: nil), []) }

    static func send(_ kind: WriteRequest.Kind) -> Self { .send(WriteRequest(kind)) }

    static func sendCreate(_ product: NewProduct = Lamp.new) -> Self {
        .send(.create(product.values, pictures: product.pictures))
    }

    static func sendUpdate(_ update: PlannedOperation.Update = Lamp.update) -> Self {
        let request = ProductUpdate(
            changed: [.price],
            desired: update.desired,
            live: update.live,
            pictures: update.pictures
        )
        return .send(.update(update.id, request))
    }

    /// The market is to be asked about a create.
    static func settleCreate(answered: MarketID? = nil, _ trouble: String = "connection reset") -> Self {
        .settle(.init(product: Lamp.new, highWater: 100, answered: answered, trouble: trouble))
    }

    static func end(
        _ action: PlannedOperation.Action,
        _ status: OperationResult.Status,
        _ id: MarketID?,
        _ error: String? = nil
    ) -> Self {
        .finish(OperationResult(sequence: 7, key: "lamp", action: action, status: status, id: id, error: error))
    }
}
