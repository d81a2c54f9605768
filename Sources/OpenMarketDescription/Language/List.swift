import YAML

extension MarketDescription {
    package struct List: Equatable, Sendable {
        var path = Template.empty
        var query: [Query] = []
        /// Headers of every page, in addition to those of all requests.
        var headers: [NamedValue<String, Template>] = []
        package var page = Page()
        /// The location of the rows: the first that is present counts.
        package var rows: [JSONPointer] = []
        package var total: Count?
        package var lastPage: Count?
        /// The location in a page that states whether another page follows.
        package var more: JSONPointer?
        /// Members; the first page has at least one of them.
        package var recognisedBy: [JSONPointer] = []
        /// Answers after the last page.
        package var pastEnd: [PastEnd] = []
        package var order: Order?
        var complete = Completeness.never
        /// Values that are in a detail and not in a row.
        package var omits: [Omission] = []

        /// The location of a number about the list.
        package struct Count: Equatable, Sendable {
            /// A pointer into the body of a page, or into the answer to ``path``.
            package var place: JSONPointer?
            package var header: String?
            /// The text in the header before the number: `/` in `items 0-9/120`.
            package var after: String?
            /// The path of a separate request.
            ///
            /// Its answer belongs to another moment, so it is only a lower bound and no proof.
            var path: Template?

            package var isOfPage: Bool { path == nil }
        }

        /// An answer after the last page.
        package struct PastEnd: Equatable, Sendable {
            package var answer = Answer.empty
            package var condition: Condition?

            package enum Answer: String, ClosedList {
                /// A page without rows.
                case empty
                case noContent = "204"
                case badRequest = "400"
                case notFound = "404"
                case notSatisfiable = "416"
            }
        }

        package struct Order: Equatable, Sendable {
            package var keys: [JSONPointer] = []
            package var direction = Direction.falling
            package var moves = Moves.freely

            package enum Direction: String, ClosedList {
                case rising
                case falling
            }

            /// How the sort keys change over time.
            package enum Moves: String, ClosedList {
                case never
                /// They only grow, like the time of the last change.
                case up
                case freely
            }
        }

        /// A proof of completeness; descriptions name the strongest one to try.
        enum Completeness: String, ClosedList {
            /// By the ranks of the rows from the end, which inserts do not change.
            case ranks
            /// By a key after which each page begins.
            case keyset
            /// By two equal readings.
            case twice
            /// One answer contains everything.
            case whole
            /// No proof.
            case never
        }

        /// A value that a row may omit.
        package enum Omission: String, ClosedList {
            case name, description, thumbnail, price, currency, sale, stock, images, owner
            case ownerName = "owner_name"
            case created, updated
        }

        /// The values that are read from a page, besides its rows, and their places in the description.
        var bodyPointers: [(path: String, pointer: JSONPointer)] {
            var found: [(path: String, pointer: JSONPointer)] = []
            if let total, total.isOfPage, let place = total.place { found.append(("list.total.at", place)) }
            if let place = lastPage?.place { found.append(("list.last_page.at", place)) }
            if let place = page.size.place { found.append(("list.page.size.at", place)) }
            if let more { found.append(("list.more.at", more)) }
            found += recognisedBy.map { ("list.recognised_by", $0) }
            return found + page.next.places.map { ("list.page.next.at", $0) }
        }
    }
}

// MARK: - Tables

extension MarketDescription.List: DescriptionSection {
    static var title: String { "list" }

    static var keys: [SectionKey<Self>] {
        let meaning = "Its place in the body: `true` if another page follows."
        let more = Section("list.more", JSONPointer.whole, [.required("at", \.self, .pointer, meaning)])
        return [
            .required("path", \.path, .path, "The path of a page."),
            .standard("query", \.query, .query, "Queries of every page."),
            .standard("headers", \.headers, .headers, "Headers of every page, in addition to those of all requests."),
            .required("page", \.page, MarketDescription.Page.shape, "How the list is cut into pages."),
            .required(
                "rows",
                \.rows,
                .oneOrMore(.pointer, most: 4),
                "The place of the rows, `\"\"` for the body itself; of several, the first that is present."
            ),
            .optional("total", \.total, .section, "How many products there are."),
            .optional("last_page", \.lastPage, .section, "The number of the last page."),
            .optional(
                "more",
                \.more,
                .section(more),
                "Whether another page follows: a truth, or a text that is null or empty if none does."
            ),
            .standard(
                "recognised_by",
                \.recognisedBy,
                .list(.pointer, most: 4),
                "Members that identify the market: the first page must have one of them."
            ),
            .standard(
                "past_end",
                \.pastEnd,
                .list(PastEnd.shape, most: 8),
                "The answer behind the last page. A page with few rows is not the end."
            ),
            .optional("order", \.order, .section, "The order of the rows."),
            .required(
                "complete",
                \.complete,
                .choice,
                "The strongest proof of completeness to try. Weaker ones follow."
            ),
            .standard("omits", \.omits, .list(.choice), "Fields that a row omits and a detail shows."),
        ]
    }

    static var refused: [String: String] {
        ["method": "reads are always GET", "body": "reads are always GET, without a body"]
    }
}

extension MarketDescription.List.Count: DescriptionSection {
    static var title: String { "list.count" }

    static var keys: [SectionKey<Self>] {
        [
            .optional("at", \.place, .pointer, "Its place in the body."),
            .optional("header", \.header, .text(.header), "The header's name."),
            .optional("after", \.after, .text(.prefix), "In the header, behind this: `\"/\"` of `items 0-9/120`."),
            .optional(
                "path",
                \.path,
                .path,
                "The path of a separate request for it. A total of another moment is no proof."
            ),
        ]
    }

    static var rules: [SectionRule] {
        [.exactlyOne(["at", "header"]), .needs("after", "header"), .needs("path", "at")]
    }
}

extension MarketDescription.List.PastEnd {
    static var shape: Shape<Self> {
        let keys: [SectionKey<Self>] =
            [
                .required("answer", \.answer, .statusChoice, "The answer."),
                .required("at", \.condition.begun.place, .pointer, "A place of the answer."),
            ] + MarketDescription.Condition.tests(\.condition.begun)
        let rules = [MarketDescription.Condition.testRule]
        return .either(
            Shape<Answer>.statusChoice.map { Self(answer: $0) },
            .section(Section("list.past_end", Self(), keys, rules: rules))
        )
    }
}

extension MarketDescription.List.Order: DescriptionSection {
    static var title: String { "list.order" }

    static var keys: [SectionKey<Self>] {
        [
            .required("by", \.keys, .list(.pointer, most: 4), "The sort keys, the first deciding."),
            .required("direction", \.direction, .choice, "The direction; `falling` is the greatest first."),
            .required(
                "moves",
                \.moves,
                .choice,
                "How the sort keys change: `never` (an id), `up` (the time of the last change), `freely`."
            ),
        ]
    }
}
