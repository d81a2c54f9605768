import ArgumentParser
import FoundationEssentials
import OpenMarket
import OpenMarketClient
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow

struct ApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Changes the live catalog to match the manifest.",
        discussion: """
            Plans, asks for confirmation, then creates, updates, replaces and deletes products. `apply PLAN.json` \
            carries out exactly a saved plan. A table is written into the manifest first. The next run continues an \
            interrupted one without duplicates.

            Exit 0: done. 3: some operations failed or have an unknown outcome, or --verify finds remaining changes. \
            4: not valid. 5: a check refuses the plan, or the market's description was not accepted. 6: the saved plan \
            is stale, or not the one of --expect-plan. 7: another run holds the lock. 8: credentials rejected. 9: the \
            market cannot be reached, or keeps failing. 130: interrupted; the next apply continues.

            Examples:
              openmarket apply
              openmarket apply plan.json --result result.json
              openmarket apply plan.json --exclude 'vip-*'
              openmarket apply prices.csv
              openmarket apply --yes --verify --parallelism 4
              openmarket apply --override max_price_change --reason 'spring sale'
            """
    )

    @OptionGroup(title: "Manifest") var manifests: ManifestArguments
    @OptionGroup(title: "Market") var market: MarketArguments
    @OptionGroup(title: "State") var state: StateArguments
    @OptionGroup(title: "Planning") var planning: PlanningArguments
    @OptionGroup(title: "Saved plan") var deciding: DecisionArguments
    @OptionGroup(title: "Policies") var overriding: OverrideArguments
    @OptionGroup(title: "Carrying out") var execution: ExecutionArguments
    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false
    @Flag(help: "Print the requests instead of sending them.")
    var dryRun = false
    @Flag(help: "Plan again at the end with --refresh full; exit 3 if changes remain.")
    var verify = false
    @Option(
        help: "Apply only the plan with this digest, which `plan -o` and `show` print.",
        as: .digest(printedBy: "`plan -o` and `show` print")
    )
    var expectPlan: ContentDigest?
    @Option(help: "Also write the run's result to this file.", as: .file())
    var result: String?
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(reader: .optional, apply) }

    private func apply(_ context: CommandContext) async throws {
        if dryRun { try Invocation.current.refuse(["--result"], "needs a run, and --dry-run is none") }
        switch try ApplyInput(manifests.paths) {
        case .manifests(let standardInput): try await applyManifest(context, standardInput: standardInput)
        case .plan(let bytes, let file):
            try refuseFlagsOfPlanning()
            try await applySaved(SavedPlan(bytes, file: file), context)
        }
    }

    // MARK: - From a manifest

    private func applyManifest(_ context: CommandContext, standardInput: [UInt8]?) async throws {
        try Invocation.current.refuse(["--decisions"], "needs a saved plan")
        let console = context.console
        let (manifest, edited) = try await manifests.edited(
            for: planning,
            at: market,
            in: state,
            toleratesUnset: .none,
            standardInput: standardInput,
            context
        )
        let policies = try overriding.applied(to: manifest.policies)
        if !yes, !dryRun { try context.requireTerminal(help: "use --yes, or apply a saved plan") }
        let reporter = context.reporter()
        var opened = try await MarketWork(
            carryingOut: manifest,
            market,
            state,
            keptRuns: execution.keptRuns,
            at: execution.pace,
            reporter: reporter,
            context
        )
        opened.keptPictureBytes = execution.keptPictureBytes
        let work = opened
        let report = try report(work, reporter, context)
        let options = try planning.options(policies: policies, of: manifest, edited: edited)
        let refresh = planning.refresh ?? .changed
        let bound = options.policies.maximumPriceChange
        guard !dryRun else {
            try await work.previewing(manifest, options: options, refresh: refresh, expecting: expectPlan) {
                for note in $0.recovery.notes { console.note(note) }
                try console.requireSound($0.plan, editedBy: edited?.planned, all: manifests.all)
            } _: {
                try report.printRequests(of: $0, client: $1)
            }
            try edited?.requireComplete()
            return
        }
        let terms = terms(overriding.exceptions(planning), context)
        let (asks, verifies, all) = (!yes, verify, manifests.all)
        let applied = try await withRunSignals(reportingTo: console) { drain in
            try await work.apply(
                manifest,
                options: options,
                refresh: refresh,
                on: terms,
                drain: drain,
                verifies: verifies,
                ask: asks ? { try Self.ask(console) } : nil,
                edit: edited.map { edited in
                    (
                        edited.planned.isEmpty,
                        { if let edit = try edited.write(tool: toolVersion) { reporter.handle(edit) } }
                    )
                }
            ) { saved, session in
                try await report.show(saved, editedBy: edited?.planned, in: session, maximumPriceChange: bound)
                try console.requireSound(saved.plan, editedBy: edited?.planned, all: all)
            } finish: {
                try report.finish($0)
            } left: { saved, session in
                try await report.showLeft(saved, in: session, maximumPriceChange: bound)
            }
        }
        try report.conclude(applied)
        try applied.requireNothingLeft()
        try edited?.requireComplete()
    }

    private func terms(_ exceptions: PolicyExceptions, _ context: CommandContext) -> RunTerms {
        var terms = RunTerms()
        terms.lockTimeout = execution.lockTimeout ?? .zero
        terms.acceptance = execution.accepting.acceptance(context)
        terms.approval = exceptions.approval(by: ProcessInfo.processInfo.userName)
        terms.content = expectPlan
        return terms
    }

    private static func ask(_ console: Console) throws {
        guard console.confirms("\nApply these changes?") else {
            throw CommandFailure(.failure, "not applied")
        }
    }

    private func report(
        _ work: MarketWork<ClientConfiguration>,
        _ reporter: SessionReporter,
        _ context: CommandContext
    ) throws -> ApplyReport {
        try FileRegister.current.declare(result, named: "--result", as: .json)
        return ApplyReport(
            work: work,
            reporter: reporter,
            keptRuns: execution.keptRuns,
            resultFile: result,
            console: context.console
        )
    }

    // MARK: - From a saved plan

    /// From a saved plan only products are chosen: planning flags are refused instead of ignored.
    ///
    /// Variables are not checked, because they are also set for other commands.
    private func refuseFlagsOfPlanning() throws {
        let others = ["--override", "--url", "--api", "--market-parameter", "--allow-outside", "--verify"]
        let choosing = CommandOptions(ChoosingArguments.self).options.map(\.flag)
        let planning = CommandOptions(PlanningArguments.self).options.map(\.flag).filter { !choosing.contains($0) }
        let given = (planning + others).filter(Invocation.current.given.contains)
        guard given.isEmpty else {
            throw CommandFailure(
                .usage,
                "a saved plan is carried out as it is; it does not go with \(given.joined(separator: ", "))",
                help: "plan again with that"
            )
        }
    }

    private func applySaved(_ whole: SavedPlan, _ context: CommandContext) async throws {
        let console = context.console
        let (saved, decisions) = try deciding.decide(whole, planning.choosing, console)
        let secrets = SecretLookup(environment: context.environment)
        let target = try secrets.target(of: saved)
        let itemSecrets = try secrets.itemSecrets(of: saved)
        let client = try market.clientConfiguration(target, itemSecrets: itemSecrets, console: console)
        let place = try OpenedState(
            StateLocation(state.state ?? saved.state),
            besides: saved.manifestFiles,
            marketFile: saved.marketFile,
            keptRuns: execution.keptRuns,
            warning: console
        )
        let reporter = context.reporter()
        var work = MarketWork(target: target, client: client, state: place, reporter: reporter)
        work.configuration = execution.pace.configuration(parallelism: client.parallelism)
        work.keptPictureBytes = execution.keptPictureBytes
        let report = try report(work, reporter, context)
        guard !dryRun else {
            return try await work.previewing(saved, expecting: expectPlan) {
                try report.printRequests(of: $0, client: $1)
            }
        }
        var exceptions = overriding.exceptions()
        exceptions.decisions = decisions
        let terms = terms(exceptions, context)
        let applied = try await withRunSignals(reportingTo: console) { drain in
            try await report.work.apply(saved, on: terms, drain: drain) { session in
                try await report.show(saved, in: session)
            } finish: {
                try report.finish($0)
            }
        }
        try report.conclude(applied)
    }
}

struct ExecutionArguments: ParsableArguments {
    @OptionGroup var accepting: AcceptanceArguments
    @OptionGroup var pace: PaceArguments

    @Option(help: "How long to wait for another run's lock. (default: 0)", as: .duration)
    var lockTimeout: Duration?

    @Option(
        help: "How many runs keep their operations in `history`. (default: \(OpenedState.standardKeptRuns))",
        as: .number(from: 1)
    )
    var keepRuns: Int?

    @Option(
        help: "How many bytes of removed pictures to keep for `undo`; 0 disables it. (default: 1GB)",
        as: .byteCount
    )
    var keepPictures: Int64?

    var keptRuns: Int { keepRuns ?? OpenedState.standardKeptRuns }
    var keptPictureBytes: Int64 { keepPictures ?? PictureKeeping.standardLimit }
}

struct PaceArguments: ParsableArguments {
    @Option(help: "Maximum writing requests per second across all machines of a run: 0.001 to 100000.", as: .rate)
    var rate: Double?

    @Option(
        help:
            "How long a create whose reply was lost may still take effect. (default: the description's, or 3s)",
        as: .duration
    )
    var settleDelay: Duration?

    func configuration(parallelism: Int) -> ExecutorConfiguration {
        var configuration = ExecutorConfiguration()
        configuration.parallelism = parallelism
        configuration.rate = rate
        if let settleDelay { configuration.settleDelay = settleDelay }
        return configuration
    }
}
