import YAML

extension MarketDescription {
    /// How the list is cut into pages.
    package struct Page: Equatable, Sendable {
        package var style = Style.whole
        /// The query parameter with the number, offset or token; `nil` if the path or ``query`` contains it.
        var parameter: String?
        /// The number of the first page, or the offset of the first row.
        package var first = 0
        /// The location in a row of the value behind which the next page begins.
        package var last = JSONPointer.whole
        /// Whether no two products share that value, if it is not the id.
        var isUnique = false
        /// The location in a page of the token or the address of the next one.
        package var next = Next()
        /// The queries of a page, in addition to those of the list.
        ///
        /// The first page of a keyset omits the one with `{last}`; an address of the next page replaces all.
        var query: [Query] = []
        package var size = Size()
        /// Other paths that an address may have.
        var paths: [Template] = []

        package enum Style: String, ClosedList {
            case number
            /// By the number of preceding rows.
            case offset
            /// By a value of the previous page's last row.
            case keyset
            /// By a token that the previous page gives.
            case cursor
            /// By an address that the previous page gives.
            case next
            /// Not paged: one answer contains everything.
            case whole = "none"
        }

        /// The location of a token or an address in a page.
        package struct Next: Equatable, Sendable {
            /// Pointers into the body: the first that is present and not null counts.
            package var places: [JSONPointer] = []
            package var header: String?
            /// The relation in a `Link` header.
            package var relation: String?
            package var host = Host.same

            /// Which hosts an address may have.
            package enum Host: String, ClosedList {
                /// It must be the market's.
                case same
                /// Only path and query are used.
                case ignored
            }
        }

        /// The number of rows per page.
        package struct Size: Equatable, Sendable {
            /// The query parameter that requests the size; `nil` if none does, or if a query contains `{size}`.
            var parameter: String?
            /// The number of rows requested or returned.
            package var standard: Int?
            /// The maximum number of rows that the market returns.
            package var most: Int?
            /// The location of the size in a page.
            package var place: JSONPointer?
        }

        package var canChangeSize: Bool {
            size.parameter != nil || query.contains { $0.value.contains { $0.names(.size) } }
        }

        /// The placeholder that selects the page; `nil` if an address does, or nothing.
        var placeholder: Placeholder? {
            switch style {
            case .number: .page
            case .offset: .offset
            case .keyset: .last
            case .cursor: .cursor
            case .next, .whole: nil
            }
        }

        /// The placeholders allowed in the queries of a page, besides parameters.
        var placeholders: [Placeholder] {
            style == .whole ? [] : [placeholder, .size].compactMap(\.self)
        }
    }
}

// MARK: - Tables

extension MarketDescription.Page {
    static var shape: Shape<Self> {
        let size = SectionKey<Self>.standard("size", \.size, .section, "Rows a page.")
        return .tagged(
            "by",
            [
                table(
                    .number,
                    first: 1,
                    [
                        .optional(
                            "param",
                            \.parameter,
                            .query,
                            "The query that has the number. Without it, path or query name `{page}`."
                        ),
                        .standard("first", \.first, .whole(0...1), "The number of the first page; 1 without this key."),
                        size,
                        query("Queries that contain the number."),
                    ]
                ),
                table(
                    .offset,
                    [
                        .optional(
                            "param",
                            \.parameter,
                            .query,
                            "The query that has the rows before the page. Without it, path or query name `{offset}`."
                        ),
                        .standard("first", \.first, .whole(0...1), "The offset of the first row; 0 without this key."),
                        size,
                        query("Queries that contain the offset."),
                    ]
                ),
                table(
                    .keyset,
                    [
                        .required("last", \.last, .pointer, "The value's place in a row."),
                        .standard(
                            "unique",
                            \.isUnique,
                            .boolean,
                            "Whether no two products share it. The id is unique without this key; of two products that share another value, a page may leave one out."
                        ),
                        .required("query", \.query, .query, "Queries. One names `{last}`; the first page omits it."),
                        size,
                    ]
                ),
                table(
                    .cursor,
                    [
                        SectionKey("param", .query, "The query that has the token.", isRequired: true) {
                            $0.parameter = $1
                        },
                        .required(
                            "next",
                            \.next,
                            .section(Next.token),
                            "Its place in the page before. If it is missing, the list ends."
                        ),
                        query("More queries of every page."),
                        size,
                    ]
                ),
                table(
                    .next,
                    [
                        .required(
                            "next",
                            \.next,
                            .section(Next.address),
                            "The address's place in the page before. If it is missing, the list ends."
                        ),
                        query("Queries of the first page alone: addresses are taken whole."),
                        size,
                        .standard(
                            "paths",
                            \.paths,
                            .list(.path, most: 4),
                            "Other paths that an address may have, behind the base."
                        ),
                    ]
                ),
                table(.whole, []),
            ]
        )
    }

    private static func table(_ style: Style, first: Int = 0, _ keys: [SectionKey<Self>]) -> TaggedCase<Self> {
        let start = Self(style: style, first: first)
        return TaggedCase("by", style.rawValue, Section("list.page.\(style.rawValue)", start, keys)) { $0 }
    }

    private static func query(_ meaning: String) -> SectionKey<Self> { .standard("query", \.query, .query, meaning) }
}

extension MarketDescription.Page.Next {
    fileprivate static var token: Section<Self> {
        Section("list.page.cursor.next", Self(), places, rules: [.exactlyOne(["at", "header"])])
    }

    fileprivate static var address: Section<Self> {
        Section(
            "list.page.next.next",
            Self(),
            places + [
                .optional("rel", \.relation, .text(.name), "The relation in a header `Link`: `next`."),
                .standard(
                    "host",
                    \.host,
                    .choice,
                    "`ignored`: path and query alone are used, for markets behind a proxy that give a wrong host."
                ),
            ],
            rules: [.exactlyOne(["at", "header"]), .needs("rel", "header")]
        )
    }

    private static var places: [SectionKey<Self>] {
        [
            .standard(
                "at",
                \.places,
                .oneOrMore(.pointer, most: 4),
                "In its body; of several, the first that is present and not null."
            ),
            .optional("header", \.header, .text(.header), "In this header."),
        ]
    }
}

extension MarketDescription.Page.Size: DescriptionSection {
    static var title: String { "list.page.size" }

    static var keys: [SectionKey<Self>] {
        [
            .optional(
                "param",
                \.parameter,
                .query,
                "The query that asks for so many rows. Without it, and without `{size}`, pages have the market's own size."
            ),
            .optional("standard", \.standard, .whole(1...100_000), "How many a request asks for, or a page has."),
            .optional("most", \.most, .whole(1...100_000), "How many the market gives at the most."),
            .optional("at", \.place, .pointer, "The place of a page's number of rows."),
        ]
    }

    static var rules: [SectionRule] { [.needs("param", "standard")] }
}
