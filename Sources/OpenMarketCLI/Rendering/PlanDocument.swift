import OpenMarket
import OpenMarketClient
import OpenMarketReview
import OpenMarketWorkflow

/// A plan in each of the formats that it is written in.
struct PlanDocument {
    let saved: SavedPlan
    let reviewed: ReviewedPlan
    /// What the page shows of the pictures; loaded where it is asked for.
    var pictures = ReviewPictures()

    /// Writes what goes to standard output: text for people, or JSON.
    func write(to console: Console, isJSON: Bool, detail: PlanTextRenderer.Detail) throws {
        guard !isJSON else { return try console.write(json(in: DocumentFolder.current)) }
        try PlanTextRenderer(style: console.outputStyle, detail: detail).render(reviewed) { try console.write($0) }
    }

    /// What goes to a further file.
    func bytes(for output: OutputOption<PlanFormat>) throws -> [UInt8] {
        switch output.format {
        case .text: Array(PlanTextRenderer(style: .plain).render(reviewed).utf8)
        case .json: json(in: DocumentFolder.of(output.file))
        case .markdown: Array(PlanMarkdownRenderer().render(reviewed).utf8)
        case .html: Array(try PlanHTMLRenderer().render(reviewed, pictures).utf8)
        }
    }

    private func json(in folder: String) -> [UInt8] {
        saved.document(forApply: false, in: folder, override: \.flags).bytes(pretty: true) + Array("\n".utf8)
    }
}

extension ReviewSubject {
    /// What a plan is of, its files named as from the current folder.
    init(_ saved: SavedPlan) {
        let paths = DocumentPaths(folder: DocumentFolder.current)
        self.init(
            market: saved.url,
            profile: saved.profile,
            manifests: saved.manifestFiles.map(paths.relative),
            tool: saved.tool,
            content: saved.contentDigest,
            productAddress: saved.profile.productAddress(at: saved.url)
        )
    }
}
