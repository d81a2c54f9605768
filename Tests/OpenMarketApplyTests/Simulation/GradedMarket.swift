import OpenMarket
import OpenMarketTestSupport
import Synchronization

/// What a drawn market offers to find out what became of a create, and how it takes pictures.
struct MarketTraits: Sendable, CustomStringConvertible {
    enum IDs: CaseIterable {
        case rising, shuffled, texts, chosen
    }

    /// A part of the tool or of the market's promise that keeps products from being made twice, to be left out.
    enum Net: CaseIterable {
        /// A create that is sent again has the key of the first.
        case repeatKey
        /// What a lookup returns is looked at.
        case lookupCheck
        /// A product that does not show is waited for.
        case wait
        /// The market is not asked again once it may have forgotten the key.
        case window
    }

    /// For how long the market knows a repeat key; `nil` where it takes none.
    var window: Duration?
    var replaysErrors = false
    /// Whether products carry our keys, and whether two can have the same.
    var uniqueness: MarketCapabilities.KeyUse.Uniqueness?
    var ids = IDs.rising
    /// How much later a lookup knows a product than the list does.
    var lookupLag = Duration.zero
    var style = MarketCapabilities.PictureStyle.parts
    var keepsBytes = true
    /// Whether products show whose they are; otherwise there is one seller.
    var showsOwner = true
    /// What is left out.
    var missing: Net?

    init() {}

    init(_ dice: inout SeededGenerator) {
        if Int.random(in: 0..<5, using: &dice) < 2 { window = .seconds(60) }
        replaysErrors = .random(using: &dice)
        uniqueness = [.enforced, .enforced, .racy, .unenforced, nil].randomElement(using: &dice) ?? nil
        ids = IDs.allCases.randomElement(using: &dice) ?? .rising
        if ids == .chosen { uniqueness = nil }
        lookupLag = .milliseconds([0, 0, 800, 3000].randomElement(using: &dice) ?? 0)
        style = [.parts, .parts, .base64, .upload, .attach].randomElement(using: &dice) ?? .parts
        keepsBytes = .random(using: &dice)
        showsOwner = .random(using: &dice) && !isKeyed
    }

    /// Whether a product says which listing it is.
    var isKeyed: Bool { uniqueness != nil || ids == .chosen }
    /// Whether another person's product of the same name is not taken for ours.
    var distinguishesOthers: Bool { isKeyed || ids == .rising && showsOwner }
    /// Whether every create can be settled.
    var settles: Bool { isKeyed || ids == .rising }

    var description: String {
        "repeat \(window.map { "\($0)" } ?? "no")\(replaysErrors ? ", errors too" : ""), key \(uniqueness.map { "\($0)" } ?? "no"), "
            + "ids \(ids), lag \(lookupLag), \(style)\(missing.map { ", without \($0)" } ?? "")"
    }

    var capabilities: MarketCapabilities {
        var capabilities = MarketCapabilities()
        if let window {
            capabilities.repetition = .init(
                window: missing == .window ? .seconds(1_000_000) : window,
                replaysErrors: replaysErrors
            )
        }
        capabilities.key = uniqueness.map { .init(isFindable: true, uniqueness: $0) }
        capabilities.choosesIDs = ids == .chosen
        capabilities.idKind = ids == .texts || ids == .chosen ? .text : .number
        capabilities.idsRise = ids == .rising
        capabilities.pictureStyle = style
        capabilities.pictureReferenceLifetime = style == .upload ? .seconds(300) : nil
        capabilities.picturesChangeInPlace = true
        capabilities.showsDetails = true
        capabilities.showsPictures = true
        capabilities.keepsPictureBytes = keepsBytes
        capabilities.provesCompleteness = true
        capabilities.listShowsVendor = showsOwner
        capabilities.ownershipProof = showsOwner ? .changeOfNothing : nil
        capabilities.fieldsRequiredToCreate = [.name, .price]
        capabilities.fieldsOfCreate = Set(ProductField.allCases)
        capabilities.fieldsOfUpdate = Set(ProductField.allCases)
        capabilities.writableFields = Set(ProductField.allCases)
        capabilities.clearableFields = Set(ProductField.allCases)
        return capabilities
    }

    var profile: MarketProfile {
        MarketProfile(
            name: "graded",
            document: [],
            digest: .picture(99),
            parameters: [:],
            probed: nil,
            isBuiltIn: false,
            capabilities: capabilities,
            limits: ProductLimits()
        )
    }
}

/// A market in memory of any grade: with repeat keys, keys of ours, ids of any kind, and every way to send pictures.
final class GradedMarket: InspectedMarket {
    struct Row: Sendable, Equatable {
        var product: LiveProduct
        var isOurs: Bool
        var madeAt: Duration
    }

    /// A request that the market carries out later.
    private struct Late {
        var due: Duration
        var request: WriteRequest
        /// Whether it has arrived, so that another one of its key has to wait.
        var hasArrived: Bool
    }

    private struct State {
        var rows: [MarketID: Row] = [:]
        var next: Int64 = 100
        var nextImage: Int64 = 1
        var late: [Late] = []
        var faults = Faults.none
        var digests: [String: ContentDigest] = [:]
        var answers: [String: (outcome: WriteOutcome, at: Duration)] = [:]
        var uploads: [String: (digest: ContentDigest, at: Duration)] = [:]
        var trespasses: [String] = []
        var creates = 0
        /// Which version of the tool encodes requests.
        var version = 1
    }

    static let ourVendor: Int64 = 29
    static let otherVendor: Int64 = 77

    let traits: MarketTraits
    let profile: MarketProfile
    private let simulation: Simulation
    private let state = Mutex(State())

    init(_ traits: MarketTraits, simulation: Simulation) {
        self.traits = traits
        self.simulation = simulation
        profile = traits.profile
    }

    // MARK: - What tests look at

    var rows: [Row] {
        state.withLock { $0.rows.values.sorted { MarketID.precedes($0.product.id, $1.product.id) } }
    }

    var ours: [LiveProduct] { rows.filter(\.isOurs).map(\.product) }
    var foreign: [Row] { rows.filter { !$0.isOurs } }
    var trespasses: [String] { state.withLock { $0.trespasses } }
    /// How many requests to make a product had an effect.
    var creates: Int { state.withLock { $0.creates } }

    /// From now on requests are encoded as another version of the tool does.
    func encodeOtherwise() { state.withLock { $0.version += 1 } }

    func set(_ faults: Faults) { state.withLock { $0.faults = faults } }

    /// Changes a product behind everybody's back.
    func edit(_ id: MarketID, _ body: (inout LiveProduct) -> Void) {
        state.withLock { if var row = $0.rows[id] { body(&row.product); $0.rows[id] = row } }
    }

    func remove(_ id: MarketID) { state.withLock { $0.rows[id] = nil } }

    /// Another person's product, with an article number of its own.
    func addForeign(_ values: ProductValues) {
        let now = simulation.now
        state.withLock { state in
            let key = traits.isKeyed ? "sku-\(state.next)" : nil
            _ = insert(values, key: key, pictures: values.images ?? [], isOurs: false, now: now, into: &state)
        }
    }

    // MARK: - Market

    func requireProfile() async throws {}

    func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        let rows = try await read { Array($0.rows.values) }
        for entry in rows.sorted(by: { MarketID.follows($0.product.id, $1.product.id) }) {
            var product = entry.product
            if !details { product.images = nil }
            try await row(product)
        }
        var summary = CatalogSummary()
        summary.rows = rows.count
        summary.completeness = .proved(.whole)
        return summary
    }

    func product(_ id: MarketID) async throws -> LiveProduct? {
        try await read { [$0.rows[id]].compactMap(\.self) }.first?.product
    }

    func products(withKey key: String) async throws -> [LiveProduct] {
        let lag = traits.lookupLag
        let now = simulation.now
        let found = try await read { $0.rows.values.filter { $0.madeAt + lag <= now } }.map(\.product)
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
            "\(values)|\(pictures.map(\.digest))|\(request.key ?? "")|\(request.references)|\(request.repeatKey ?? "")"
        var hash = FNVHash()
        hash.add(body)
        hash.add(word: state.withLock { UInt64($0.version) })
        return ContentDigest(bytes: (0..<32).map { UInt8(truncatingIfNeeded: hash.value >> UInt64($0 % 8 * 8)) })
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
        var request = request
        if traits.missing == .repeatKey, request.repeatKey != nil {
            request.repeatKey = "\(simulation.number(0..<1_000_000_000))"
        }
        guard simulation.survives() else {
            // The request may have been on its way when the process died.
            if simulation.chance(0.5) { later(request) }
            return .notSent(WriteTrouble("dead"))
        }
        try? await simulation.clock.sleep(for: simulation.milliseconds(1..<60))
        guard !simulation.isCrashed else { return .notSent(WriteTrouble("dead")) }
        let faults = state.withLock { $0.faults }
        if simulation.chance(faults.foreignTwin) { listForeignTwin(of: request) }
        if simulation.chance(faults.notSent) { return .notSent(WriteTrouble("no connection")) }
        if simulation.chance(faults.overload) { return .notSent(overload(of: request)) }
        if simulation.chance(faults.lostWithoutEffect) { return failed(request) }
        if simulation.chance(faults.lateEffect) {
            try? await simulation.clock.sleep(for: .seconds(1))
            if !simulation.isCrashed { later(request) }
            return .uncertain(WriteTrouble("timed out", isTimeout: true))
        }
        var outcome = carryOut(request)
        simulation.log("market: \(request.step) \(request.key ?? "") \(outcome.summary)")
        guard simulation.survives() else { return .uncertain(WriteTrouble("dead")) }
        if simulation.chance(faults.lostWithEffect) { return .uncertain(WriteTrouble("connection reset")) }
        if case .succeeded(var reply) = outcome, simulation.chance(faults.sparseReply) {
            if case .create = request.kind { reply.product?.description = nil } else { reply.product = nil }
            outcome = .succeeded(reply)
        }
        return outcome
    }

    // MARK: - How it works

    private func read(_ body: (inout sending State) -> [Row]) async throws -> [Row] {
        guard simulation.survives() else { throw Crash() }
        try await simulation.clock.sleep(for: simulation.milliseconds(1..<30))
        guard !simulation.isCrashed else { throw Crash() }
        carryOutLate()
        if simulation.chance(state.withLock { $0.faults.unreadable }) { throw MarketError(.unreachable, "no answer") }
        return state.withLock { body(&$0) }
    }

    /// 429; a market that repeats its errors says so again.
    private func overload(of request: WriteRequest) -> WriteTrouble {
        let trouble = WriteTrouble("429", isOverload: true, retryAfter: simulation.milliseconds(100..<2000))
        if traits.replaysErrors { answer(request, .notSent(trouble)) }
        return trouble
    }

    /// 500, without effect; a market that repeats its errors says so again.
    private func failed(_ request: WriteRequest) -> WriteOutcome {
        let outcome = WriteOutcome.uncertain(WriteTrouble("500"))
        if traits.replaysErrors, simulation.chance(0.5) { answer(request, outcome) }
        return outcome
    }

    /// Remembers the answer to a request that may be repeated, unless there is one.
    private func answer(_ request: WriteRequest, _ outcome: WriteOutcome) {
        let now = simulation.now
        guard let key = request.repeatKey, traits.window != nil else { return }
        state.withLock { state in
            if known(key, now, &state) == nil { state.answers[key] = (outcome, now) }
        }
    }

    private func known(_ key: String, _ now: Duration, _ state: inout State) -> WriteOutcome? {
        guard let answer = state.answers[key], let window = traits.window, now - answer.at < window else { return nil }
        return answer.outcome
    }

    private func later(_ request: WriteRequest) {
        let due = simulation.now + simulation.milliseconds(0..<1800)
        let hasArrived = simulation.chance(0.5)
        state.withLock { $0.late.append(Late(due: due, request: request, hasArrived: hasArrived)) }
    }

    func carryOutLate() {
        let now = simulation.now
        while let late = state.withLock({ state -> Late? in
            guard
                let index = state.late.indices.filter({ state.late[$0].due <= now })
                    .min(by: { state.late[$0].due < state.late[$1].due })
            else { return nil }
            return state.late.remove(at: index)
        }) {
            let outcome = carryOut(late.request, at: late.due)
            simulation.log("market, late: \(late.request.step) \(late.request.key ?? "") \(outcome.summary)")
        }
    }

    private func carryOut(_ request: WriteRequest) -> WriteOutcome {
        carryOutLate()
        let isUnderWay = state.withLock { state in
            request.repeatKey != nil
                && state.late.contains { $0.hasArrived && $0.request.repeatKey == request.repeatKey }
        }
        if isUnderWay, traits.window != nil {
            return .notSent(WriteTrouble("409: being worked on", retryAfter: .seconds(1)))
        }
        return carryOut(request, at: simulation.now)
    }

    private func carryOut(_ request: WriteRequest, at now: Duration) -> WriteOutcome {
        let replayed = state.withLock { state in request.repeatKey.flatMap { known($0, now, &state) } }
        if let replayed { return replayed }
        let outcome = state.withLock { carryOut(request, at: now, &$0) }
        if case .succeeded = outcome {
            answer(request, outcome)
        } else if traits.replaysErrors {
            answer(request, outcome)
        }
        return outcome
    }

    private func carryOut(_ request: WriteRequest, at now: Duration, _ state: inout State) -> WriteOutcome {
        switch request.kind {
        case .create(let values, let pictures):
            if let refusal = duplicate(of: request, now, state) { return .refused(refusal) }
            guard let digests = digests(of: request, pictures, now, state) else {
                return .refused(WriteRefusal(.other, status: 400, message: "a picture is not known"))
            }
            state.creates += 1
            let id = insert(values, key: request.key, pictures: digests, isOurs: true, now: now, into: &state)
            return .succeeded(WriteReply(product: state.rows[id]?.product))
        case .update(let id, let update):
            guard let digests = digests(of: request, update.pictures, now, state) else {
                return .refused(WriteRefusal(.other, status: 400, message: "a picture is not known"))
            }
            return own(id, "update", &state) { row, state in
                write(update, digests, to: &row.product, &state)
                return WriteReply(product: row.product)
            }
        case .upload(let picture):
            let reference = "upload-\(state.nextImage)"
            state.nextImage += 1
            state.uploads[reference] = (picture.digest, now)
            return .succeeded(WriteReply(reference: reference))
        case .attach(let id, let picture):
            return own(id, "attach", &state) { row, state in
                row.product.images = (row.product.images ?? []) + store([.digest(picture.digest)], &state)
                return WriteReply(product: row.product)
            }
        case .delete(let id, _):
            let outcome = own(id, "delete", &state) { row, _ in WriteReply(product: row.product) }
            if case .succeeded = outcome { state.rows[id] = nil }
            return outcome
        case .proveOwnership(let id):
            return own(id, nil, &state) { row, _ in WriteReply(product: row.product) }
        case .deleteKey:
            return .refused(WriteRefusal(.other, status: 404, message: "no such request"))
        }
    }

    /// Why no second product of a key is made.
    private func duplicate(of request: WriteRequest, _ now: Duration, _ state: State) -> WriteRefusal? {
        guard let key = request.key else { return nil }
        let holder = state.rows.values.first { row in
            guard traits.ids != .chosen else { return row.product.id == MarketID(text: key) }
            // Two requests at once do not see each other.
            return row.product.key == key && (traits.uniqueness == .enforced || now - row.madeAt > .milliseconds(300))
        }
        guard holder != nil, traits.ids == .chosen || traits.uniqueness != .unenforced else { return nil }
        return WriteRefusal(.duplicate, status: 400, message: "the key '\(key)' is taken")
    }

    /// The pictures that a request shows; `nil` where one is not known.
    private func digests(
        of request: WriteRequest,
        _ pictures: [Picture],
        _ now: Duration,
        _ state: State
    ) -> [PictureIdentity]? {
        switch traits.style {
        case .attach: return []
        case .upload:
            let known = request.references.compactMap { reference in
                state.uploads[reference].flatMap {
                    now - $0.at < .seconds(300) ? PictureIdentity.digest($0.digest) : nil
                }
            }
            return known.count == pictures.count ? known : nil
        case .parts, .base64, .url, .none: return pictures.map { .digest($0.digest) }
        }
    }

    private func own(
        _ id: MarketID,
        _ trespass: String?,
        _ state: inout State,
        _ body: (inout Row, inout State) -> WriteReply
    ) -> WriteOutcome {
        guard var row = state.rows[id] else {
            return .refused(WriteRefusal(.notFound, status: 404, message: "Not Found"))
        }
        guard row.isOurs else {
            if let trespass { state.trespasses.append("\(trespass) of \(id)") }
            return .refused(WriteRefusal(.other, status: 403, message: "not yours"))
        }
        let reply = body(&row, &state)
        state.rows[id] = row
        return .succeeded(reply)
    }

    private func insert(
        _ values: ProductValues,
        key: String?,
        pictures: [PictureIdentity],
        isOurs: Bool,
        now: Duration,
        into state: inout State
    ) -> MarketID {
        let number = state.next
        state.next += 1
        let id: MarketID =
            switch traits.ids {
            case .rising: MarketID(number)
            case .shuffled: MarketID(number * 7919 % 10_007)
            case .texts: .text("p\(number * 7919 % 10_007)")
            case .chosen: .text(key ?? "p\(number)")
            }
        let images = store(pictures, &state)
        var product = LiveProduct(
            id: id,
            vendorID: !traits.showsOwner ? nil : isOurs ? Self.ourVendor : Self.otherVendor,
            name: values.name,
            description: values.description,
            price: values.price,
            currency: values.currency,
            sale: values.sale ?? Sale.fullPrice,
            stock: values.stock ?? 0,
            images: images,
            createdAt: "\(now)"
        )
        product.key = traits.uniqueness == nil ? nil : key
        state.rows[id] = Row(product: product, isOurs: isOurs, madeAt: now)
        return id
    }

    private func store(_ pictures: [PictureIdentity], _ state: inout State) -> [LiveProduct.Image] {
        pictures.map { picture in
            let number = state.nextImage
            state.nextImage += 1
            let url = "https://market.example/\(number)"
            if case .digest(let digest) = picture { state.digests[url] = digest }
            return LiveProduct.Image(id: MarketID(number), url: url)
        }
    }

    private func write(
        _ update: ProductUpdate,
        _ pictures: [PictureIdentity],
        to product: inout LiveProduct,
        _ state: inout State
    ) {
        for field in update.changed {
            switch field {
            case .name: product.name = update.desired.name
            case .description: product.description = update.desired.description
            case .price: product.price = update.desired.price
            case .currency: product.currency = update.desired.currency
            case .salePrice: product.sale = update.desired.sale
            case .stock: product.stock = update.desired.stock
            case .images: product.images = store(pictures, &state)
            case .thumbnail: break
            }
        }
    }

    /// Another person lists what is being listed.
    private func listForeignTwin(of request: WriteRequest) {
        guard case .create(let values, _) = request.kind, traits.distinguishesOthers else { return }
        addForeign(values)
    }
}
