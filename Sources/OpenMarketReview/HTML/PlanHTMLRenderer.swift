import Crypto
import FoundationEssentials
import Mustache
package import OpenMarket

/// Renders a plan as one page for a browser: nothing in it asks for anything outside of it.
///
/// Everything can be read without the script, which only adds the search, the filters, the order and the swipe.
package struct PlanHTMLRenderer {
    private let library: MustacheLibrary

    /// A renderer; its templates are part of the program.
    ///
    /// - Throws: What is wrong with the templates.
    package init() throws {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for (name, text) in PageTemplates.all {
            library.register(try MustacheTemplate(string: PageTemplates.pragma + text), named: name)
        }
        self.library = library
    }

    /// The whole page.
    ///
    /// - Parameters:
    ///   - reviewed: The plan.
    ///   - pictures: The pictures that are shown; those that are not in it say why.
    /// - Returns: The page.
    package func render(
        _ reviewed: ReviewedPlan,
        _ pictures: ReviewPictures = ReviewPictures()
    ) -> String {
        let page = PlanPage(reviewed, pictures).values.merging([
            "style": PageStyle.text,
            "script": PageScript.text,
            "policy": Self.policy,
        ]) { $1 }
        return library.render(page, withTemplate: PageTemplates.page) ?? ""
    }

    /// What browsers let the page do: show the pictures that are in it, and its own style and script, by their hashes.
    private static let policy = [
        "default-src 'none'", "img-src data:", "style-src '\(hash(PageStyle.text))'",
        "script-src '\(hash(PageScript.text))'", "base-uri 'none'", "form-action 'none'",
    ]
    .joined(separator: "; ")

    private static func hash(_ text: String) -> String {
        "sha256-" + Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
    }
}
