import OpenMarket
import OpenMarketClient
import OpenMarketWorkflow

/// The output of `apply` about its plan, its requests and its outcome.
struct ApplyReport: Sendable {
    let work: MarketWork<ClientConfiguration>
    let reporter: SessionReporter
    let keptRuns: Int
    let resultFile: String?
    let console: Console

    private var isJSON: Bool { reporter.isJSON }

    /// Shows the plan, unless `--json` shows it as events.
    func show(
        _ saved: SavedPlan,
        editedBy edits: PlannedEdits? = nil,
        in session: Session,
        maximumPriceChange: Int64? = nil
    ) async throws {
        guard !isJSON else { return }
        let reviewed = try await session.reviewed(saved, maximumPriceChange: maximumPriceChange)
        try PlanTextRenderer(style: console.outputStyle, width: console.outputWidth).render(reviewed) {
            try console.write($0)
        }
        try edits.map { try console.write($0.places) }
    }

    /// Shows the changes that a second plan found, with their number.
    func showLeft(_ saved: SavedPlan, in session: Session, maximumPriceChange: Int64?) async throws {
        console.note("Verified: \(counted(saved.plan.operations.count, "change"))")
        if saved.plan.isEmpty { console.report(saved.plan.diagnostics.filter { $0.code == .alteredText }) }
        guard !saved.plan.isEmpty else { return }
        let reviewed = try await session.reviewed(saved, maximumPriceChange: maximumPriceChange)
        console.printError(PlanTextRenderer(style: console.errorStyle).render(reviewed))
    }

    private var files: RunResultFiles {
        RunResultFiles(in: work.state.results, keeping: keptRuns, copy: resultFile)
    }

    /// Reports the result of every operation, and saves it next to the state and in the file of the option, if any.
    func finish(_ result: RunResult) throws {
        let file = try files.write(result)
        try reporter.end(result)
        if !isJSON { console.report([result.alteration].compactMap(\.self)) }
        if result.hasTroubles {
            console.note("Results of all operations: \(file.terminalSafe)")
        }
    }

    /// Fails unless everything was done; otherwise prints the URL of the shop's page.
    func conclude(_ applied: AppliedRun) throws {
        if applied.result == nil { try files.writeNothing(of: applied.run) }
        try applied.requireSuccess(at: work.target)
        guard applied.result != nil, !isJSON, let page = reporter.shopPage else { return }
        console.note("The shop's page: \(page.terminalSafe)")
    }

    // MARK: - Dry run

    /// Prints every request that a plan would send, and reports the operations that it would not start.
    ///
    /// Throws ``CommandFailure`` if there are any, and the errors of writing.
    func printRequests(of planned: PlannedChanges, client: MarketClient) throws {
        var count = 0
        if isJSON { try console.writeVersion() }
        for refused in planned.refused { reporter.handle(.execution(.finished(refused))) }
        for (operation, request) in work.requests(of: planned) {
            let description = try client.describe(request)
            count += 1
            if isJSON {
                try console.write(document: operation.event(of: description.maskedJSON), pretty: false)
            } else {
                try console.write(operation.text(ofRequest: description.maskedLines, console.outputStyle))
            }
        }
        console.note(PlannedOperation.dryRunText(count))
        try planned.requireNoneRefused()
    }
}
