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
    /// What the page's own words are in; `nil` leaves it to the browser.
    var language: PageLanguage?

    /// Writes what goes to standard output: text for people, or JSON.
    func write(to console: Console, isJSON: Bool, detail: PlanTextRenderer.Detail) throws {
        guard !isJSON else { return try console.write(json: json(in: DocumentFolder.current)) }
        try PlanTextRenderer(style: console.outputStyle, detail: detail).render(reviewed) {
            try console.write($0)
        }
    }

    /// What goes to a further file.
    ///
    /// - Parameters:
    ///   - output: which file, in which format.
    ///   - console: knows the credentials, which are in no document.
    /// - Returns: the whole file.
    /// - Throws: what the page's templates throw.
    func bytes(for output: OutputOption<PlanFormat>, hidingWith console: Console) throws -> [UInt8] {
        func masked(_ text: String) -> [UInt8] { Array(console.masked(text).utf8) }
        return switch output.format {
        case .json: console.masked(json: json(in: DocumentFolder.of(output.file)))
        case .text: masked(PlanTextRenderer(style: .plain).render(reviewed))
        case .markdown: masked(PlanMarkdownRenderer().render(reviewed))
        case .html: masked(try PlanHTMLRenderer(language: language).render(reviewed, pictures))
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
