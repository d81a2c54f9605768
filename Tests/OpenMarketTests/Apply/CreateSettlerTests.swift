@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
import Testing

/// What became of creates, asked of a market that two vendors list on.
struct CreateSettlerTests {
    /// A market that shows what is listed, and gives delete keys of our products only.
    private struct TwoVendors: StandInMarket {
        let listed: [LiveProduct]
        var problems: [RowProblem] = []
        var isFromCache = false

        func perform(_ request: WriteRequest) async -> WriteOutcome {
            guard case .deleteKey(let id) = request.kind, let product = listed.first(where: { $0.id == id }),
                product.vendorID == 29
            else { return .refused(WriteRefusal(.other, status: 403, message: "not yours")) }
            return .succeeded(WriteReply())
        }
    }

    private static func open(_ index: Int, _ listing: Listing) -> CreateSettlement.OpenCreate {
        .init(
            index: index,
            key: listing.key,
            product: NewProduct(values: listing.values, pictures: listing.pictures),
            secret: nil,
            highWater: nil,
            since: .epoch
        )
    }

    private static func product(_ id: Int64, vendor: Int64, _ listing: Listing) -> LiveProduct {
        var values = listing.values
        values.images = nil
        values.sale = values.sale ?? .fullPrice
        return LiveProduct(
            id: MarketID(id),
            vendorID: vendor,
            values: values,
            images: [.init(id: MarketID(id), url: "u/\(id)")]
        )
    }

    /// Two creates are paired at once while it is not known who we are; the first one shows it, and the second is a stranger's.
    @Test(arguments: [false, true])
    func `what another vendor listed is not taken for ours once one of ours says who we are`(isReversed: Bool)
        async throws
    {
        let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        let fan = Listing.with(key: "fan", name: "Round fan", price: 200, pictures: [2])
        let creates = isReversed ? [Self.open(0, fan), Self.open(1, lamp)] : [Self.open(0, lamp), Self.open(1, fan)]
        let settler = CreateSettler(
            market: TwoVendors(listed: [Self.product(101, vendor: 77, fan), Self.product(102, vendor: 29, lamp)]),
            capabilities: MarketProfile.v2b.capabilities,
            configuration: ExecutorConfiguration(),
            time: RunTime(ExecutionEnvironment(wallTime: { Timestamp(milliseconds: 1_000_000) })),
            drain: StopSignal()
        )
        let verdicts = try await settler.settle(creates) { .init(snapshot: StateSnapshot()) }
        let ids = verdicts.mapValues { verdict -> MarketID? in
            if case .happened(let product, _) = verdict { product.id } else { nil }
        }
        #expect(ids == (isReversed ? [0: nil, 1: 102] : [0: 102, 1: nil]))
        #expect(verdicts[isReversed ? 0 : 1] == .neverHappened)
    }

    /// A market on which another session lists a product just before the list is read.
    private final class Shared: StandInMarket {
        let made: LiveProduct
        let isRead = Atomic(false)

        init(made: LiveProduct) { self.made = made }

        var listed: [LiveProduct] {
            isRead.store(true, ordering: .relaxed)
            return [made]
        }

        func perform(_ request: WriteRequest) async -> WriteOutcome { .succeeded(WriteReply()) }
    }

    @Test func `what another session lists until the list is read is not taken for a create's`() async throws {
        let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        let market = Shared(made: Self.product(101, vendor: 29, lamp))
        let settler = CreateSettler(
            market: market,
            capabilities: MarketProfile.v2b.capabilities,
            configuration: ExecutorConfiguration(),
            time: RunTime(ExecutionEnvironment(wallTime: { Timestamp(milliseconds: 1_000_000) })),
            drain: StopSignal()
        )
        let verdicts = try await settler.settle([Self.open(0, lamp)]) {
            // The state knows it from when it is there.
            let twin = StateEntry(key: "twin", id: 101, applied: lamp.values)
            let isThere = market.isRead.load(ordering: .relaxed)
            return .init(snapshot: StateSnapshot(entries: isThere ? ["twin": twin] : [:]))
        }
        #expect(verdicts == [0: .neverHappened])
    }

    /// A market where items have passwords of their own, and only the right one can change a product.
    private struct Passwords: StandInMarket {
        var profile: MarketProfile { .v1b }
        let products: [(product: LiveProduct, secret: SecretReference?)]

        var listed: [LiveProduct] { products.map(\.product) }

        func perform(_ request: WriteRequest) async -> WriteOutcome {
            guard case .proveOwnership(let id) = request.kind else { return .succeeded(WriteReply()) }
            return products.contains { $0.product.id == id && $0.secret == request.secret }
                ? .succeeded(WriteReply()) : .refused(WriteRefusal(.notFound, status: 404, message: "not found"))
        }
    }

    @Test func `a product with another create's password is that create's`() async throws {
        let lamps = ["lamp", "second"].map { Listing.with(key: $0, name: "Desk lamp", price: 100, pictures: [1]) }
        var creates = [Self.open(0, lamps[0]), Self.open(1, lamps[1])]
        creates[0].secret = .environment("FIRST")
        creates[1].secret = .environment("SECOND")
        var product = Self.product(101, vendor: 0, lamps[1])
        product.vendorID = nil
        let settler = CreateSettler(
            market: Passwords(products: [(product, .environment("SECOND"))]),
            capabilities: MarketProfile.v1b.capabilities,
            configuration: ExecutorConfiguration(),
            time: RunTime(ExecutionEnvironment(wallTime: { Timestamp(milliseconds: 1_000_000) })),
            drain: StopSignal()
        )
        let verdicts = try await settler.settle(creates) { .init(snapshot: StateSnapshot()) }
        #expect(verdicts[0] == .neverHappened)
        #expect(verdicts[1]?.product == 101)
    }

    /// The password may have been changed since the create, and then a product of ours is denied like another's.
    @Test(arguments: [nil, false, true])
    func `a refused password makes a product another's only where it opens one of ours`(opens: Bool?) async throws {
        let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        var product = Self.product(102, vendor: 0, lamp)
        product.vendorID = nil
        var known = product
        (known.id, known.name) = (101, "Fan")
        var snapshot = StateSnapshot()
        if opens != nil {
            snapshot.entries["fan"] = StateEntry(key: "fan", id: 101, applied: ProductValues(name: "Fan"))
        }
        let secret: SecretReference? = opens == true ? nil : .environment("FORMER")
        let settler = CreateSettler(
            market: Passwords(products: [(product, .environment("FORMER")), (known, secret)]),
            capabilities: MarketProfile.v1b.capabilities,
            configuration: ExecutorConfiguration(),
            time: RunTime(ExecutionEnvironment(wallTime: { Timestamp(milliseconds: 1_000_000) })),
            drain: StopSignal()
        )
        var create = Self.open(0, lamp)
        create.highWater = 101
        let before = snapshot
        let verdict = try await settler.settle([create]) { .init(snapshot: before) }[0]
        guard opens != true else {
            #expect(verdict == .neverHappened)
            return
        }
        #expect(verdict == .undecided([102], "none of your products shows that the credentials are right: not found"))
        // What this process sent has this process's password.
        create.isOwn = true
        #expect(try await settler.settle([create]) { .init(snapshot: before) }[0] == .neverHappened)
    }

    @Test func `a product that a reply named and that is another key's by now settles the create`() async throws {
        let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        var made = Self.product(102, vendor: 29, lamp)
        made.key = "X-12"
        #expect(try await Self.settleLamp(beside: [made], finding: [101], answered: 102)?.product == 102)
        #expect(
            try await Self.settleLamp(beside: [made], finding: [101], answered: 102, holder: "other") == .neverHappened
        )
    }

    @Test(arguments: [nil, "Desk lamp", "Desk"])
    func `a create is not said to have failed while a row that cannot be read may be its product`(name: String?)
        async throws
    {
        let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        let settler = CreateSettler(
            market: TwoVendors(
                listed: [],
                problems: [RowProblem(name: name, place: "page 1, row 1", message: "id is missing")]
            ),
            capabilities: MarketProfile.v2b.capabilities,
            configuration: ExecutorConfiguration(),
            time: RunTime(ExecutionEnvironment(wallTime: { Timestamp(milliseconds: 1_000_000) })),
            drain: StopSignal()
        )
        let settled = try await settler.settle([Self.open(0, lamp)]) { .init(snapshot: StateSnapshot()) }
        let previewed = try await settler.preview([Self.open(0, lamp)], .init(snapshot: StateSnapshot()))
        for verdict in [settled[0], previewed[0]] {
            guard case .unresolved? = verdict else {
                Issue.record("\(String(describing: verdict))")
                continue
            }
        }
    }

    @Test(arguments: [true, false])
    func `a create is not said to have failed by a list that a cache had`(idsRise: Bool) async throws {
        let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        var capabilities = MarketProfile.v2b.capabilities
        capabilities.idsRise = idsRise
        for isFromCache in [true, false] {
            let settler = CreateSettler(
                market: TwoVendors(listed: [], isFromCache: isFromCache),
                capabilities: capabilities,
                configuration: ExecutorConfiguration(),
                time: RunTime(ExecutionEnvironment(wallTime: { Timestamp(milliseconds: 1_000_000) })),
                drain: StopSignal()
            )
            let nothing = CreateSettler.Knowledge(snapshot: StateSnapshot(), taken: [])
            let settled = try await settler.settle([Self.open(0, lamp)]) { nothing }
            let previewed = try await settler.preview([Self.open(0, lamp)], nothing)
            for verdict in [settled[0], previewed[0]] {
                let isUnresolved = if case .unresolved? = verdict { true } else { false }
                #expect(isUnresolved == isFromCache, "\(String(describing: verdict))")
            }
        }
    }

    /// A market that carries keys, shows them, and finds only some products by them.
    private struct Keyed: StandInMarket {
        let products: [LiveProduct]
        let found: Set<MarketID>

        var listed: [LiveProduct] { products.filter { found.contains($0.id) } }

        func product(_ id: MarketID) async throws -> LiveProduct? { products.first { $0.id == id } }

        func products(withKey key: String) async throws -> [LiveProduct] {
            listed.filter { $0.key == key }
        }
    }

    /// Settles the create of a lamp whose reply was lost, on a market with a fan that the state knows as product 101, beside
    /// products that are gone.
    private static func settleLamp(
        beside others: [LiveProduct] = [],
        finding found: Set<MarketID>,
        gone: ClosedRange<Int64>? = nil,
        answered: MarketID? = nil,
        holder: String? = nil,
        refusedAtOnce: Bool = false
    ) async throws -> SettlementVerdict? {
        let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        let fan = Listing.with(key: "fan", name: "Round fan", price: 200, pictures: [2])
        var round = Self.product(101, vendor: 29, fan)
        round.key = "fan"
        var capabilities = MarketProfile.v2b.capabilities
        capabilities.key = .init(isFindable: true, uniqueness: .unenforced)
        var configuration = ExecutorConfiguration()
        configuration.sendsKeys = true
        configuration.settleDelay = refusedAtOnce ? .seconds(3600) : .zero
        let settler = CreateSettler(
            market: Keyed(products: [round] + others, found: found),
            capabilities: capabilities,
            configuration: configuration,
            time: RunTime(ExecutionEnvironment(clock: NoWait(), wallTime: { Timestamp(milliseconds: 1_000_000) })),
            drain: StopSignal()
        )
        var create = Self.open(0, lamp)
        create.highWater = 101
        (create.isDuplicate, create.isRefusedAtOnce) = (refusedAtOnce, refusedAtOnce)
        create.carried = .init(key: "lamp")
        create.answered = answered
        var snapshot = StateSnapshot(
            entries: ["fan": StateEntry(key: "fan", id: 101, applied: fan.values)],
            vendorID: 29
        )
        for id in gone.map(Array.init) ?? [] {
            snapshot.entries["gone-\(id)"] = StateEntry(key: "gone-\(id)", id: MarketID(id), applied: fan.values)
        }
        if let holder, let answered {
            snapshot.entries[holder] = StateEntry(key: holder, id: answered, applied: lamp.values)
        }
        let known = snapshot
        return try await settler.settle([create]) { .init(snapshot: known) }[0]
    }

    @Test func `a key that is not found proves nothing where another product is not found by its key either`()
        async throws
    {
        // Products that are gone, and newer than it, say nothing of the search.
        for gone in [nil, 201...203] as [ClosedRange<Int64>?] {
            #expect(try await Self.settleLamp(finding: [101], gone: gone) == .neverHappened)
            #expect(
                try await Self.settleLamp(finding: [], gone: gone)
                    == .unresolved(
                        "product 101 is not found by the key 'fan' that it shows, so another one may exist; see "
                            + "'identity.key.find' of the market's description"
                    )
            )
        }
    }

    /// A clock on which nothing may wait.
    private struct NoWait: Clock {
        var now: ContinuousClock.Instant { .now }
        var minimumResolution: Duration { .nanoseconds(1) }
        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            if deadline > now { throw CancellationError() }
        }
    }

    @Test func `nothing is waited for after a create that was refused at once`() async throws {
        let verdict = try await Self.settleLamp(finding: [101], refusedAtOnce: true)
        guard case .unresolved? = verdict else { throw Unexpected(verdict: verdict) }
    }

    private struct Unexpected: Error { var verdict: SettlementVerdict? }

    @Test func `a new product as it was sent is the create's, if its key is the create's in another spelling`()
        async throws
    {
        let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        var made = Self.product(102, vendor: 29, lamp)
        for key in ["LAMP", "la", "p-lamp", nil] {
            made.key = key
            #expect(try await Self.settleLamp(beside: [made], finding: [101, 102])?.product == 102)
        }
        for other in ["fan", "X-12", "-"] {
            made.key = other
            #expect(try await Self.settleLamp(beside: [made], finding: [101, 102]) == .neverHappened)
        }
    }
}
