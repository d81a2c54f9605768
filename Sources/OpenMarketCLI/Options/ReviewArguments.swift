import ArgumentParser
import OpenMarket
import OpenMarketFiles
import OpenMarketWorkflow

struct ReviewArguments: ParsableArguments {
    @Flag(help: "Show one line for each product.")
    var summary = false

    @Option(help: "Also write the plan as text, json, markdown or html; repeatable.", as: .output())
    var write: [OutputOption<PlanFormat>] = []

    @Option(
        help: ArgumentHelp("The language of the HTML page's own words. (default: the browser's)", valueName: "language")
    )
    var language: PageLanguage?

    func outputs() throws -> [OutputOption<PlanFormat>] { try write.declared() }

    /// Writes a plan to standard output: text for people, or JSON.
    func show(_ document: PlanDocument, _ context: CommandContext) throws {
        let console = context.console
        guard !context.isJSON else { return try console.write(json: document.json(in: DocumentFolder.current)) }
        try PlanTextRenderer(style: console.outputStyle, isSummary: summary, width: console.outputWidth)
            .render(document.reviewed) { try console.write($0) }
        try document.edits.map { try console.write($0.places) }
    }

    func write(_ document: PlanDocument, to outputs: [OutputOption<PlanFormat>]) throws {
        for output in outputs {
            let folder = DocumentFolder.of(output.file)
            try AtomicFile.write(document.bytes(as: output.format, in: folder), to: output.file)
        }
    }
}

extension PlanDocument {
    /// Saves the plan for `apply`; `origin` is the content of the plan that it was decided from.
    func save(to file: String, decidedFrom origin: ContentDigest? = nil, _ console: Console) throws {
        let (bytes, content) = try saved.bytes(for: file)
        try AtomicFile.write(bytes, to: file)
        console.note("Saved to \(file.terminalSafe); carry it out with: openmarket apply \(file.terminalSafe)")
        console.noteContent(content, decidedFrom: origin)
    }
}

extension Console {
    func noteContent(_ content: ContentDigest, decidedFrom origin: ContentDigest?) {
        note("Content: sha256:\(content)" + (origin.map { ", decided from sha256:\($0)" } ?? ""))
    }
}

extension PageLanguage: ExpressibleByArgument {}
