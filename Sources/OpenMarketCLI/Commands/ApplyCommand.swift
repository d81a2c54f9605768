import ArgumentParser
import Logging
import OpenMarket
import OpenMarketApply
import OpenMarketClient
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow
import SystemPackage

struct ApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Makes the live catalog what the manifest says.",
        discussion: """
            Plans, asks, and carries out: creates, updates, replaces, deletes. `apply PLAN.json` carries out exactly a \
            saved plan. An interrupted run is continued by the next one; nothing is made twice.

            Exit 0: done. 3: some operations failed. 4: not valid. 5: a policy or brake refuses. 6: the saved plan is \
            stale. 7: another run holds the lock. 8: credentials rejected. 9: the market cannot be reached. \
            130: interrupted.

            Examples:
              openmarket apply
              openmarket apply plan.json --result result.json
              openmarket apply --yes --verify --parallelism 4
              openmarket apply --override max_price_change --reason 'spring sale'
            """
    )

    @OptionGroup(title: "Manifest") var manifests: ManifestArguments
    @OptionGroup(title: "Market") var market: MarketArguments
    @OptionGroup(title: "State") var state: StateArguments
    @OptionGroup(title: "Planning") var planning: PlanningArguments
    @OptionGroup(title: "Policies") var overriding: OverrideArguments
    @OptionGroup(title: "Carrying out") var execution: ExecutionArguments
    @Flag(name: .setting(.yes, short: "y"), help: "Do not ask.")
    var yes = false
    @Flag(name: .setting(.dryRun), help: "Print every request that would be sent, send none.")
    var dryRun = false
    @Flag(name: .setting(.verify), help: "Plan again at the end; exit 3 unless nothing is left to do.")
    var verify = false
    @Option(
        name: .setting(.expectPlan),
        help: ArgumentHelp(
            "Carry out only the plan of this content, as plan -o and show say it.",
            valueName: "sha256:digits"
        )
    )
    var expectPlan: DigestOption?
    @Option(
        name: .setting(.result),
        help: ArgumentHelp("Write the run's result there too.", valueName: "file"),
        completion: .file()
    )
    var result: String?
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        let settings = Settings.current
        let console = try output.console(settings: settings, outlivesReader: true)
        try await withLogger(output.logger("openmarket", settings: settings, standard: .warning)) { _ in
            let paths = try manifests.paths(settings: settings)
            if paths.count == 1, paths[0].hasSuffix(".json"), !FileSystem.isRegular(paths[0]) {
                throw CommandFailure(
                    .invalidInput,
                    "\(paths[0]) does not exist",
                    help: FileSystem.nearestName(to: paths[0]).map { "did you mean '\($0)'?" }
                        ?? "save a plan there first: openmarket plan -o \(paths[0])"
                )
            }
            if paths.count == 1, paths[0] != "-", let bytes = try? Self.planBytes(paths[0]) {
                try refuseFlagsOfPlanning()
                try await applySaved(
                    SavedPlan(bytes, file: paths[0]),
                    file: paths[0],
                    settings: settings,
                    console: console
                )
            } else {
                try await applyManifest(settings: settings, console: console)
            }
        }
    }

    /// The file's bytes where it is a saved plan; `nil` for a manifest.
    private static func planBytes(_ path: String) throws -> [UInt8]? {
        let descriptor = try InputFile.open(path, as: .plan)
        return try descriptor.closeAfter {
            try SavedPlan.isPlan(descriptor.head(256)[...]) ? descriptor.readAll() : nil
        }
    }

    // MARK: - From a manifest

    private func applyManifest(settings: Settings, console: Console) async throws {
        let isDryRun = try settings.isOn(dryRun, .dryRun)
        let isApproved = try settings.isOn(yes, .yes)
        let manifest = try await manifests.loadValid(
            for: planning,
            at: market,
            toleratesUnset: .none,
            settings: settings,
            console: console
        )
        let policies = try overriding.applied(to: manifest.policies, settings: settings)
        if !isApproved, !isDryRun { try requireTerminalToAsk(settings: settings, console: console) }
        var run = try await run(on: manifest, settings: settings, console: console)
        run.approval = try overriding.approval(planning, settings: settings)
        let options = try planning.options(settings: settings, policies: policies)
        let refresh = try planning.refreshMode(settings)
        guard !isDryRun else {
            return try await run.dryRun(
                manifest: manifest,
                options: options,
                refresh: refresh,
                all: settings.isOn(manifests.all, .all)
            )
        }
        let verifies = try settings.isOn(verify, .verify)
        let expected = try settings.value(expectPlan, .expectPlan)?.digest
        let all = try settings.isOn(manifests.all, .all)
        try await run.locked { [run] session in
            let applied = try await session.apply(
                manifest,
                options: options,
                refresh: refresh,
                approval: run.approval,
                interruption: .bySignals(reportingTo: console),
                verifies: verifies
            ) { planned in
                let saved = try await session.saved(planned, manifest)
                try await run.show(saved, in: session, maximumPriceChange: options.policies.maximumPriceChange)
                try console.requireSound(planned.plan, all: all)
                try saved.requireContent(expected)
                try run.work.target.requireCredentials(for: planned.plan)
                if planned.plan.hasChanges, !isApproved { try ask(about: &planned, console: console) }
            } finish: {
                try run.finish($0)
            }
            try run.conclude(applied)
            if let rest = applied.remaining {
                try await requireNothingLeft(rest, manifest, options: options, session: session, console: console)
            }
        }
    }

    /// Checks that there is a terminal to ask on, and a plan to see there.
    private func requireTerminalToAsk(settings: Settings, console: Console) throws {
        guard try !output.isJSON(settings) else {
            throw CommandFailure(
                .usage,
                "with \(Setting.json.flag) apply shows no plan that could be agreed to",
                help: "use \(Setting.yes.flag)"
            )
        }
        guard console.isInteractive else {
            throw CommandFailure(
                .usage,
                "apply asks before it changes anything, and there is no terminal to ask on",
                help: "use \(Setting.yes.flag), or apply a saved plan"
            )
        }
    }

    private func ask(about planned: inout PlannedChanges, console: Console) throws {
        guard console.ask("\nApply these changes? Only 'yes' does it: ") == "yes" else {
            throw CommandFailure(.failure, "not applied")
        }
        planned.noteQuestion()
    }

    private func run(on manifest: Manifest, settings: Settings, console: Console) async throws -> ApplyRun {
        var work = try await MarketWork(
            manifest.market,
            manifestFiles: manifest.files,
            market,
            state,
            keptRuns: execution.keptRuns(settings),
            isJSON: output.isJSON(settings),
            environment: settings,
            console: console
        )
        work.client.credentials.itemSecrets = try await SecretLookup(
            environment: settings.environment
        ).itemSecrets(of: manifest, at: work.target.scope, rememberedBy: work.state.backend)
        return try run(work, settings: settings, console: console)
    }

    private func run(_ work: MarketWork, settings: Settings, console: Console) throws -> ApplyRun {
        let shopPage = ShopPageAddress()
        var work = work
        work.client.onShopPage = { shopPage.address = $0 }
        work.configuration = try execution.configuration(settings, parallelism: work.client.parallelism)
        return try ApplyRun(
            work: work,
            lockTimeout: execution.lockTimeoutValue(settings),
            keptRuns: execution.keptRuns(settings),
            resultFile: settings.output(result, .result, as: .json),
            shopPage: shopPage,
            console: console
        )
    }

    private func requireNothingLeft(
        _ again: PlannedChanges,
        _ manifest: Manifest,
        options: PlannerOptions,
        session: Session,
        console: Console
    ) async throws {
        console.note("Verified: \(counted(again.plan.operations.count, "change"))")
        guard again.plan.isEmpty else {
            let reviewed = try await session.reviewed(
                session.saved(again, manifest),
                maximumPriceChange: options.policies.maximumPriceChange
            )
            console.complain(PlanTextRenderer(style: console.errorStyle).render(reviewed))
            throw CommandFailure(.partialFailure, "the market is not as the manifest says")
        }
    }

    // MARK: - From a saved plan

    /// A saved plan is carried out as it is: a flag that would have planned otherwise must not seem to do so.
    ///
    /// Variables are not checked, because they are set for other commands too.
    private func refuseFlagsOfPlanning() throws {
        let others: [Setting] = [.override, .url, .api, .allowOutside, .verify]
        let planning = CommandOptions(PlanningArguments.self).options.map(\.setting)
        let given = (planning + others).filter(Invocation.current.given.contains).map(\.flag)
        guard given.isEmpty else {
            throw CommandFailure(
                .usage,
                "a saved plan is carried out as it is; it does not go with \(given.joined(separator: ", "))",
                help: "plan again with that"
            )
        }
    }

    private func applySaved(_ saved: SavedPlan, file: String, settings: Settings, console: Console) async throws {
        let secrets = SecretLookup(environment: settings.environment)
        let target = try secrets.target(of: saved)
        let itemSecrets = try secrets.itemSecrets(of: saved)
        console.hide([target.identifier, target.secret].compactMap { $0?.value } + itemSecrets.values)
        let client = try market.clientConfiguration(
            target,
            settings: settings,
            itemSecrets: itemSecrets
        )
        let location = StateLocation(try settings.text(state.state, .state) ?? saved.state)
        let place = try StatePlace(location, keptRuns: execution.keptRuns(settings))
        try saved.requireContent(settings.value(expectPlan, .expectPlan)?.digest)
        try await place.backend.reading(target.scope) { try await saved.requireKnown(in: $0) }
        let work = MarketWork(
            target: target,
            client: client,
            state: place,
            reporter: SessionReporter(isJSON: try output.isJSON(settings), console: console)
        )
        var run = try run(work, settings: settings, console: console)
        saved.noteInputs()
        try FileRegister.current.check()
        run.approval = try overriding.approval(nil, settings: settings)
        try target.requireCredentials(for: saved.plan)
        if try settings.isOn(dryRun, .dryRun) {
            try await run.dryRun(saved.plan)
            return
        }
        try await run.locked { [run] session in
            let applied = try await session.apply(
                saved,
                approval: run.approval,
                interruption: .bySignals(reportingTo: console)
            ) { _ in
                try await run.show(saved, in: session)
            } finish: {
                try run.finish($0)
            }
            try run.conclude(applied)
        }
    }
}

/// How to carry out.
struct ExecutionArguments: ParsableArguments {
    @Option(
        name: .setting(.rate),
        help: ArgumentHelp("At most so many writing requests a second: 0.001 to 100000.", valueName: "n/s")
    )
    var rate: RateOption?

    @Option(
        name: .setting(.lockTimeout),
        help: ArgumentHelp("How long to wait for another run's lock. (default: 0)", valueName: "time")
    )
    var lockTimeout: DurationOption?

    @Option(
        name: .setting(.keepRuns),
        help: ArgumentHelp(
            "Of how many runs `history` keeps the operations. (default: \(StatePlace.standardKeptRuns))",
            valueName: "n"
        )
    )
    var keepRuns: PositiveOption?

    @Option(
        name: .setting(.settleDelay),
        help: ArgumentHelp(
            "How long the market may still be working on a create whose reply was lost. (default: 3s)",
            valueName: "time"
        )
    )
    var settleDelay: DurationOption?

    func configuration(_ settings: Settings, parallelism: Int) throws -> ExecutorConfiguration {
        var configuration = ExecutorConfiguration()
        configuration.parallelism = parallelism
        configuration.rate = try settings.value(rate, .rate)?.perSecond
        guard configuration.rate.map(Throttle.rates.contains) ?? true else {
            throw CommandFailure(.usage, "\(Setting.rate.flag) has to be from 0.001 to 100000 requests a second")
        }
        if let delay = try settings.value(settleDelay, .settleDelay) {
            configuration.settleDelay = delay.duration
        }
        return configuration
    }

    func keptRuns(_ settings: Settings) throws -> Int {
        try settings.value(keepRuns, .keepRuns)?.value ?? StatePlace.standardKeptRuns
    }

    func lockTimeoutValue(_ settings: Settings) throws -> Duration {
        try settings.value(lockTimeout, .lockTimeout)?.duration ?? .zero
    }
}
