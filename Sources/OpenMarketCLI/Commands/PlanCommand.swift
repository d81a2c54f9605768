import ArgumentParser
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Shows what apply would do. It is read-only.",
        discussion: """
            Needs neither a lock nor write access to the state. --refresh full also finds changes that the market's \
            list does not show.

            Exit 0: done. 2: changes are pending, with --detailed-exitcode. 4: the manifest is not valid. 5: a check \
            refuses the plan. 8: credentials rejected. 9: the market cannot be reached.

            Examples:
              openmarket plan
              openmarket plan market.yaml more.yaml --target 'lamp-*'
              openmarket plan prices.csv
              openmarket plan -o plan.json --write html=plan.html --write markdown=plan.md
              openmarket plan --max-delete 50% --detailed-exitcode
            """,
        aliases: ["diff"]
    )

    @OptionGroup(title: "Manifest") var manifests: ManifestArguments
    @OptionGroup(title: "Market") var market: MarketArguments
    @OptionGroup(title: "State") var state: StateArguments
    @OptionGroup(title: "Planning") var planning: PlanningArguments
    @Flag(help: "Exit with 2 when changes are pending.")
    var detailedExitcode = false
    @Option(name: .shortAndLong, help: "Save the plan, for `apply FILE`.", as: .file("json"))
    var out: String?
    @OptionGroup(title: "Review") var review: ReviewArguments
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(plan) }

    private func plan(_ context: CommandContext) async throws {
        let console = context.console
        let (manifest, edited) = try await manifests.edited(
            for: planning,
            at: market,
            in: state,
            savesPlan: out != nil,
            toleratesUnset: .secrets,
            context
        )
        let work = try await MarketWork(manifest.market, manifestFiles: manifest.files, market, state, context)
        try FileRegister.current.declare(out, named: "--out", as: .json)
        let further = try review.outputs()
        let options = try planning.options(policies: manifest.policies, of: manifest, edited: edited)
        let refresh = planning.refresh ?? .changed

        let bound = options.policies.maximumPriceChange
        let store = further.contains(where: \.format.showsPictures) ? work.state.pictures : nil
        let (planned, document) = try await work.reading { session, _ in
            let planned = try await session.plan(manifest, options: options, refresh: refresh, keeping: store)
            let saved = try await session.saved(planned, manifest)
            let reviewed = try await session.reviewed(saved, maximumPriceChange: bound)
            var document = PlanDocument(saved, reviewed)
            document.language = review.language
            document.edits = edited?.planned
            document.files = CodeHost.files(context.environment)
            if let store { document.pictures = await session.pictures(of: reviewed.review, keptIn: store) }
            return (planned, document)
        }
        for note in planned.recovery.notes { console.note("\(note); the next apply settles it") }
        try review.show(document, context)
        try review.write(document, to: further)
        try console.requireSound(planned.plan, editedBy: edited?.planned, all: manifests.all)
        if let out { try document.save(to: out, console) }
        try edited?.requireComplete()
        if detailedExitcode, planned.isPending { throw CommandFailure(.changesPending) }
    }
}
