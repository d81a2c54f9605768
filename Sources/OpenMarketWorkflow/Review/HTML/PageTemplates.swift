import FoundationEssentials

/// The page's files, which are part of the program: Mustache templates, style, script and the Korean words.
///
/// In the templates, style, script and words are in braces of three, because they are ours; every other text goes through
/// ``PageText``. What the page says itself, apart from the plan, is in elements with the attribute `data-t`: these the
/// script translates.
enum PageTemplates {
    /// The template of the whole page.
    static let page = "page"

    /// Every template by its name; the first line of each says how text is escaped.
    static let all = [
        page: PackageResources.page_mustache,
        "message": PackageResources.message_mustache,
        "finding": PackageResources.finding_mustache,
        "operation": PackageResources.operation_mustache,
        "parts": PackageResources.parts_mustache,
    ]
    .mapValues { "{{% CONTENT_TYPE:\(PageText.name)}}\n" + String(decoding: $0, as: UTF8.self) }

    /// Light and dark, narrow and wide, screen and paper.
    static let style = String(decoding: PackageResources.page_css, as: UTF8.self)

    /// Search, filters, order.
    ///
    /// It makes no markup from text and sends no request.
    static let script = String(decoding: PackageResources.page_js, as: UTF8.self)

    /// The page's own words in Korean: a JSON object from the English.
    static let korean = String(decoding: PackageResources.korean_json, as: UTF8.self)

    /// The ids of the page's own elements, which no product's link may take.
    static let ids: Set<String> = [
        "summary", "findings", "findings-title", "impact-title", "refusals-title", "warnings-title", "changes",
        "changes-title", "tools",
        "search", "sort", "shown",
    ]
}
