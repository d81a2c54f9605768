import ArgumentParser
import OpenMarket
import OpenMarketFiles
import OpenMarketWorkflow

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a saved plan again. Reads neither the market nor the state.",
        discussion: "Exit 0: shown. 4: the file is not a saved plan."
    )

    @Argument(help: "A plan that `plan -o` saved.", completion: .file(extensions: ["json"]))
    var plan: String
    @OptionGroup(title: "Review") var review: ReviewArguments
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(show) }

    private func show(_ context: CommandContext) async throws {
        let console = context.console
        let saved = try SavedPlan(file: plan)
        SecretLookup(environment: context.environment).found(of: saved)
        var document = PlanDocument(saved, ReviewedPlan(saved)) { $0.flags }
        document.language = review.language
        document.files = CodeHost.files(context.environment)
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
        console.note("Content: sha256:\(document.reviewed.subject.content)")
        try review.write(document, to: further)
    }
}
