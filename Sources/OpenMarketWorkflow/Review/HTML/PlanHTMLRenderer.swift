import Crypto
import FoundationEssentials
import Mustache
import OpenMarket

/// Renders a plan as one self-contained page for a browser, which does not load external resources.
///
/// Everything can be read without the script, which only adds search, filters, order,
/// the swipe and decisions.
struct PlanHTMLRenderer {
    private let library: MustacheLibrary
    private let language: PageLanguage?

    /// A `nil` language leaves the choice to the browser.
    ///
    /// An error means that a template is wrong.
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
    /// A picture that is not shown has a reason instead. `items` are the open decisions; empty without any.
    func render(
        _ reviewed: ReviewedPlan,
        _ pictures: ReviewPictures = ReviewPictures(),
        deciding items: [PlanDecisions.Item] = []
    ) -> String {
        var page = PlanPage(reviewed: reviewed, pictures: pictures, items: items).values.merging([
            "style": PageTemplates.style,
            "script": PageTemplates.script,
            "korean": PageTemplates.korean,
            "policy": Self.policy,
        ]) { $1 }
        page["language"] = language?.rawValue
        return library.render(page, withTemplate: PageTemplates.page) ?? ""
    }

    /// The content security policy: the page may show its own pictures, and use its own style and script, by their
    /// hashes.
    private static let policy = [
        "default-src 'none'", "img-src data:", "style-src '\(hash(PageTemplates.style))'",
        "script-src '\(hash(PageTemplates.script))'", "base-uri 'none'", "form-action 'none'",
    ]
    .joined(separator: "; ")

    private static func hash(_ text: String) -> String {
        "sha256-" + Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
    }
}
