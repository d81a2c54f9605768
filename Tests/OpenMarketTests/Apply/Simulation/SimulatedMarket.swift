@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization

/// A market in memory that behaves as its description says, a built-in one or another.
final class SimulatedMarket: Market {
    struct Row: Sendable, Equatable {
        var product: LiveProduct
        var isOurs: Bool
        var madeAt: Duration
        /// From when on reading and writing find it.
        var visibleFrom: Duration
        var deleteKey: String?
    }

    /// A request that the market carries out later.
    struct Late {
        var due: Duration
        var request: WriteRequest
        /// Whether it has arrived, so that another one of its repeat key has to wait.
        var hasArrived: Bool
    }

    struct State {
        var rows: [MarketID: Row] = [:]
        var next: Int64 = 100
        var nextImage: Int64 = 1
        var late: [Late] = []
        var faults = Faults.none
        var script: [WriteOutcome] = []
        var requests: [WriteRequest] = []
        var trespasses: [String] = []
        var digests: [String: ContentDigest] = [:]
        var answers: [String: (outcome: WriteOutcome, at: Duration)] = [:]
        var uploads: [String: (digest: ContentDigest, at: Duration)] = [:]
        /// What only the list shows.
        var denied: Set<MarketID> = []
        /// How long it takes to answer a writing request.
        var delay: Duration?
        /// How much of a description the market keeps.
        var descriptionLimit = Int.max
        /// Which version of the tool encodes requests.
        var version = 1
    }

    static let ourVendor: Int64 = 29
    static let otherVendor: Int64 = 77

    let profile: MarketProfile
    let traits: MarketTraits
    let description: MarketDescription
    let simulation: Simulation
    private let state = Mutex(State())

    init(
        profile: MarketProfile,
        traits: MarketTraits = MarketTraits(),
        simulation: Simulation
    ) {
        self.profile = profile
        self.traits = traits
        self.simulation = simulation
        description = MarketDescription(of: profile)
    }

    var capabilities: MarketCapabilities { profile.capabilities }

    /// For how long the market knows a repeat key.
    private var window: Duration? {
        traits.missing == .window ? .seconds(3600) : capabilities.repetition?.window
    }

    /// For how long what was just written does not show: less than the description allows.
    var hiding: Duration { capabilities.readAfterWriteDelay * 3 / 4 }

    /// Whether another person's product of the same name is not taken for ours.
    var distinguishesOthers: Bool {
        profile.isBuiltIn || capabilities.carriesKeys
            || capabilities.idsRise && capabilities.listShowsVendor
    }

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

    /// Changes a product behind everybody's back.
    func edit(_ id: MarketID, _ body: (inout LiveProduct) -> Void) {
        state.withLock { state in
            guard var row = state.rows[id] else { return }
            body(&row.product)
            state.rows[id] = row
        }
    }

    /// From now on the market keeps no more of a description.
    func cutDescriptions(at limit: Int) { state.withLock { $0.descriptionLimit = limit } }

    /// From now on the market takes so long to answer.
    func answer(after delay: Duration) { state.withLock { $0.delay = delay } }

    /// From now on requests are encoded as another version of the tool does.
    func encodeOtherwise() { state.withLock { $0.version += 1 } }

    func remove(_ id: MarketID) { state.withLock { $0.rows[id] = nil } }

    /// Reading and writing do not find the product for so long, as after a write of another person's (v1).
    func hide(_ id: MarketID, for duration: Duration) {
        let until = simulation.now + duration
        state.withLock { $0.rows[id]?.visibleFrom = until }
    }

    /// From now on the product's detail is answered with 404, although the list shows it.
    func deny(_ id: MarketID) { state.withLock { _ = $0.denied.insert(id) } }

    /// A product that is made behind everybody's back; another person's has an article number of its own.
    @discardableResult
    func add(_ values: ProductValues, isOurs: Bool) -> MarketID {
        let now = simulation.now
        return state.withLock { state in
            let key = isOurs || !capabilities.carriesKeys ? nil : "sku-\(state.next)"
            return insert(
                values,
                key: key,
                pictures: values.images ?? [],
                isOurs: isOurs,
                now: now,
                into: &state
            )
        }
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
        let products = rows.map { details ? shown($0) : listed($0) }
        for product in products { try await row(product) }
        var summary = CatalogSummary()
        summary.rows = rows.count
        summary.completeness = .proved(.whole)
        return summary
    }

    func product(_ id: MarketID) async throws -> LiveProduct? {
        try await read { state in state.denied.contains(id) ? [] : [state.rows[id]].compactMap(\.self) }
            .first
            .map(shown)
    }

    func products(withKey key: String) async throws -> [LiveProduct] {
        let lag = traits.lookupLag
        let now = simulation.now
        let found = try await read { $0.rows.values.filter { $0.madeAt + lag <= now } }.map(shown)
        guard traits.missing == .lookupCheck else { return found.filter { $0.key == key } }
        // The market ignores the filter, and the rows are not looked at.
        return found.map { product in
            var product = product
            product.key = nil
            return product
        }
    }

    func bodyDigest(of request: WriteRequest) -> ContentDigest? {
        guard case .create(let values, let pictures) = request.kind else { return nil }
        let body =
            "\(values)|\(pictures.map(\.digest))|\(request.key ?? "")|\(request.references)|\(request.idempotencyKey ?? "")"
        var hash = FNVHash()
        hash.add(body)
        hash.add(word: state.withLock { UInt64($0.version) })
        return ContentDigest(
            bytes: (0..<32).map { UInt8(truncatingIfNeeded: hash.value >> UInt64($0 % 8 * 8)) }
        )
    }

    func picture(at url: String) async throws -> FetchedPicture {
        FetchedPicture(bytes: [], digest: try await pictureDigest(at: url))
    }

    func pictureDigest(at url: String) async throws -> ContentDigest {
        guard let digest = digest(at: url) else { throw MarketError(.refused, "no picture") }
        return digest
    }

    /// The digest of a picture that the market shows, or showed once.
    func digest(at url: String) -> ContentDigest? { state.withLock { $0.digests[url] } }

    func perform(_ request: WriteRequest) async -> WriteOutcome {
        let outcome = await answer(to: request)
        await simulation.thaw()
        return outcome
    }

    private func answer(to request: WriteRequest) async -> WriteOutcome {
        guard !simulation.isCrashed else { return .notSent(WriteTrouble("dead")) }
        var request = request
        if traits.missing == .idempotencyKey, request.idempotencyKey != nil {
            request.idempotencyKey = "\(simulation.number(0..<1_000_000_000))"
        }
        guard simulation.survives() else {
            // The request may have been on its way when the process died.
            if simulation.chance(0.5) { later(request) }
            return .notSent(WriteTrouble("dead"))
        }
        if let delay = state.withLock({ $0.delay }) {
            do { try await simulation.clock.sleep(for: delay) } catch {
                return .uncertain(WriteTrouble("cancelled"))
            }
        }
        try? await simulation.clock.sleep(for: simulation.milliseconds(1..<60))
        guard !simulation.isCrashed else { return .notSent(WriteTrouble("dead")) }
        let faults = state.withLock { $0.faults }
        if let outcome = state.withLock({ $0.script.isEmpty ? nil : $0.script.removeFirst() }) {
            state.withLock { $0.requests.append(request) }
            return outcome
        }
        if simulation.chance(faults.foreignTwin) { listForeignTwin(of: request) }
        if simulation.chance(faults.notSent) { return .notSent(WriteTrouble("no connection")) }
        if simulation.chance(faults.overload) { return .notSent(overload(of: request)) }
        if simulation.chance(faults.lostWithoutEffect) { return failed(request) }
        if simulation.chance(faults.lateEffect) {
            try? await simulation.clock.sleep(for: .seconds(1))
            if !simulation.isCrashed { later(request) }
            return .uncertain(WriteTrouble("timed out"))
        }
        var outcome = carryOut(request)
        simulation.log("market: \(request.step) \(request.key ?? "") \(outcome.summary)")
        guard simulation.survives() else { return .uncertain(WriteTrouble("dead")) }
        if simulation.chance(faults.lostWithEffect) {
            return .uncertain(WriteTrouble("connection reset"))
        }
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

    // MARK: - Reading

    /// A product as the market shows it by itself.
    func shown(_ row: Row) -> LiveProduct {
        var product = row.product
        if description.fields.description?.place.unset != nil, product.description == "" {
            product.description = nil
            product.unset.insert(.description)
        }
        return product
    }

    /// Reads what shows at this moment.
    private func read(_ body: (inout sending State) -> [Row]) async throws -> [Row] {
        guard simulation.survives() else { throw Crash() }
        try await simulation.clock.sleep(for: simulation.milliseconds(1..<30))
        guard !simulation.isCrashed else { throw Crash() }
        carryOutLate()
        let now = simulation.now
        await simulation.thaw()
        if simulation.chance(state.withLock { $0.faults.unreadable }) {
            throw MarketError(.unreachable, "no answer")
        }
        return state.withLock { body(&$0) }.filter { $0.visibleFrom <= now }
    }

    private func listed(_ row: Row) -> LiveProduct {
        var product = shown(row)
        if !capabilities.listShowsPictures { product.images = nil }
        if !capabilities.listShowsDescription {
            product.description = nil
            product.unset.remove(.description)
        }
        return product
    }

    // MARK: - Requests that are repeated

    /// 429; a market that repeats its errors says so again.
    private func overload(of request: WriteRequest) -> WriteTrouble {
        let wait: Duration? = simulation.chance(0.5) ? simulation.milliseconds(100..<2000) : nil
        let trouble = WriteTrouble("429", isOverload: true, retryAfter: wait)
        if replaysErrors { answer(request, .notSent(trouble)) }
        return trouble
    }

    /// 500, without effect; a market that repeats its errors says so again.
    private func failed(_ request: WriteRequest) -> WriteOutcome {
        let outcome = WriteOutcome.uncertain(WriteTrouble("500"))
        if replaysErrors, simulation.chance(0.5) { answer(request, outcome) }
        return outcome
    }

    private var replaysErrors: Bool { capabilities.repetition?.replaysErrors == true }

    /// Remembers the answer to a request that may be repeated, unless there is one.
    private func answer(_ request: WriteRequest, _ outcome: WriteOutcome) {
        let now = simulation.now
        guard let key = request.idempotencyKey, window != nil else { return }
        state.withLock { state in
            if known(key, now, &state) == nil { state.answers[key] = (outcome, now) }
        }
    }

    private func known(_ key: String, _ now: Duration, _ state: inout State) -> WriteOutcome? {
        guard let answer = state.answers[key], let window, now - answer.at < window else { return nil }
        return answer.outcome
    }

    private func later(_ request: WriteRequest) {
        let due = simulation.now + simulation.milliseconds(0..<1800)
        let hasArrived = simulation.chance(0.5)
        state.withLock { $0.late.append(Late(due: due, request: request, hasArrived: hasArrived)) }
    }

    /// What was due by now has happened.
    func carryOutLate() {
        let now = simulation.now
        while let late = state.withLock({ state -> Late? in
            guard
                let index = state.late.indices.filter({ state.late[$0].due <= now })
                    .min(by: { state.late[$0].due < state.late[$1].due })
            else { return nil }
            return state.late.remove(at: index)
        }) {
            let request = late.request
            let outcome = carryOut(request, at: late.due)
            simulation.log("market, late: \(request.step) \(request.key ?? "") \(outcome.summary)")
        }
    }

    private func carryOut(_ request: WriteRequest) -> WriteOutcome {
        carryOutLate()
        let isUnderWay = state.withLock { state in
            request.idempotencyKey != nil
                && state.late.contains { $0.hasArrived && $0.request.idempotencyKey == request.idempotencyKey }
        }
        if isUnderWay, window != nil {
            return .notSent(WriteTrouble("409: being worked on", retryAfter: .seconds(1)))
        }
        return carryOut(request, at: simulation.now)
    }

    private func carryOut(_ request: WriteRequest, at now: Duration) -> WriteOutcome {
        let replayed = state.withLock { state in request.idempotencyKey.flatMap { known($0, now, &state) } }
        if let replayed { return replayed }
        let outcome = state.withLock { carryOut(request, at: now, &$0) }
        if case .succeeded = outcome {
            answer(request, outcome)
        } else if replaysErrors {
            answer(request, outcome)
        }
        return outcome
    }

    // MARK: - What requests do

    private func carryOut(_ request: WriteRequest, at now: Duration, _ state: inout State) -> WriteOutcome {
        state.requests.append(request)
        switch request.kind {
        case .create(let values, let pictures):
            if let refusal = duplicate(of: request, now, state) { return .refused(refusal) }
            let travels = capabilities.pictureStyle != .attach && capabilities.pictureStyle != .none
            guard !travels || (values.images?.count ?? 0) == pictures.count,
                let digests = digests(of: request, pictures, now, state)
            else { return .refused(WriteRefusal(.other, status: 400, message: "pictures are missing")) }
            let id = insert(values, key: request.key, pictures: digests, isOurs: true, now: now, into: &state)
            return .succeeded(WriteReply(product: state.rows[id].map(shown)))
        case .update(let id, let update):
            guard let digests = digests(of: request, id, update, now, state) else {
                return .refused(WriteRefusal(.other, status: 400, message: "a picture is not known"))
            }
            if update.changesKey, let key = request.key, traits.kept(key) != state.rows[id]?.product.key,
                let refusal = duplicate(of: request, now, state)
            {
                return .refused(refusal)
            }
            return own(id, "update", now, &state) { row, state in
                write(update, digests, to: &row.product, &state)
                if update.changesKey { row.product.key = traits.kept(request.key) }
                row.visibleFrom = now + hiding
                return WriteReply(product: shown(row))
            }
        case .upload(let picture):
            let reference = "upload-\(state.nextImage)"
            state.nextImage += 1
            state.uploads[reference] = (picture.digest, now)
            return .succeeded(WriteReply(reference: reference))
        case .attach(let id, let picture):
            return own(id, "attach", now, &state) { row, state in
                row.product.images = (row.product.images ?? []) + store([.digest(picture.digest)], &state)
                row.visibleFrom = now + hiding
                return WriteReply(product: shown(row))
            }
        case .deleteKey(let id):
            guard capabilities.deletesInTwoSteps else {
                return .refused(WriteRefusal(.other, status: 404, message: "no such request"))
            }
            return own(id, nil, now, &state) { row, _ in
                let key = "key-\(id)-\(simulation.number(0..<1_000_000))"
                row.deleteKey = key
                return WriteReply(deleteKey: key)
            }
        case .delete(let id, let key):
            if capabilities.deletesInTwoSteps, let row = state.rows[id], row.isOurs,
                key == nil || key != row.deleteKey
            {
                return .refused(WriteRefusal(.other, status: 400, message: "wrong key"))
            }
            let outcome = own(id, "delete", now, &state) { row, _ in WriteReply(product: shown(row)) }
            if case .succeeded = outcome { state.rows[id] = nil }
            return outcome
        case .proveOwnership(let id):
            return own(id, nil, now, &state) { row, _ in WriteReply(product: shown(row)) }
        }
    }
}

extension WriteOutcome {
    var summary: String {
        switch self {
        case .succeeded(let reply):
            "succeeded \(reply.product?.id.description ?? reply.deleteKey ?? "")"
        case .refused(let refusal): "refused \(refusal.message)"
        case .notSent(let trouble), .uncertain(let trouble): trouble.message
        }
    }
}
