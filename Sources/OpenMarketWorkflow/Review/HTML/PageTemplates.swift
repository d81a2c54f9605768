import FoundationEssentials

/// The page's embedded files: Mustache templates, style, script and the Korean words.
///
/// Style, script and words are trusted, so the templates have them in triple braces; every other text passes through
/// ``PageText``. The page's own words, apart from the plan, are in elements with the attribute `data-t`, which the
/// script translates.
enum PageTemplates {
    static let page = "page"

    /// All templates by name; the first line of each selects how text is escaped.
    static let all = [
        page: PackageResources.page_mustache,
        "message": PackageResources.message_mustache,
        "finding": PackageResources.finding_mustache,
        "operation": PackageResources.operation_mustache,
        "parts": PackageResources.parts_mustache,
    ]
    .mapValues { "{{% CONTENT_TYPE:\(PageText.name)}}\n" + String(decoding: $0, as: UTF8.self) }

    static let style = String(decoding: PackageResources.page_css, as: UTF8.self)

    /// The script for search, filters, order and decisions.
    ///
    /// It neither creates markup from text nor sends requests.
    static let script = String(decoding: PackageResources.page_js, as: UTF8.self)

    /// The page's own words in Korean: a JSON object whose keys are the English words.
    static let korean = String(decoding: PackageResources.korean_json, as: UTF8.self)

    /// The ids of the page's own elements, which no product's link may use.
    static let ids: Set<String> = [
        "summary", "findings", "findings-title", "impact-title", "refusals-title", "warnings-title", "changes",
        "changes-title", "tools",
        "search", "sort", "shown",
    ]
}
