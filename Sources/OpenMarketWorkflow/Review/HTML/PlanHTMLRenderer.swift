import Crypto
import FoundationEssentials
import Mustache
import OpenMarket

/// Renders a plan as one page for a browser: nothing in it asks for anything outside of it.
///
/// Everything can be read without the script, which only adds the search, the filters, the order and the swipe.
struct PlanHTMLRenderer {
    private let library: MustacheLibrary
    private let language: PageLanguage?

    /// A renderer; its templates are part of the program.
    ///
    /// - Parameter language: What the page's own words are in; `nil` leaves it to the browser.
    /// - Throws: What is wrong with the templates.
    init(language: PageLanguage? = nil) throws {
        self.language = language
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for (name, text) in PageTemplates.all {
            library.register(try MustacheTemplate(string: text), named: name)
        }
        self.library = library
    }

    /// The whole page.
    ///
    /// - Parameters:
    ///   - reviewed: The plan.
    ///   - pictures: The pictures that are shown; those that are not in it say why.
    /// - Returns: The page.
    func render(
        _ reviewed: ReviewedPlan,
        _ pictures: ReviewPictures = ReviewPictures()
    ) -> String {
        var page = PlanPage(reviewed, pictures).values.merging([
            "style": PageTemplates.style,
            "script": PageTemplates.script,
            "korean": PageTemplates.korean,
            "policy": Self.policy,
        ]) { $1 }
        page["language"] = language?.rawValue
        return library.render(page, withTemplate: PageTemplates.page) ?? ""
    }

    /// What browsers let the page do: show the pictures that are in it, and its own style and script, by their hashes.
    private static let policy = [
        "default-src 'none'", "img-src data:", "style-src '\(hash(PageTemplates.style))'",
        "script-src '\(hash(PageTemplates.script))'", "base-uri 'none'", "form-action 'none'",
    ]
    .joined(separator: "; ")

    private static func hash(_ text: String) -> String {
        "sha256-" + Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
    }
}
