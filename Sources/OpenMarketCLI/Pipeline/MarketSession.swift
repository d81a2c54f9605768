import Logging
import OpenMarket
import OpenMarketApply
import OpenMarketClient
import OpenMarketState

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// One command's way to a market: client, state, and how both are to be used.
struct MarketSession: Sendable {
    let target: MarketTarget
    let market: MarketClient
    let store: StateStore
    let configuration: ExecutorConfiguration
    let console: Console

    var capabilities: MarketCapabilities { target.profile.capabilities }

    /// A plan and what it was made from.
    struct Planned {
        var plan: Plan
        /// The state as the plan sees it, after what earlier runs left open was settled.
        var snapshot: StateSnapshot
        var recovery: Recovery.Resolution
        var live: LiveCatalog
        /// Operations of a saved plan that are not to be begun, by their index.
        var refusals: [Int: OperationRefusal] = [:]
    }

    /// Finds out what earlier runs left open.
    var recovery: Recovery {
        Recovery(
            market: market,
            journal: store,
            capabilities: capabilities,
            configuration: configuration,
            wallTime: { .now }
        )
    }

    /// Reads the market and plans.
    ///
    /// - Parameters:
    ///   - manifest: what should be.
    ///   - recovered: what earlier runs left open, settled or only looked at.
    ///   - options: how to plan.
    ///   - refresh: how much of the market to read.
    /// - Returns: the plan, with what forbids it in it.
    /// - Throws: `MarketError`.
    func plan(
        _ manifest: Manifest,
        recovered: Recovery.Resolution,
        options: PlannerOptions,
        refresh: RefreshMode
    ) async throws -> Planned {
        var input = Planner.Input(
            manifest: manifest,
            state: recovered.snapshot,
            live: .remembered(by: recovered.snapshot),
            owedDeletes: recovered.pendingDeletes.map(\.operation),
            blockedKeys: recovered.blockedKeys
        )
        try checkFilter(options.filter, input)
        if refresh != .none {
            try await market.requireProfile()
            input.live = try await readList()
            let progress = ProgressReporter("Reading details", unit: "products", console: console)
            defer { progress.finish() }
            try await input.readDetails(
                from: market,
                mode: refresh,
                profile: target.profile,
                filter: options.filter,
                parallelism: configuration.parallelism
            ) { _, total in progress.advance(total: total) }
        }
        var plan = Planner.plan(input, capabilities: capabilities, options: options)
        plan.diagnostics += input.live.problems.map {
            Diagnostic(.warning, "the market's \($0.place) cannot be read in whole: \($0.message)")
        }
        return Planned(plan: plan, snapshot: recovered.snapshot, recovery: recovered, live: input.live)
    }

    /// Notices a `--target` or `--exclude` that fits no product: a typing error would plan too little, or too much.
    private func checkFilter(_ filter: KeyFilter, _ input: Planner.Input) throws {
        let unmatched = filter.unmatched(in: input.manifest.listings.map(\.key) + input.state.entries.keys)
        for pattern in unmatched {
            let message = "no product has a key like '\(pattern)', which --target or --exclude names"
            // What is wild may fit nothing today and something tomorrow.
            guard pattern.contains(where: { "*?".contains($0) }) else { throw CommandFailure(.usage, message) }
            console.note("warning: \(message)".terminalSafe)
        }
    }

    private func readList() async throws -> LiveCatalog {
        let progress = ProgressReporter("Reading the catalog", unit: "products", console: console)
        defer { progress.finish() }
        var catalog = LiveCatalog()
        let summary = try await market.walk { product in
            catalog.products[product.id] = product
            progress.advance()
        } problem: { problem in
            catalog.problems.append(problem)
        }
        guard summary.isComplete else {
            throw MarketError(.unreadable, "the catalog changed faster than it could be read (\(summary.passes) times)")
        }
        return catalog
    }
}

extension Milliseconds {
    /// The time now, UTC.
    static var now: Milliseconds {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
