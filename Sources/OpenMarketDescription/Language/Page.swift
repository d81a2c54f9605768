extension MarketDescription {
    /// How the list is cut into pages.
    package enum Page: Equatable, Sendable {
        /// By a number.
        case number(Numbered)
        /// By the rows before it.
        case offset(Offset)
        /// By a value of the last row of the page before.
        case keyset(Keyset)
        /// By something that the page before gives.
        case cursor(Cursor)
        /// By an address that the page before gives.
        case next(Next)
        /// Not at all: one answer holds all.
        case whole

        /// The style, as a description names it.
        package enum Style: String, ClosedList {
            case number, offset, keyset, cursor, next
            case whole = "none"
        }

        /// The style.
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

        /// Pages with numbers.
        package struct Numbered: Equatable, Sendable {
            /// The query that has the number; `nil` where path or ``query`` name `{page}`.
            var parameter: String?
            /// The number of the first page.
            package var first = 1
            /// Rows a page.
            var size = Size()
            /// Queries in which the number is a part.
            var query: [Query] = []
        }

        /// Pages by the rows before them.
        package struct Offset: Equatable, Sendable {
            /// The query that has them; `nil` where path or ``query`` name `{offset}`.
            var parameter: String?
            /// The offset of the first row.
            package var first = 0
            /// Rows a page.
            var size = Size()
            /// Queries in which the offset is a part.
            var query: [Query] = []
        }

        /// Pages behind a row.
        package struct Keyset: Equatable, Sendable {
            /// Where the value is in a row.
            package var last = JSONPointer.whole
            /// Whether no two products share it, where it is not the id.
            var isUnique = false
            /// Queries, of which one names `{last}`; the first page lacks that one.
            var query: [Query] = []
            /// Rows a page.
            var size = Size()
        }

        /// Pages by a token.
        package struct Cursor: Equatable, Sendable {
            /// The query that has the token.
            var parameter = ""
            /// Where the page before gives it.
            package var next = Source()
            /// Queries of the first page and of all others.
            var query: [Query] = []
            /// Rows a page.
            var size = Size()
        }

        /// Pages by an address.
        package struct Next: Equatable, Sendable {
            /// Where the page before gives it.
            package var next = Link()
            /// Queries of the first page alone; addresses are taken whole.
            var query: [Query] = []
            /// Rows of the first page.
            var size = Size()
            /// Other paths that an address may have.
            var paths: [Template] = []
        }

        /// Where a page gives a token.
        package struct Source: Equatable, Sendable {
            /// In its body.
            package var place: [JSONPointer] = []
            /// In this header.
            package var header: String?
        }

        /// Where a page gives an address.
        package struct Link: Equatable, Sendable {
            /// In its body: the first that is there and not null.
            package var places: [JSONPointer] = []
            /// In this header.
            package var header: String?
            /// The relation in a header `Link`.
            package var relation: String?
            /// What to do with a host that is not the market's.
            package var host = Host.same

            /// What to do with the host of an address.
            package enum Host: String, ClosedList {
                /// It has to be the market's.
                case same
                /// It does not count: path and query alone are used.
                case ignored
            }
        }

        /// Rows a page.
        package struct Size: Equatable, Sendable {
            /// The query that asks for so many; `nil` where nothing does, or a query names `{size}`.
            var parameter: String?
            /// How many are asked for, or come.
            package var standard: Int?
            /// How many the market gives at the most.
            package var most: Int?
            /// Where a page says how many it has been given.
            package var place: JSONPointer?
        }

        /// Rows a page.
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

        /// The query that says which page.
        var parameter: String? {
            switch self {
            case .number(let page): page.parameter
            case .offset(let page): page.parameter
            case .cursor(let page): page.parameter
            case .keyset, .next, .whole: nil
            }
        }

        /// The queries of a page, beside those of the list.
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

        /// Whether the rows of a page can be asked for.
        package var canChangeSize: Bool {
            size.parameter != nil || query.contains { $0.value.contains { $0.names(.size) } }
        }

        /// What can be in the queries of a page, beside parameters.
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
                TaggedCase("by", Style.number.rawValue, Numbered.self) { .number($0) },
                TaggedCase("by", Style.offset.rawValue, Offset.self) { .offset($0) },
                TaggedCase("by", Style.keyset.rawValue, Keyset.self) { .keyset($0) },
                TaggedCase("by", Style.cursor.rawValue, Cursor.self) { .cursor($0) },
                TaggedCase("by", Style.next.rawValue, Next.self) { .next($0) },
                TaggedCase("by", Style.whole.rawValue, Whole.self) { _ in .whole },
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
                .text(.query),
                "The query that has the number. Without it, path or query name `{page}`."
            ),
            .standard("first", \.first, .whole(0...1), "The number of the first page; 1 without this key."),
            MarketDescription.Page.size(\.size),
            MarketDescription.Page.query(\.query, "Queries in which the number is a part."),
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
                .text(.query),
                "The query that has the rows before the page. Without it, path or query name `{offset}`."
            ),
            .standard("first", \.first, .whole(0...1), "The offset of the first row; 0 without this key."),
            MarketDescription.Page.size(\.size),
            MarketDescription.Page.query(\.query, "Queries in which the offset is a part."),
        ]
    }
}

extension MarketDescription.Page.Keyset: DescriptionSection {
    static var title: String { "list.page.keyset" }

    static var keys: [SectionKey<Self>] {
        [
            .required("last", \.last, .pointer, "Where the value is in a row."),
            .standard(
                "unique",
                \.isUnique,
                .boolean,
                "Whether no two products share it. The id is unique without this key; of two products that share another value, a page may leave one out."
            ),
            .required("query", \.query, .query, "Queries, of which one names `{last}`; the first page lacks that one."),
            MarketDescription.Page.size(\.size),
        ]
    }
}

extension MarketDescription.Page.Cursor: DescriptionSection {
    static var title: String { "list.page.cursor" }

    static var keys: [SectionKey<Self>] {
        [
            .required("param", \.parameter, .text(.query), "The query that has the token."),
            .required("next", \.next, .section, "Where the page before gives it. Where it gives none, the list ends."),
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
                "Where the page before gives the address. Where it gives none, the list ends."
            ),
            MarketDescription.Page.query(\.query, "Queries of the first page alone: addresses are taken whole."),
            MarketDescription.Page.size(\.size),
            .standard(
                "paths",
                \.paths,
                .list(.template(.path), most: 4),
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
                "In its body: the first that is there and not null."
            ),
            .optional("header", \.header, .text(.replyHeader), "In this header."),
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
                "In its body: the first that is there and not null."
            ),
            .optional("header", \.header, .text(.replyHeader), "In this header."),
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
                .text(.query),
                "The query that asks for so many rows. Without it, and without `{size}`, pages have the market's own size."
            ),
            .optional("standard", \.standard, .whole(1...100_000), "How many are asked for, or come."),
            .optional("most", \.most, .whole(1...100_000), "How many the market gives at the most."),
            .optional("at", \.place, .pointer, "Where a page says how many rows a page has."),
        ]
    }

    static var rules: [SectionRule] { [.needs("param", "standard")] }
}
