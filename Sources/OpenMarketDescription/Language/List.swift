extension MarketDescription {
    /// How all products are read.
    package struct List: Equatable, Sendable {
        /// The path of a page.
        var path = Template.empty
        /// Queries of every page.
        var query: [Query] = []
        /// Headers of every page, beside those of all requests.
        var headers: [NamedValue<String, Template>] = []
        /// How the list is cut into pages.
        package var page = Page.whole
        /// Where the rows are: the first that is there.
        package var rows: [JSONPointer] = []
        /// How many products there are.
        package var total: Count?
        /// The number of the last page.
        package var lastPage: Count?
        /// Whether another page follows.
        package var more: More?
        /// Members of which the first page has one.
        package var recognisedBy: [JSONPointer] = []
        /// What is answered behind the last page.
        package var pastEnd: [PastEnd] = []
        /// The order of the rows.
        package var order: Order?
        /// The strongest proof of completeness to try.
        var complete = Completeness.never
        /// What a row does not show and a detail does.
        package var omits: [Omission] = []

        /// Where a number about the list is.
        package struct Count: Equatable, Sendable {
            /// In the body of a page, or of the answer of ``path``.
            package var place: JSONPointer?
            /// In this header.
            package var header: String?
            /// In the header, behind this: `/` of `items 0-9/120`.
            package var after: String?
            /// Asked for apart: of another moment, so that it is a lower bound and proves nothing.
            var path: Template?

            /// Whether a page says it.
            package var isOfPage: Bool { path == nil }
        }

        /// Where a page says whether another one follows.
        package struct More: Equatable, Sendable {
            /// In its body.
            package var place = JSONPointer.whole
        }

        /// What is answered behind the last page.
        package struct PastEnd: Equatable, Sendable {
            /// The answer.
            package var answer = Answer.empty
            /// What must hold of it.
            package var condition: Condition?

            /// An answer.
            package enum Answer: String, ClosedList {
                /// A page without rows.
                case empty
                /// No content.
                case noContent = "204"
                /// Bad request.
                case badRequest = "400"
                /// Not found.
                case notFound = "404"
                /// Range not satisfiable.
                case notSatisfiable = "416"
            }
        }

        /// The order of the rows.
        package struct Order: Equatable, Sendable {
            /// What rows are sorted by.
            package var keys: [JSONPointer] = []
            /// Which way.
            package var direction = Direction.falling
            /// Whether what rows are sorted by changes.
            package var moves = Moves.freely

            /// Which way rows are sorted.
            package enum Direction: String, ClosedList {
                /// The least first.
                case rising
                /// The greatest first.
                case falling
            }

            /// How what rows are sorted by changes.
            package enum Moves: String, ClosedList {
                /// It stays.
                case never
                /// It becomes greater, as the time of the last change does.
                case up
                /// Either way.
                case freely
            }
        }

        /// The strongest proof of completeness to try.
        enum Completeness: String, ClosedList {
            /// By the ranks of the rows from the end, which inserts do not change.
            case ranks
            /// By a key after which each page begins.
            case keyset
            /// By two readings that agree.
            case twice
            /// One answer is all.
            case whole
            /// Nothing proves it.
            case never
        }

        /// What a row may not show.
        package enum Omission: String, ClosedList {
            case name, description, thumbnail, price, currency, sale, stock, images, owner
            case ownerName = "owner_name"
            case created, updated
        }
    }
}

// MARK: - Tables

extension MarketDescription.List: DescriptionSection {
    static var title: String { "list" }

    static var keys: [SectionKey<Self>] {
        [
            .required("path", \.path, .template(.path), "The path of a page."),
            .standard("query", \.query, .query, "Queries of every page."),
            .standard("headers", \.headers, .headers, "Headers of every page, beside those of all requests."),
            .required("page", \.page, MarketDescription.Page.shape, "How the list is cut into pages."),
            .required(
                "rows",
                \.rows,
                .oneOrMore(.pointer, most: 4),
                "Where the rows are, `\"\"` for the body itself; of several, the first that is there."
            ),
            .optional("total", \.total, .section, "How many products there are."),
            .optional("last_page", \.lastPage, .section, "The number of the last page."),
            .optional(
                "more",
                \.more,
                .section,
                "Whether another page follows: a truth, or a text that is null or empty where none does."
            ),
            .standard(
                "recognised_by",
                \.recognisedBy,
                .list(.pointer, most: 4),
                "Members of which the first page has one: what else answers is not this market."
            ),
            .standard(
                "past_end",
                \.pastEnd,
                .list(PastEnd.shape, most: 8),
                "What is answered behind the last page. A page with few rows is never the end."
            ),
            .optional("order", \.order, .section, "The order of the rows."),
            .required(
                "complete",
                \.complete,
                .choice,
                "The strongest proof of completeness to try. Weaker ones follow."
            ),
            .standard("omits", \.omits, .list(.choice), "What a row does not show and a detail does."),
        ]
    }

    static var refused: [String: String] {
        ["method": "reads are always GET", "body": "reads are always GET, which has no body"]
    }
}

extension MarketDescription.List.Count: DescriptionSection {
    static var title: String { "list.count" }

    static var keys: [SectionKey<Self>] {
        [
            .optional("at", \.place, .pointer, "Where it is in the body."),
            .optional("header", \.header, .text(.replyHeader), "The header that says it."),
            .optional("after", \.after, .text(.prefix), "In the header, behind this: `\"/\"` of `items 0-9/120`."),
            .optional(
                "path",
                \.path,
                .template(.path),
                "It is asked for apart, at this path. Being of another moment, it proves nothing."
            ),
        ]
    }

    static var rules: [SectionRule] {
        [.exactlyOne(["at", "header"]), .needs("after", "header"), .needs("path", "at")]
    }
}

extension MarketDescription.List.More: DescriptionSection {
    static var title: String { "list.more" }

    static var keys: [SectionKey<Self>] {
        [.required("at", \.place, .pointer, "Where it is in the body: `true` where another page follows.")]
    }
}

extension MarketDescription.List.PastEnd {
    fileprivate struct Conditional: DescriptionSection {
        var answer = Answer.empty
        var condition = MarketDescription.Condition()

        static var title: String { "list.past_end" }

        static var keys: [SectionKey<Self>] {
            [
                .required("answer", \.answer, Answer.shape, "The answer."),
                .required("at", \.condition.place, .pointer, "A place of the answer."),
            ] + MarketDescription.Condition.tests(\.condition)
        }

        static var rules: [SectionRule] { [MarketDescription.Condition.testRule] }
    }

    static var shape: Shape<Self> {
        .either(
            Answer.shape.map { Self(answer: $0) },
            Shape<Conditional>.section.map { Self(answer: $0.answer, condition: $0.condition) }
        )
    }
}

extension MarketDescription.List.PastEnd.Answer {
    /// Statuses are taken bare, too.
    static var shape: Shape<Self> { .statusChoice }
}

extension MarketDescription.List.Order: DescriptionSection {
    static var title: String { "list.order" }

    static var keys: [SectionKey<Self>] {
        [
            .required("by", \.keys, .list(.pointer, most: 4), "What rows are sorted by, the first deciding."),
            .required("direction", \.direction, .choice, "Which way: the greatest first is `falling`."),
            .required(
                "moves",
                \.moves,
                .choice,
                "Whether what rows are sorted by changes: `never` (an id), `up` (the time of the last change), `freely`."
            ),
        ]
    }
}
