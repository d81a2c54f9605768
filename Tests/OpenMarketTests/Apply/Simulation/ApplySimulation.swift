@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow

/// A market, a state and what the user wants, with the commands that the user may run: the real planner, recovery
/// and executor.
final class ApplySimulation: Sendable {
    let simulation: Simulation
    let market: SimulatedMarket
    /// Survives every crash, and may be where it happens: before or after a commit.
    let state: MemoryState
    /// The database that has the state instead, so that the SQL that ships is tested too; `nil` for most tests.
    let database: StateInMemory?
    let profile: MarketProfile
    /// Whether products carry the manifest's keys.
    let sendsKeys: Bool
    /// How long after a create without reply the market may still carry it out; `nil` for the usual time.
    let settleDelay: Duration?
    /// Whether products are made where nothing shows what becomes of it.
    let acceptsUnsettledCreates: Bool

    /// A shop of its own simulation, or of one that is there.
    init(
        seed: UInt64 = 7,
        profile: MarketProfile,
        traits: MarketTraits = MarketTraits(),
        simulation shared: Simulation? = nil,
        sendsKeys: Bool = false,
        settleDelay: Duration? = nil,
        acceptsUnsettledCreates: Bool = true,
        lifetime: Duration? = nil,
        sharesRuns: Bool = false,
        keepsTrace: Bool = false,
        database: StateInMemory? = nil
    ) {
        let simulation = shared ?? Simulation(seed: seed, keepsTrace: keepsTrace)
        self.simulation = simulation
        self.database = database
        self.profile = profile
        market = SimulatedMarket(profile: profile, traits: traits, simulation: simulation)
        state = MemoryState(
            lifetime: lifetime,
            sharesRuns: sharesRuns,
            clock: simulation.clock,
            wallTime: { simulation.wall }
        ) { isDone, change in
            if !isDone { simulation.log(change()) }
            guard simulation.survives() else { throw Crash() }
        }
        self.sendsKeys = sendsKeys
        self.settleDelay = settleDelay
        self.acceptsUnsettledCreates = acceptsUnsettledCreates
    }

    var capabilities: MarketCapabilities { profile.capabilities }
    var scope: MarketScope { MarketScope(url: "http://market", profile: profile, identifier: nil) }

    var backend: any StateBackend { database ?? state }

    /// What the state knows, if it is not in a database.
    var snapshot: StateSnapshot { state[scope].snapshot }

    func loseState() throws {
        if let database { try database.clear() } else { state[scope] = MarketRecords() }
    }

    /// What was written down about one operation of a run.
    func facts(_ run: RunID, _ sequence: Int) -> [JournalEvent.Fact] {
        state[scope].runs.first { $0.record.id == run }?.operations[sequence].facts ?? []
    }

    /// A session on the market, in the simulation's time.
    func session(_ held: any StateSession, _ configuration: ExecutorConfiguration? = nil) -> Session {
        Session(
            market: market,
            reading: held,
            holding: held,
            configuration: configuration ?? self.configuration(),
            tool: "test",
            environment: simulation.environment
        )
    }

    func configuration(parallelism: Int = 4, staleCheck: Bool = false) -> ExecutorConfiguration {
        var configuration = ExecutorConfiguration()
        configuration.parallelism = parallelism
        configuration.staleCheck = staleCheck
        configuration.sendsKeys = sendsKeys
        if let settleDelay { configuration.settleDelay = settleDelay }
        return configuration
    }

    func executor(
        _ configuration: ExecutorConfiguration,
        in session: any StateSession,
        onEvent: @escaping @Sendable (ExecutionEvent) -> Void = { _ in }
    ) -> Executor {
        Executor(
            market: market,
            state: session,
            capabilities: capabilities,
            configuration: configuration,
            environment: simulation.environment,
            onEvent: onEvent
        )
    }

    func recovery(
        of state: any StateReader,
        pinnedID: @escaping @Sendable (_ key: String) -> MarketID? = { _ in nil }
    ) -> Recovery {
        Recovery(
            market: market,
            state: state,
            capabilities: capabilities,
            configuration: configuration(),
            environment: simulation.environment,
            pinnedID: pinnedID
        )
    }

    /// Settles what earlier runs left, as the next one does first.
    func settle(
        drain: StopSignal = StopSignal(),
        pinnedID: @escaping @Sendable (_ key: String) -> MarketID? = { _ in nil }
    ) async throws -> Recovery.Resolution {
        try await state.holding(scope, for: "test") { session in
            try await recovery(of: session, pinnedID: pinnedID).settle(in: session, drain: drain)
        }
    }

    /// Applies a manifest as programs do.
    func apply(_ manifest: Manifest) async throws -> RunResult? {
        try await state.holding(scope, for: "test") { try await session($0).apply(manifest).result }
    }

    /// Reads the market and plans, as the command line does.
    ///
    /// The claim is our vendor number as the manifest says it.
    func plan(
        _ listings: [Listing],
        _ resolution: Recovery.Resolution,
        claim: Int64? = nil,
        replaced: KeyPatterns = KeyPatterns()
    ) async throws -> (
        plan: Plan, highWater: MarketID?, identity: VendorIdentity
    ) {
        var input = Planner.Input(
            manifest: Manifest(
                listings,
                profile,
                vendorID: claim,
                policies: Policies(maximumDelete: .count(1000), allowsUnsettledCreates: acceptsUnsettledCreates)
            ),
            state: resolution.snapshot,
            live: try await market.catalog()
        )
        input.owedDeletes = resolution.pendingDeletes.map(\.operation) + resolution.orphanDeletes
        input.blockedKeys = resolution.blockedKeys
        input.blockedNames = resolution.blockedNames
        input.inQuestion = resolution.inQuestion
        input.sendsKeys = sendsKeys
        let highWater = input.live.highWater
        for id in input.detailsNeeded(mode: .full, capabilities: capabilities, filter: KeyFilter()) {
            input.live.products[id] = try await market.product(id)
        }
        for url in input.picturesNeeded(capabilities: capabilities, filter: KeyFilter()) {
            input.pictureDigests[url] = try await market.pictureDigest(at: url)
        }
        var options = PlannerOptions(onDrift: .restore)
        options.allowsEmptyManifest = true
        options.maximumGone = .count(0)
        options.policies = input.manifest.policies
        options.replaced = replaced
        var identity = input.identity
        identity.findWitnesses(state: input.state, live: input.live.products)
        return (Planner.plan(input, capabilities: capabilities, options: options), highWater, identity)
    }

    /// Carries operations out.
    func run(
        _ operations: [PlannedOperation],
        configuration: ExecutorConfiguration? = nil,
        highWater: MarketID? = nil,
        drain: StopSignal = StopSignal(),
        through tamper: (any StateSession) -> any StateSession = { $0 },
        onEvent: @escaping @Sendable (ExecutionEvent) -> Void = { _ in }
    ) async throws -> RunResult {
        try await state.holding(scope, for: "test") { held in
            let session = tamper(held)
            return try await executor(configuration ?? self.configuration(), in: session, onEvent: onEvent).run(
                record("test-\(state[scope].runs.count)", in: session),
                operations: operations,
                snapshot: session.snapshot(),
                highWater: highWater,
                drain: drain
            )
        }
    }

    /// Other sessions may take part in a run only where its manifest is known.
    private func record(_ id: String, in session: any StateSession) -> RunRecord {
        RunRecord(id: RunID(rawValue: id), manifest: session.sharesRuns ? .picture(0) : nil, tool: "test")
    }

    /// What earlier runs left open, by looking only.
    func preview() async throws -> Recovery.Resolution {
        try await backend.reading(scope) { try await recovery(of: $0).preview() }
    }

    /// `openmarket apply`: recovers, plans and carries out.
    func apply(
        _ listings: [Listing],
        run: Int,
        configuration: ExecutorConfiguration,
        claim: Int64? = nil,
        replaced: KeyPatterns = KeyPatterns(),
        drain: StopSignal = StopSignal(),
        waiting timeout: Duration = .zero,
        through tamper: (any StateSession) -> any StateSession = { $0 }
    ) async throws -> (plan: Plan, result: RunResult) {
        let session = tamper(try await backend.hold(scope, for: "apply", waiting: timeout))
        do {
            let applied = try await apply(listings, run, configuration, claim, replaced, drain, in: session)
            await session.close()
            return applied
        } catch {
            await session.close()
            throw error
        }
    }

    private func apply(
        _ listings: [Listing],
        _ run: Int,
        _ configuration: ExecutorConfiguration,
        _ claim: Int64?,
        _ replaced: KeyPatterns,
        _ drain: StopSignal,
        in session: any StateSession
    ) async throws -> (plan: Plan, result: RunResult) {
        let resolution = try await recovery(of: session).settle(in: session, drain: drain)
        for item in resolution.settled {
            let operation = item.operation
            simulation.log(
                "settled \(operation.run)/\(operation.sequence) \(operation.operation.key): \(item.outcome)"
            )
        }
        let (plan, highWater, identity) = try await plan(listings, resolution, claim: claim, replaced: replaced)
        simulation.log(
            "plan: \(plan.operations.map { "\($0.action.symbol)\($0.key) \($0.id?.description ?? "")" })"
                + plan.refusals.map { " refused: \($0.message)" }.joined()
                + plan.diagnostics.filter { $0.severity == .error }.map { " error: \($0.message)" }.joined()
        )
        // Everything else that forbids a plan is overridden here, as a user may.
        let isAccepted =
            market.traits.missing == .acceptance || !plan.refusals.contains(where: \.isAboutUnsettledCreates)
        guard isAccepted, plan.refusals.allSatisfy({ $0.code == nil }) else { throw CommandFailure.unsoundPlan }
        try await session.apply(plan.updatesOfPresentKeys)
        let result = try await executor(configuration, in: session).run(
            record("run-\(run)", in: session),
            operations: plan.operations,
            snapshot: session.snapshot(),
            highWater: highWater,
            namesakes: plan.namesakes,
            identity: identity,
            pendingDeletes: resolution.pendingDeletes,
            drain: drain
        )
        return (plan, result)
    }

    /// `openmarket work`: takes part in the run that goes on, and carries out some of its operations; `nil` if none goes on.
    func work(
        configuration: ExecutorConfiguration,
        drain: StopSignal = StopSignal(),
        through tamper: (any StateSession) -> any StateSession = { $0 }
    ) async throws -> RunResult? {
        guard let joined = try await state.join(scope, for: "work") else { return nil }
        let session = tamper(joined)
        do {
            guard let run = try await session.runUnderWay() else { return nil }
            let result = try await executor(configuration, in: session).work(in: run.record.id, drain: drain) { $0 }
            await session.close()
            return result
        } catch {
            await session.close()
            throw error
        }
    }
}

extension RunID {
    static let killed = RunID(rawValue: "killed")
}

extension StateSession {
    /// Writes down what a run did that was broken off: operations with their facts.
    func leave(_ left: [(operation: PlannedOperation, facts: [JournalEvent.Fact])], as run: RunID = .killed)
        async throws
    {
        try await begin(RunRecord(id: run, manifest: nil, tool: "test"), operations: left.map(\.operation))
        for (sequence, (_, facts)) in left.enumerated() {
            for (index, fact) in facts.enumerated() {
                _ = try await record(JournalEvent(run: run, sequence: sequence, number: index + 1, fact: fact))
            }
        }
    }
}

extension Manifest {
    /// A manifest of one file.
    init(
        _ listings: [Listing],
        _ profile: MarketProfile,
        vendorID: Int64? = nil,
        policies: Policies = Policies()
    ) {
        self.init(
            market: MarketSettings(profile: profile, vendorID: vendorID),
            policies: policies,
            listings: listings,
            files: ["openmarket.yaml"],
            digest: .picture(0)
        )
    }
}

extension PlanRefusal {
    /// Whether it is for what a policy accepts, and nothing else.
    fileprivate var isAboutUnsettledCreates: Bool {
        if case .unsettledCreates? = override { true } else { false }
    }
}

extension ContentDigest {
    /// The digest of the test's picture with this number.
    static func picture(_ number: UInt8) -> ContentDigest {
        ContentDigest(bytes: repeatElement(number, count: 32))
    }
}

extension Picture {
    static func numbered(_ number: UInt8) -> Picture {
        Picture(
            path: "\(number).jpg",
            file: "/\(number).jpg",
            digest: .picture(number),
            byteCount: 1000,
            format: .jpeg,
            width: 10,
            height: 10,
            address: "https://files.example/\(number).jpg"
        )
    }
}

extension Listing {
    /// A listing with these pictures.
    static func with(
        key: String,
        name: String,
        description: String = "Warm light, two arms.",
        price: ExactDecimal,
        sale: Sale = .fullPrice,
        stock: Int64 = 5,
        pictures: [UInt8],
        thumbnail: UInt8? = nil
    ) -> Listing {
        Listing(
            key: key,
            file: "shop.yaml",
            position: SourcePosition(line: 1, column: 1),
            values: ProductValues(
                name: name,
                description: description,
                price: price,
                currency: .krw,
                sale: sale,
                stock: stock,
                images: pictures.map { .digest(.picture($0)) },
                thumbnail: thumbnail.map { .digest(.picture($0)) }
            ),
            pictures: pictures.map(Picture.numbered)
        )
    }

    /// The operation that makes it.
    var create: PlannedOperation {
        PlannedOperation(
            key: key,
            reason: "new in the manifest",
            source: location(),
            work: .create(NewProduct(values: values, pictures: pictures))
        )
    }
}

extension Listing {
    static let before: [Listing] = [
        .with(key: "stays", name: "Desk lamp", price: 100, pictures: [1]),
        .with(key: "changes", name: "Old phone", price: 200, pictures: [2]),
        .with(key: "new-face", name: "Old radio", price: 300, pictures: [3]),
        .with(key: "goes", name: "Rusty nail", price: 400, pictures: [4]),
    ]
    /// The same shop after a change of each kind, with twins.
    static let after: [Listing] = [
        before[0],
        .with(key: "changes", name: "Old phone", price: 250, pictures: [2]),
        .with(key: "new-face", name: "Old radio", price: 300, pictures: [5, 6], thumbnail: 6),
        .with(key: "twin-a", name: "Twin", price: 500, pictures: [7]),
        .with(key: "twin-b", name: "Twin", price: 500, pictures: [7]),
    ]
}

extension Simulation {
    /// The simulation's clock, date and random numbers.
    var environment: ExecutionEnvironment {
        ExecutionEnvironment(clock: clock, wallTime: { self.wall }, random: { self.unit() })
    }
}
