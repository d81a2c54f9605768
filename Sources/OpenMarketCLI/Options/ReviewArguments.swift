import ArgumentParser
import OpenMarketReview

/// How a plan is shown, and where else it is written.
struct ReviewArguments: ParsableArguments {
    @Flag(name: .setting(.summary), help: "Show one line for each product.")
    var summary = false

    @Option(
        name: .setting(.write),
        help: ArgumentHelp("Also write the plan as text, json, markdown or html; repeatable.", valueName: "format=file")
    )
    var write: [OutputOption<PlanFormat>] = []

    @Option(
        name: .setting(.language),
        help: ArgumentHelp("The language of the HTML page: en or ko; else the browser's.", valueName: "language")
    )
    var language: PageLanguage?

    /// The files to write the plan to.
    func outputs() throws -> [OutputOption<PlanFormat>] { try write.declared() }

    var detail: PlanTextRenderer.Detail { summary ? .lines : .fields }
}

extension PageLanguage: ExpressibleByArgument {}
