import ArgumentParser
import Logging
import OpenMarket
import OpenMarketApply
import OpenMarketManifest
import OpenMarketWorkflow

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Shows what apply would do. Sends no writing request, ever.",
        discussion: """
            Exit 0: done. 2: changes are pending (--detailed-exitcode). 4: the manifest is not valid. 5: a policy or \
            brake refuses. 9: the market cannot be reached.
            """,
        aliases: ["diff"]
    )

    @OptionGroup var manifests: ManifestArguments
    @OptionGroup var market: MarketArguments
    @OptionGroup var state: StateArguments
    @OptionGroup var planning: PlanningArguments
    @Flag(name: .setting(.detailedExitcode), help: "Exit with 2 when changes are pending.")
    var detailedExitcode = false
    @Option(
        name: .setting(.out, short: "o"),
        help: ArgumentHelp("Save the plan, for `apply FILE`.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var out: String?
    @Option(
        name: .setting(.write),
        help: ArgumentHelp("Also write the plan as text, json or markdown; repeatable.", valueName: "format=file")
    )
    var write: [PlanOutputOption] = []
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = Settings.current
        let console = try output.console(settings: settings)
        try await withLogger(output.logger("openmarket", settings: settings, standard: .warning)) { _ in
            try await run(settings: settings, console: console)
        }
    }

    private func run(settings: Settings, console: Console) async throws {
        let manifest = try await manifests.loadValid(settings: settings, market: market, console: console)
        let work = try await work(on: manifest, settings: settings, console: console)
        let out = try settings.text(out, .out)
        let further = try outputs(settings)
        try check(out, further, OutputPlaces(manifest: manifest, state: work.state))
        let options = try planning.options(settings: settings, policies: manifest.policies)
        let refresh = try planning.refreshMode(settings)

        let (planned, saved) = try await work.reading { session, _ in
            let planned = try await session.plan(manifest, options: options, refresh: refresh)
            return (planned, try await document(of: planned, manifest, session))
        }
        for note in planned.recovery.notes { console.note("\(note); the next apply settles it") }
        try show(saved, settings: settings, console: console)
        for target in further { try AtomicFile.write(target.bytes(of: saved), to: target.file) }
        try planned.plan.requireSound(console: console)
        if let out { try save(saved, to: out, console: console) }
        // What an earlier run left unresolved is pending, too.
        let isPending = !planned.plan.isEmpty || !planned.recovery.settled.isEmpty
        if try settings.isOn(detailedExitcode, .detailedExitcode), isPending {
            throw CommandFailure(.changesPending)
        }
    }

    private func work(on manifest: Manifest, settings: Settings, console: Console) async throws -> MarketWork {
        let target = try MarketTarget(manifest.market)
        return MarketWork(
            target: target,
            client: try market.clientConfiguration(target, settings: settings),
            state: try await state.place(
                settings,
                manifestFiles: manifest.files,
                market: manifest.market,
                console: console
            ),
            reporter: SessionReporter(isJSON: false, console: console)
        )
    }

    /// The further outputs that flags or `OPENMARKET_WRITE` ask for.
    private func outputs(_ settings: Settings) throws -> [PlanOutputOption] {
        guard write.isEmpty else { return write }
        return try settings.list([], .write).map { text in
            guard let output = PlanOutputOption(argument: text) else {
                throw CommandFailure(
                    .usage,
                    "\(Setting.write.variable): '\(text)' is not a value that \(Setting.write.flag) takes"
                )
            }
            return output
        }
    }

    private func check(_ out: String?, _ further: [PlanOutputOption], _ places: OutputPlaces) throws {
        try places.check(out, Setting.out.flag)
        for output in further { try places.check(output.file, Setting.write.flag) }
    }

    /// The plan with what is around it.
    private func document(
        of planned: PlannedChanges,
        _ manifest: Manifest,
        _ session: Session
    ) async throws -> SavedPlan {
        SavedPlan(
            planned,
            tool: "openmarket \(toolVersion)",
            scope: session.scope,
            manifest: manifest,
            state: session.state.location,
            lastRun: try await session.state.runs(limit: 1).first?.record.id,
            in: DocumentFolder.current
        )
    }

    private func show(_ saved: SavedPlan, settings: Settings, console: Console) throws {
        if try output.isJSON(settings) {
            let document = saved.document(forApply: false, in: DocumentFolder.current, override: \.flags)
            try console.write(document.bytes(pretty: true) + Array("\n".utf8))
        } else {
            try PlanTextRenderer(style: console.outputStyle).render(saved.plan) { try console.write($0) }
        }
    }

    private func save(_ saved: SavedPlan, to file: String, console: Console) throws {
        try AtomicFile.write(saved.bytes(in: DocumentFolder.of(file)), to: file)
        console.note("Saved to \(file.terminalSafe); carry it out with: openmarket apply \(file.terminalSafe)")
    }
}

/// A further output of a plan: `markdown=plan.md`.
struct PlanOutputOption: ExpressibleByArgument {
    enum Format: String, CaseIterable {
        case text
        case json
        case markdown
    }

    let format: Format
    let file: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let format = Format(rawValue: String(parts[0])) else { return nil }
        self.format = format
        self.file = String(parts[1])
    }

    func bytes(of saved: SavedPlan) -> [UInt8] {
        switch format {
        case .text: Array(PlanTextRenderer(style: .plain).render(saved.plan).utf8)
        case .json:
            saved.document(forApply: false, in: DocumentFolder.of(file), override: \.flags).bytes(pretty: true)
                + Array("\n".utf8)
        case .markdown: Array(PlanMarkdownRenderer().render(saved.plan).utf8)
        }
    }
}

extension Plan {
    /// Says what stands against the plan.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 for errors, 5 for refusals.
    func requireSound(console: Console) throws {
        console.report(diagnostics)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            throw CommandFailure(
                .invalidInput,
                "the plan cannot be carried out: \(DiagnosticRenderer.count(diagnostics))"
            )
        }
        for refusal in refusals {
            let place = refusal.source.map { "\($0): " } ?? ""
            console.complain(console.errorStyle(.boldRed, "refused: ") + (place + refusal.message).terminalSafe)
            if let override = refusal.override {
                console.complain(
                    console.errorStyle(.cyan, "  help: ") + "if you mean it: \(override.flags)".terminalSafe
                )
            }
        }
        guard refusals.isEmpty else { throw CommandFailure(.refused) }
    }
}

extension ManifestArguments {
    /// Reads the manifests and says what is wrong with them.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when anything is: nothing may be sent then.
    func loadValid(settings: Settings, market: MarketArguments, console: Console) async throws -> Manifest {
        let loaded = try await load(settings: settings, url: market.url, api: market.api)
        console.report(loaded.diagnostics)
        guard !loaded.hasErrors, let manifest = loaded.manifest else {
            throw CommandFailure(
                .invalidInput,
                "the manifest is not valid: \(DiagnosticRenderer.count(loaded.diagnostics)); nothing was sent"
            )
        }
        return manifest
    }
}
