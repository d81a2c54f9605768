import OpenMarket

package enum PlanFormat: String, Sendable, CaseIterable {
    case text
    case json
    case markdown
    case html

    /// Whether the format shows the pictures of a plan, which have to be loaded for it.
    package var showsPictures: Bool { self == .html }
}

package struct PlanDocument: Sendable {
    package let saved: SavedPlan
    package let reviewed: ReviewedPlan
    /// The pictures of the page; loaded only if the format shows them.
    package var pictures = ReviewPictures()
    /// What the plan's manifest has besides its files.
    package var edits: PlannedEdits?
    /// The language of the page's own words; `nil` leaves it to the browser.
    package var language: PageLanguage?
    /// The URL prefix of the repository's files on a code host.
    package var files: String?

    package init(_ saved: SavedPlan, _ reviewed: ReviewedPlan) {
        self.saved = saved
        self.reviewed = reviewed
    }

    /// The whole file in one of the formats.
    ///
    /// `folder` is the absolute path of the file's folder, the base of relative paths in a JSON document. No document
    /// has a credential. Errors come from the page's templates.
    package func bytes(as format: PlanFormat, in folder: String) throws -> [UInt8] {
        let mask = SecretMask.current
        func masked(_ text: String) -> [UInt8] { Array(mask.masked(text).utf8) }
        return switch format {
        case .json: mask.masked(json: json(in: folder))
        case .text: masked(PlanTextRenderer(style: .plain).render(reviewed) + (edits?.places ?? ""))
        case .markdown: masked(PlanMarkdownRenderer(files: files).render(reviewed))
        case .html:
            masked(
                try PlanHTMLRenderer(language: language)
                    .render(reviewed, pictures, deciding: saved.plan.isSound ? saved.items : [])
            )
        }
    }

    /// The plan as JSON for reading, not for applying, with a line end.
    ///
    /// `folder` is the absolute path of the folder that the document is for.
    package func json(in folder: String) -> [UInt8] {
        let plan = saved.document(forApply: false, in: folder)
        let members = (plan.members ?? []) + (edits.map { [.init("edit", $0.document(written: nil))] } ?? [])
        return JSONValue.object(members).bytes(pretty: true) + Array("\n".utf8)
    }
}
