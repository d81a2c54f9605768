import YAML

extension MarketDescription {
    /// How the list is cut into pages.
    package enum Page: Equatable, Sendable {
        case number(Numbered)
        /// By the number of preceding rows.
        case offset(Offset)
        /// By a value of the previous page's last row.
        case keyset(Keyset)
        /// By a token that the previous page gives.
        case cursor(Cursor)
        /// By an address that the previous page gives.
        case next(Next)
        /// Not paged: one answer contains everything.
        case whole

        package enum Style: String, ClosedList {
            case number, offset, keyset, cursor, next
            case whole = "none"
        }

        package var style: Style {
            switch self {
            case .number: .number
            case .offset: .offset
            case .keyset: .keyset
            case .cursor: .cursor
            case .next: .next
            case .whole: .whole
            }
        }

        package struct Numbered: Equatable, Sendable {
            /// The query parameter with the page number; `nil` if the path or ``query`` contains `{page}`.
            var parameter: String?
            package var first = 1
            var size = Size()
            /// Queries that contain the number.
            var query: [Query] = []
        }

        package struct Offset: Equatable, Sendable {
            /// The query parameter with the offset; `nil` if the path or ``query`` contains `{offset}`.
            var parameter: String?
            package var first = 0
            var size = Size()
            /// Queries that contain the offset.
            var query: [Query] = []
        }

        package struct Keyset: Equatable, Sendable {
            /// The location of the value in a row.
            package var last = JSONPointer.whole
            /// Whether no two products share the value, if it is not the id.
            var isUnique = false
            /// One contains `{last}`; the first page omits it.
            var query: [Query] = []
            var size = Size()
        }

        package struct Cursor: Equatable, Sendable {
            var parameter = ""
            /// The location of the token in the previous page.
            package var next = Source()
            /// Queries of the first page and of all others.
            var query: [Query] = []
            var size = Size()
        }

        package struct Next: Equatable, Sendable {
            /// The location of the address in the previous page.
            package var next = Link()
            /// Queries of the first page only; later addresses are used unchanged.
            var query: [Query] = []
            /// The number of rows of the first page.
            var size = Size()
            /// Other paths that an address may have.
            var paths: [Template] = []
        }

        /// The location of a token in a page.
        package struct Source: Equatable, Sendable {
            package var place: [JSONPointer] = []
            package var header: String?
        }

        /// The location of an address in a page.
        package struct Link: Equatable, Sendable {
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

        package var size: Size {
            switch self {
            case .number(let page): page.size
            case .offset(let page): page.size
            case .keyset(let page): page.size
            case .cursor(let page): page.size
            case .next(let page): page.size
            case .whole: Size()
            }
        }

        /// The query parameter that selects the page.
        var parameter: String? {
            switch self {
            case .number(let page): page.parameter
            case .offset(let page): page.parameter
            case .cursor(let page): page.parameter
            case .keyset, .next, .whole: nil
            }
        }

        /// The queries of a page, in addition to those of the list.
        var query: [Query] {
            switch self {
            case .number(let page): page.query
            case .offset(let page): page.query
            case .keyset(let page): page.query
            case .cursor(let page): page.query
            case .next(let page): page.query
            case .whole: []
            }
        }

        package var canChangeSize: Bool {
            size.parameter != nil || query.contains { $0.value.contains { $0.names(.size) } }
        }

        /// The placeholders allowed in the queries of a page, besides parameters.
        var placeholders: [Placeholder] {
            switch self {
            case .number: [.page, .size]
            case .offset: [.offset, .size]
            case .keyset: [.last, .size]
            case .cursor: [.cursor, .size]
            case .next: [.size]
            case .whole: []
            }
        }
    }
}

// MARK: - Tables

extension MarketDescription.Page {
    static var shape: Shape<Self> {
        .tagged(
            "by",
            [
                TaggedCase("by", Style.number.rawValue, Numbered.table) { .number($0) },
                TaggedCase("by", Style.offset.rawValue, Offset.table) { .offset($0) },
                TaggedCase("by", Style.keyset.rawValue, Keyset.table) { .keyset($0) },
                TaggedCase("by", Style.cursor.rawValue, Cursor.table) { .cursor($0) },
                TaggedCase("by", Style.next.rawValue, Next.table) { .next($0) },
                TaggedCase("by", Style.whole.rawValue, Whole.table) { _ in .whole },
            ]
        )
    }

    fileprivate static func query<Section>(
        _ place: WritableKeyPath<Section, [MarketDescription.Query]>,
        _ meaning: String
    ) -> SectionKey<Section> { .standard("query", place, .query, meaning) }

    fileprivate static func size<Section>(_ place: WritableKeyPath<Section, Size>) -> SectionKey<Section> {
        .standard("size", place, .section, "Rows a page.")
    }

    fileprivate struct Whole: DescriptionSection {
        static var title: String { "list.page.none" }
        static var keys: [SectionKey<Self>] { [] }
    }
}

extension MarketDescription.Page.Numbered: DescriptionSection {
    static var title: String { "list.page.number" }

    static var keys: [SectionKey<Self>] {
        [
            .optional(
                "param",
                \.parameter,
                .query,
                "The query that has the number. Without it, path or query name `{page}`."
            ),
            .standard("first", \.first, .whole(0...1), "The number of the first page; 1 without this key."),
            MarketDescription.Page.size(\.size),
            MarketDescription.Page.query(\.query, "Queries that contain the number."),
        ]
    }
}

extension MarketDescription.Page.Offset: DescriptionSection {
    static var title: String { "list.page.offset" }

    static var keys: [SectionKey<Self>] {
        [
            .optional(
                "param",
                \.parameter,
                .query,
                "The query that has the rows before the page. Without it, path or query name `{offset}`."
            ),
            .standard("first", \.first, .whole(0...1), "The offset of the first row; 0 without this key."),
            MarketDescription.Page.size(\.size),
            MarketDescription.Page.query(\.query, "Queries that contain the offset."),
        ]
    }
}

extension MarketDescription.Page.Keyset: DescriptionSection {
    static var title: String { "list.page.keyset" }

    static var keys: [SectionKey<Self>] {
        [
            .required("last", \.last, .pointer, "The value's place in a row."),
            .standard(
                "unique",
                \.isUnique,
                .boolean,
                "Whether no two products share it. The id is unique without this key; of two products that share another value, a page may leave one out."
            ),
            .required("query", \.query, .query, "Queries. One names `{last}`; the first page omits it."),
            MarketDescription.Page.size(\.size),
        ]
    }
}

extension MarketDescription.Page.Cursor: DescriptionSection {
    static var title: String { "list.page.cursor" }

    static var keys: [SectionKey<Self>] {
        [
            .required("param", \.parameter, .query, "The query that has the token."),
            .required("next", \.next, .section, "Its place in the page before. If it is missing, the list ends."),
            MarketDescription.Page.query(\.query, "More queries of every page."),
            MarketDescription.Page.size(\.size),
        ]
    }
}

extension MarketDescription.Page.Next: DescriptionSection {
    static var title: String { "list.page.next" }

    static var keys: [SectionKey<Self>] {
        [
            .required(
                "next",
                \.next,
                .section,
                "The address's place in the page before. If it is missing, the list ends."
            ),
            MarketDescription.Page.query(\.query, "Queries of the first page alone: addresses are taken whole."),
            MarketDescription.Page.size(\.size),
            .standard(
                "paths",
                \.paths,
                .list(.path, most: 4),
                "Other paths that an address may have, behind the base."
            ),
        ]
    }
}

extension MarketDescription.Page.Source: DescriptionSection {
    static var title: String { "list.page.cursor.next" }

    static var keys: [SectionKey<Self>] {
        [
            .standard(
                "at",
                \.place,
                .oneOrMore(.pointer, most: 4),
                "In its body; of several, the first that is present and not null."
            ),
            .optional("header", \.header, .text(.header), "In this header."),
        ]
    }

    static var rules: [SectionRule] { [.exactlyOne(["at", "header"])] }
}

extension MarketDescription.Page.Link: DescriptionSection {
    static var title: String { "list.page.next.next" }

    static var keys: [SectionKey<Self>] {
        [
            .standard(
                "at",
                \.places,
                .oneOrMore(.pointer, most: 4),
                "In its body; of several, the first that is present and not null."
            ),
            .optional("header", \.header, .text(.header), "In this header."),
            .optional("rel", \.relation, .text(.name), "The relation in a header `Link`: `next`."),
            .standard(
                "host",
                \.host,
                .choice,
                "`ignored`: path and query alone are used, for markets behind a proxy that give a wrong host."
            ),
        ]
    }

    static var rules: [SectionRule] { [.exactlyOne(["at", "header"]), .needs("rel", "header")] }
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
