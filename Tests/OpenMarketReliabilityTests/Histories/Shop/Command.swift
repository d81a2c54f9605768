import Crypto
@testable import OpenMarket
@testable import OpenMarketClient
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow

/// How a command ended, as its exit code says it.
enum CommandEnd: Sendable, CustomStringConvertible {
    /// Exit 0.
    case success
    /// An export that is complete although the catalog moved: exit 10.
    case moved
    /// A plan that a rule forbids: exit 4 or 5, nothing sent.
    case refused(String)
    /// Any other exit.
    case failed(String)

    var isSuccess: Bool { if case .success = self { true } else { false } }

    var description: String {
        switch self {
        case .success: "exit 0"
        case .moved: "exit 10"
        case .refused(let why): "refused: \(why)"
        case .failed(let why): "failed: \(why)"
        }
    }
}

/// What a command did, for the judge.
struct CommandOutcome: Sendable {
    var end: CommandEnd
    var folder: StateFolder
    /// What the run was to do, by key.
    var operations: [String: PlannedOperation] = [:]
    var savedPlan: [UInt8]?
    var exported: [Int] = []
    /// Rows that an export reported as unreadable.
    var problems = 0
    /// What the plan said, faults and refusals included.
    var words: [String] = []
    /// The keys that the plan was refused for, because another is probably the same product, and what would let them pass.
    var doubts: [(key: String, override: PlanOverride)] = []
}

/// Whole commands as the command line runs them, on a market and a state folder.
struct CommandRunner: Sendable {
    let simulation: Simulation
    let network: ModelNetwork
    let profile: MarketProfile

    var adopts = false
    var refresh = RefreshMode.changed
    var onDrift = PlannerOptions.DriftHandling.restore
    var verifies = false
    var parallelism = 3

    private static let identifier = ResolvedSecret(
        reference: .environment("IDENTIFIER"),
        value: Secret(ModelMarket.identifier)
    )
    private static let secret = ResolvedSecret(reference: .environment("SECRET"), value: Secret(ModelMarket.secret))

    private var scope: MarketScope {
        let isVendor = profile.capabilities.identifierIsScope
        let digest = ContentDigest(bytes: SHA256.hash(data: Array(ModelMarket.identifier.utf8)))
        return MarketScope(url: ModelMarket.base, profile: profile, identifier: isVendor ? digest : nil)
    }

    private var options: PlannerOptions {
        var options = PlannerOptions(onDrift: onDrift, adopts: adopts)
        options.policies.maximumDelete = .count(1000)
        options.allowsEmptyManifest = true
        return options
    }

    func manifest(_ items: [ShopItem]) -> Manifest {
        Manifest(
            market: MarketSettings(
                url: ModelMarket.base,
                profile: profile,
                identifier: Self.identifier,
                secret: Self.secret
            ),
            policies: options.policies,
            listings: items.map(\.listing),
            files: ["openmarket.yaml"],
            digest: ContentDigest(bytes: [UInt8](repeating: 7, count: 32))
        )
    }

    // MARK: - Commands

    /// `openmarket plan`, with `-o` where `saves`.
    func plan(_ items: [ShopItem], _ folder: StateFolder, saves: Bool) async -> CommandOutcome {
        await run(folder) { session, outcome in
            let manifest = manifest(items)
            let planned = try await session.plan(
                manifest,
                options: options,
                refresh: refresh
            )
            note(planned.plan)
            outcome.take(planned.plan)
            try requireSound(planned.plan)
            guard saves else { return .success }
            let saved = SavedPlan(
                planned,
                tool: "test",
                scope: scope,
                profile: profile,
                manifest: manifest,
                state: session.state.location,
                lastRun: try await session.state.runs(limit: 1).first?.record.id,
                in: "/shop"
            )
            outcome.savedPlan = saved.bytes(in: "/shop")
            return .success
        }
    }

    /// `openmarket apply --yes`.
    func apply(_ items: [ShopItem], _ folder: StateFolder, drain: StopSignal = StopSignal()) async -> CommandOutcome {
        await apply(manifest(items), folder, drain: drain)
    }

    /// `openmarket apply --yes`.
    func apply(_ manifest: Manifest, _ folder: StateFolder, drain: StopSignal = StopSignal()) async -> CommandOutcome {
        await run(folder) { session, outcome in
            let applied = try await session.apply(
                manifest,
                options: options,
                refresh: refresh,
                drain: drain,
                verifies: verifies
            ) { planned in
                note(planned.plan)
                outcome.take(planned.plan)
                try requireSound(planned.plan)
            }
            try requireSuccess(applied.result, applied.unresolved)
            if let again = applied.remaining {
                note(again.plan)
                if !again.plan.isEmpty { return .failed("verify finds something to do") }
            }
            return .success
        }
    }

    /// `openmarket apply PLAN.json`.
    func apply(saved bytes: [UInt8], _ folder: StateFolder, drain: StopSignal = StopSignal()) async -> CommandOutcome {
        await run(folder, staleCheck: true) { session, outcome in
            let saved = try SavedPlan(bytes: bytes, in: "/shop")
            try await saved.requireKnown(in: session.state)
            let applied = try await session.apply(saved, drain: drain) { planned in
                note(planned.plan)
                outcome.take(planned.plan)
            }
            try requireSuccess(applied.result, applied.unresolved)
            return .success
        }
    }

    /// `openmarket export`.
    func export(_ folder: StateFolder, details: Bool) async -> CommandOutcome {
        await run(folder) { session, outcome in
            var rows: [Int] = []
            var problems = 0
            let summary = try await session.market.walk(details: details) { product in
                rows.append(Int(product.id.whole))
            } problem: { _ in
                problems += 1
            }
            outcome.exported = rows
            outcome.problems = problems
            simulation.log("exported \(rows) \(summary)")
            guard summary.isComplete else { return .failed("the catalog would not hold still") }
            return summary.catalogMoved == true ? .moved : .success
        }
    }

    // MARK: - The frame of all

    private struct Refused: Error {
        var why: String
    }

    private struct Failed: Error {
        var why: String
    }

    private func run(
        _ folder: StateFolder,
        staleCheck: Bool = false,
        _ body: (Session, inout CommandOutcome) async throws -> CommandEnd
    ) async -> CommandOutcome {
        let simulation = simulation
        let state = MemoryState(wallTime: { simulation.wall }) { isDone, change in
            if !isDone { simulation.log("  \(change())") }
            guard simulation.survives() else { throw Crash() }
        }
        state[scope] = folder
        var outcome = CommandOutcome(end: .success, folder: folder)
        do {
            var client = ClientConfiguration(
                url: ModelMarket.base,
                profile: profile,
                credentials: Credentials(identifier: Self.identifier.value, secret: Self.secret.value)
            )
            client.parallelism = parallelism
            client.clock = simulation.clock
            client.transport = network
            client.random = { 0.5 }
            var configuration = ExecutorConfiguration()
            configuration.parallelism = parallelism
            configuration.staleCheck = staleCheck
            outcome.end = try await state.holding(scope, for: "test") { held in
                try await withMarketClient(client) { [configuration] client in
                    let session = Session(
                        market: client,
                        reading: held,
                        holding: held,
                        configuration: configuration,
                        tool: "test",
                        environment: simulation.environment,
                        onEvent: { event in
                            if case .settled(let item) = event {
                                simulation.log("settled \(item.operation.operation.key): \(item.outcome)")
                            }
                            if case .execution(.finished(let result)) = event {
                                simulation.log("\(result.action) \(result.key): \(result.status) \(result.error ?? "")")
                            }
                        }
                    )
                    return try await body(session, &outcome)
                }
            }
        } catch let refused as Refused {
            outcome.end = .refused(refused.why)
        } catch let failed as Failed {
            outcome.end = .failed(failed.why)
        } catch {
            outcome.end = .failed("\(error)")
        }
        outcome.folder = state[scope]
        return outcome
    }

    private func note(_ plan: Plan) {
        simulation.log(
            "plan: \(plan.operations.map { "\($0.action.symbol) \($0.key) \($0.id?.description ?? "") (\($0.reason))" })"
        )
        for diagnostic in plan.diagnostics { simulation.log("  \(diagnostic.severity): \(diagnostic.message)") }
    }

    private func requireSound(_ plan: Plan) throws {
        if let error = plan.diagnostics.first(where: { $0.severity == .error }) { throw Refused(why: error.message) }
        if let refusal = plan.refusals.first { throw Refused(why: refusal.message) }
    }

    private func requireSuccess(_ result: RunResult?, _ unresolved: [Recovery.Settled]) throws {
        if let result {
            if let reason = result.endedBy { throw Failed(why: "ended: \(reason)") }
            let bad = result.operations.filter { $0.status != .done }
            guard bad.isEmpty else {
                throw Failed(why: bad.map { "\($0.key) \($0.status): \($0.error ?? "")" }.joined(separator: "; "))
            }
        }
        guard unresolved.isEmpty else { throw Failed(why: "something of an earlier run is unresolved") }
    }
}

extension CommandOutcome {
    fileprivate mutating func take(_ plan: Plan) {
        for operation in plan.operations { operations[operation.key] = operation }
        words += plan.diagnostics.map(\.message) + plan.refusals.map(\.message)
        let overrides = plan.refusals.compactMap(\.override).filter(\.isOfKey)
        doubts += zip(plan.doubtfulKeys, overrides).map { ($0, $1) }
    }
}

extension PlanOverride {
    /// Whether it is about one key that is like another.
    fileprivate var isOfKey: Bool {
        switch self {
        case .respelling, .secondListing: true
        default: false
        }
    }
}

extension Simulation {
    /// The simulation's clock, date and random numbers.
    var environment: ExecutionEnvironment {
        ExecutionEnvironment(clock: clock, wallTime: { self.wall }, random: { self.unit() })
    }
}
