package import OpenMarket

/// The formats that a plan is written in.
package enum PlanFormat: String, Sendable, CaseIterable {
    case text
    case json
    case markdown
    case html

    /// Whether it shows the pictures of a plan, which are loaded for that.
    package var showsPictures: Bool { self == .html }
}

/// A plan in each of the formats that it is written in.
package struct PlanDocument: Sendable {
    /// The plan as it is saved.
    package let saved: SavedPlan
    /// The plan as it is shown.
    package let reviewed: ReviewedPlan
    /// What the page shows of the pictures; loaded where it is asked for.
    package var pictures = ReviewPictures()
    /// What the page's own words are in; `nil` leaves it to the browser.
    package var language: PageLanguage?
    private let words: @Sendable (PlanOverride) -> String

    /// - Parameters:
    ///   - saved: the plan as it is saved.
    ///   - reviewed: the plan as it is shown.
    ///   - words: what an override is called.
    package init(
        _ saved: SavedPlan,
        _ reviewed: ReviewedPlan,
        override words: @escaping @Sendable (PlanOverride) -> String
    ) {
        self.saved = saved
        self.reviewed = reviewed
        self.words = words
    }

    /// The whole file in one of the formats.
    ///
    /// - Parameters:
    ///   - format: the format.
    ///   - folder: the absolute path of the folder that it is for: the paths of a JSON document are relative to that.
    ///   - mask: hides the credentials, which are in no document.
    /// - Returns: the bytes.
    /// - Throws: what the page's templates throw.
    package func bytes(as format: PlanFormat, in folder: String, hiding mask: CredentialMask) throws -> [UInt8] {
        func masked(_ text: String) -> [UInt8] { Array(mask.masked(text).utf8) }
        return switch format {
        case .json: mask.masked(json: json(in: folder))
        case .text: masked(PlanTextRenderer(style: .plain).render(reviewed))
        case .markdown: masked(PlanMarkdownRenderer().render(reviewed))
        case .html: masked(try PlanHTMLRenderer(language: language).render(reviewed, pictures))
        }
    }

    /// The plan as JSON, to look at and not to carry out.
    ///
    /// - Parameter folder: the absolute path of the folder that it is for.
    /// - Returns: the document and the end of its last line.
    package func json(in folder: String) -> [UInt8] {
        saved.document(forApply: false, in: folder, override: words).bytes(pretty: true) + Array("\n".utf8)
    }
}
