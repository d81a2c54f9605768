import ArgumentParser
import OpenMarket
import OpenMarketFiles
import OpenMarketWorkflow

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a saved plan again. Reads neither the market nor the state.",
        discussion: """
            Exit 0: shown. 4: the file is not a saved plan, or the decisions do not fit it. 6: the decisions are about \
            another plan.

            Examples:
              openmarket show plan.json --summary
              openmarket show plan.json --decisions decisions.json -o approved.json
            """
    )

    @Argument(help: "A plan that `plan -o` saved.", completion: .file(extensions: ["json"]))
    var plan: String
    @OptionGroup(title: "Choosing") var choosing: ChoosingArguments
    @OptionGroup(title: "Saved plan") var deciding: DecisionArguments
    @Option(name: .shortAndLong, help: "Save the plan that is shown, for `apply FILE`.", as: .file("json"))
    var out: String?
    @OptionGroup(title: "Review") var review: ReviewArguments
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(show) }

    private func show(_ context: CommandContext) async throws {
        let console = context.console
        let whole = try SavedPlan(file: plan)
        let (saved, decisions) = try deciding.decide(whole, choosing, console)
        SecretLookup(environment: context.environment).found(of: saved)
        var document = PlanDocument(saved, ReviewedPlan(saved))
        document.language = review.language
        document.files = CodeHost.files(context.environment)
        try FileRegister.current.declare(out, named: "--out", as: .json)
        let further = try review.outputs()
        saved.noteInputs()
        try FileRegister.current.check()
        if further.contains(where: \.format.showsPictures) {
            // If the plan's state is not on this machine, none of its pictures are stored here.
            let place = try? OpenedState(StateLocation(saved.state), besides: saved.manifestFiles, warning: nil)
            let loading = PictureLoading(market: nil, store: place?.pictures)
            document.pictures = await loading.pictures(of: document.reviewed.review)
        }
        try review.show(document, context)
        if let decisions { console.note("\(decisions.text(besides: saved.plan.operations.count)).") }
        let origin = saved.plan == whole.plan ? nil : whole.contentDigest
        try review.write(document, to: further)
        if let out {
            try document.save(to: out, decidedFrom: origin, console)
        } else {
            console.noteContent(document.reviewed.subject.content, decidedFrom: origin)
        }
    }
}
