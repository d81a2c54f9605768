import OpenMarket
import OpenMarketDescription
import OpenMarketTestSupport
import Synchronization

/// How often what goes wrong, and what others do meanwhile.
struct Faults: Sendable {
    /// No connection: nothing happened.
    var notSent = 0.0
    /// 429, with a time to wait.
    var overload = 0.0
    /// The reply is lost, nothing happened.
    var lostWithoutEffect = 0.0
    /// It happened, the reply is lost.
    var lostWithEffect = 0.0
    /// Time ran out; it happens later.
    var lateEffect = 0.0
    /// The reply shows less than it should.
    var sparseReply = 0.0
    /// A reading request fails.
    var unreadable = 0.0
    /// Another seller lists a product that equals one of ours.
    var foreignTwin = 0.0

    static let none = Faults()
}

/// A market in memory that behaves as the profiles do, for one of them.
final class SimulatedMarket: InspectedMarket {
    struct Row: Sendable, Equatable {
        var product: LiveProduct
        var isOurs: Bool
        /// From when on reading and writing find it (v1).
        var visibleFrom: Duration
        var deleteKey: String?
    }

    private struct State {
        var rows: [MarketID: Row] = [:]
        var nextID: Int64 = 100
        var nextImage: Int64 = 1
        var late: [(due: Duration, request: WriteRequest)] = []
        var faults = Faults.none
        var script: [WriteOutcome] = []
        var requests: [WriteRequest] = []
        var trespasses: [String] = []
        var digests: [String: ContentDigest] = [:]
        var wrongPasswords: Set<MarketID> = []
        /// What only the list shows.
        var denied: Set<MarketID> = []
        var createsOurs = 0
        /// How much of a description the market keeps.
        var descriptionLimit = Int.max
    }

    static let ourVendor: Int64 = 29
    static let otherVendor: Int64 = 77

    let profile: MarketProfile
    private let simulation: Simulation
    private let state = Mutex(State())

    init(profile: MarketProfile, simulation: Simulation) {
        self.profile = profile
        self.simulation = simulation
    }

    private var isV1: Bool { profile == .v1a || profile == .v1b }

    // MARK: - What tests look at

    /// Everything on the market, what is still to happen included.
    var rows: [Row] {
        state.withLock { $0.rows.values.sorted { MarketID.precedes($0.product.id, $1.product.id) } }
    }

    var ours: [LiveProduct] { rows.filter(\.isOurs).map(\.product) }
    var foreign: [Row] { rows.filter { !$0.isOurs } }
    /// Writing requests to products of others, proofs apart.
    var trespasses: [String] { state.withLock { $0.trespasses } }
    var requests: [WriteRequest] { state.withLock { $0.requests } }

    func set(_ faults: Faults) { state.withLock { $0.faults = faults } }

    /// The next requests come to this instead of having an effect.
    func script(_ outcomes: [WriteOutcome]) { state.withLock { $0.script = outcomes } }

    /// Changes or adds a product behind everybody's back.
    func edit(_ id: MarketID, _ body: (inout LiveProduct) -> Void) {
        state.withLock { if var row = $0.rows[id] { body(&row.product); $0.rows[id] = row } }
    }

    /// From now on the market keeps no more of a description.
    func cutDescriptions(at limit: Int) { state.withLock { $0.descriptionLimit = limit } }

    func remove(_ id: MarketID) { state.withLock { $0.rows[id] = nil } }

    /// Reading and writing do not find the product for so long, as after a write of another person's (v1).
    func hide(_ id: MarketID, for duration: Duration) {
        let until = simulation.now + duration
        state.withLock { $0.rows[id]?.visibleFrom = until }
    }

    /// From now on the product's detail is answered with 404, although the list shows it.
    func deny(_ id: MarketID) { state.withLock { _ = $0.denied.insert(id) } }

    /// The product's password is no longer what we think (v1).
    func changePassword(_ id: MarketID) { state.withLock { _ = $0.wrongPasswords.insert(id) } }

    @discardableResult
    func add(_ values: ProductValues, isOurs: Bool) -> MarketID {
        let now = simulation.now
        return state.withLock { insert(values, isOurs: isOurs, now: now, into: &$0) }
    }

    // MARK: - Market

    func requireProfile() async throws {}

    func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        let rows = try await read { $0.rows.values.map(\.self) }.sorted {
            MarketID.follows($0.product.id, $1.product.id)
        }
        for entry in rows { try await row(details ? entry.product : listed(entry.product)) }
        var summary = CatalogSummary()
        summary.rows = rows.count
        summary.completeness = .proved(.whole)
        return summary
    }

    func product(_ id: MarketID) async throws -> LiveProduct? {
        try await read { state in state.denied.contains(id) ? [] : [state.rows[id]].compactMap(\.self) }.first?.product
    }

    func picture(at url: String) async throws -> FetchedPicture {
        FetchedPicture(bytes: [], digest: try await pictureDigest(at: url))
    }

    func pictureDigest(at url: String) async throws -> ContentDigest {
        guard let digest = state.withLock({ $0.digests[url] }) else { throw MarketError(.refused, "no picture") }
        return digest
    }

    func perform(_ request: WriteRequest) async -> WriteOutcome {
        guard !simulation.isCrashed else { return .notSent(WriteTrouble("dead")) }
        guard simulation.survives() else {
            // The request may have been on its way when the process died.
            if simulation.chance(0.5) { later(request) }
            return .notSent(WriteTrouble("dead"))
        }
        try? await simulation.clock.sleep(for: simulation.milliseconds(1..<60))
        guard !simulation.isCrashed else { return .notSent(WriteTrouble("dead")) }
        let faults = state.withLock { $0.faults }
        if let outcome = state.withLock({ $0.script.isEmpty ? nil : $0.script.removeFirst() }) {
            state.withLock { $0.requests.append(request) }
            return outcome
        }
        if simulation.chance(faults.foreignTwin) { listForeignTwin() }
        if simulation.chance(faults.notSent) { return .notSent(WriteTrouble("no connection")) }
        if simulation.chance(faults.overload) {
            let wait: Duration? = simulation.chance(0.5) ? simulation.milliseconds(100..<2000) : nil
            return .notSent(WriteTrouble("429", isOverload: true, retryAfter: wait))
        }
        if simulation.chance(faults.lostWithoutEffect) { return .uncertain(WriteTrouble("connection reset")) }
        if simulation.chance(faults.lateEffect) {
            try? await simulation.clock.sleep(for: .seconds(1))
            if !simulation.isCrashed { later(request) }
            return .uncertain(WriteTrouble("timed out", isTimeout: true))
        }
        var outcome = carryOut(request)
        simulation.log("market: \(request.step) \(outcome.summary)")
        guard simulation.survives() else { return .uncertain(WriteTrouble("dead")) }
        if simulation.chance(faults.lostWithEffect) { return .uncertain(WriteTrouble("connection reset")) }
        if case .succeeded(var reply) = outcome, simulation.chance(faults.sparseReply) {
            if case .create = request.kind {
                reply.product?.description = nil
                reply.product?.stock = nil
            } else {
                reply.product = nil
            }
            outcome = .succeeded(reply)
        }
        return outcome
    }

    // MARK: - How it works

    /// Reads what shows at this moment.
    private func read(_ body: (inout sending State) -> [Row]) async throws -> [Row] {
        guard simulation.survives() else { throw Crash() }
        try await simulation.clock.sleep(for: simulation.milliseconds(1..<30))
        guard !simulation.isCrashed else { throw Crash() }
        carryOutLate()
        let now = simulation.now
        if simulation.chance(state.withLock { $0.faults.unreadable }) { throw MarketError(.unreachable, "no answer") }
        return state.withLock { body(&$0) }.filter { $0.visibleFrom <= now }
    }

    private func listed(_ product: LiveProduct) -> LiveProduct {
        var row = product
        row.images = nil
        if !profile.capabilities.listShowsDescription { row.description = nil }
        return row
    }

    private func later(_ request: WriteRequest) {
        let due = simulation.now + simulation.milliseconds(0..<1800)
        state.withLock { $0.late.append((due, request)) }
    }

    /// What was due by now has happened.
    func carryOutLate() {
        let now = simulation.now
        while let (due, request) = state.withLock({ state -> (due: Duration, request: WriteRequest)? in
            guard
                let index = state.late.indices.filter({ state.late[$0].due <= now })
                    .min(by: { state.late[$0].due < state.late[$1].due })
            else { return nil }
            return state.late.remove(at: index)
        }) {
            let outcome = carryOut(request, at: due)
            simulation.log("market, late: \(request.step) \(outcome.summary)")
        }
    }

    private func carryOut(_ request: WriteRequest) -> WriteOutcome {
        carryOutLate()
        return carryOut(request, at: simulation.now)
    }

    private func carryOut(_ request: WriteRequest, at now: Duration) -> WriteOutcome {
        state.withLock { state in
            state.requests.append(request)
            switch request.kind {
            case .create(let values, let pictures):
                guard values.images?.count == pictures.count else {
                    return .refused(WriteRefusal(.other, status: 400, message: "pictures are missing"))
                }
                state.createsOurs += 1
                let id = insert(values, isOurs: true, now: now, into: &state)
                return .succeeded(WriteReply(product: state.rows[id]?.product))
            case .update(let id, let update):
                return own(id, "update", now, &state) { row, state in
                    write(update, to: &row.product, &state)
                    if isV1 { row.visibleFrom = now + .milliseconds(1500) }
                    return WriteReply(product: row.product)
                }
            case .deleteKey(let id):
                return own(id, nil, now, &state) { row, _ in
                    let key = "key-\(id)-\(simulation.number(0..<1_000_000))"
                    row.deleteKey = key
                    return WriteReply(deleteKey: key)
                }
            case .delete(let id, let key):
                if !isV1, let row = state.rows[id], row.isOurs, key == nil || key != row.deleteKey {
                    return .refused(WriteRefusal(.other, status: 400, message: "wrong key"))
                }
                let outcome = own(id, "delete", now, &state) { row, _ in WriteReply(product: row.product) }
                if case .succeeded = outcome { state.rows[id] = nil }
                return outcome
            case .proveOwnership(let id):
                return own(id, nil, now, &state) { row, _ in WriteReply(product: row.product) }
            case .upload, .attach:
                return .refused(WriteRefusal(.other, status: 404, message: "pictures come with the product"))
            }
        }
    }

    /// Does something to a product, if it is there, shows, and is ours.
    private func own(
        _ id: MarketID,
        _ trespass: String?,
        _ now: Duration,
        _ state: inout State,
        _ body: (inout Row, inout State) -> WriteReply
    ) -> WriteOutcome {
        guard var row = state.rows[id], row.visibleFrom <= now else {
            return .refused(WriteRefusal(.notFound, status: 404, message: "Not Found"))
        }
        guard row.isOurs else {
            if let trespass { state.trespasses.append("\(trespass) of \(id)") }
            return isV1
                ? .refused(WriteRefusal(.notFound, status: 404, message: "Not Found"))
                : .refused(WriteRefusal(.other, status: 403, message: "not yours"))
        }
        guard !state.wrongPasswords.contains(id) else {
            return .refused(WriteRefusal(.notFound, status: 404, message: "Not Found"))
        }
        let reply = body(&row, &state)
        state.rows[id] = row
        return .succeeded(reply)
    }

    private func insert(_ values: ProductValues, isOurs: Bool, now: Duration, into state: inout State) -> MarketID {
        let id = MarketID(state.nextID)
        state.nextID += 1
        let vendor = isOurs ? Self.ourVendor : Self.otherVendor
        let images = store(values.images ?? [], &state)
        let product = LiveProduct(
            id: id,
            vendorID: isV1 ? nil : vendor,
            name: values.name,
            description: values.description.map { String($0.prefix(state.descriptionLimit)) },
            price: values.price,
            currency: values.currency,
            sale: values.sale ?? Sale.fullPrice,
            stock: values.stock ?? 0,
            thumbnailURL: images.first?.thumbnailURL,
            images: images,
            createdAt: "\(now)",
            issuedAt: isV1 ? nil : "\(now)"
        )
        state.rows[id] = Row(
            product: product,
            isOurs: isOurs,
            visibleFrom: isV1 ? now + .milliseconds(1500) : now
        )
        return id
    }

    private func store(_ pictures: [PictureIdentity], _ state: inout State) -> [LiveProduct.Image] {
        pictures.map { picture in
            let number = state.nextImage
            state.nextImage += 1
            let url = "https://market.example/\(number)_origin"
            if case .digest(let digest) = picture { state.digests[url] = digest }
            return LiveProduct.Image(
                id: isV1 ? nil : MarketID(number),
                url: url,
                thumbnailURL: "https://market.example/\(number)_thumb"
            )
        }
    }

    private func write(_ update: ProductUpdate, to product: inout LiveProduct, _ state: inout State) {
        for field in update.changed {
            switch field {
            case .name: product.name = update.desired.name
            case .description: product.description = update.desired.description
            case .price: product.price = update.desired.price
            case .currency: product.currency = update.desired.currency
            case .salePrice: product.sale = update.desired.sale
            case .stock: product.stock = update.desired.stock
            case .images:
                product.images = store(update.desired.images ?? [], &state)
                product.thumbnailURL = product.images?.first?.thumbnailURL
            case .thumbnail:
                if let image = product.images?.first(where: { $0.id == update.thumbnailImageID }) {
                    product.thumbnailURL = image.thumbnailURL
                }
            }
        }
    }

    /// Another seller lists what we list, too: the newest that is ours, or that was asked for.
    private func listForeignTwin() {
        let now = simulation.now
        state.withLock { state in
            let asked = state.requests.reversed().compactMap { request -> ProductValues? in
                if case .create(let values, _) = request.kind { values } else { nil }
            }
            guard let values = asked.first else { return }
            _ = insert(values, isOurs: false, now: now, into: &state)
        }
    }
}

extension WriteOutcome {
    var summary: String {
        switch self {
        case .succeeded(let reply): "succeeded \(reply.product?.id.description ?? reply.deleteKey ?? "")"
        case .refused(let refusal): "refused \(refusal.message)"
        case .notSent(let trouble), .uncertain(let trouble): trouble.message
        }
    }
}
