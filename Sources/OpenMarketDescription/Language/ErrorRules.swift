extension MarketDescription {
    /// What refusals mean.
    package struct ErrorRules: Equatable, Sendable {
        /// Where the market's words are: the first that is there.
        package var message: [JSONPointer] = []
        /// The first that fits decides; then what the statuses mean by themselves.
        package var rules: [Rule] = []
        /// What says how long to wait.
        package var wait: Wait?

        /// What a reply means.
        package struct Rule: Equatable, Sendable {
            /// Replies with one of these statuses.
            package var statuses: [Int] = []
            /// Replies to one of these operations; all without any.
            package var operations: [Operation] = []
            /// Replies that hold something.
            package var condition: Condition?
            /// What they mean.
            package var meaning = Meaning.unknown
        }

        /// What a reply means.
        package enum Meaning: String, ClosedList {
            /// The credentials are wrong.
            case credentials
            /// This is not for these credentials.
            case denied
            /// The product does not exist.
            case gone
            /// The key is taken.
            case duplicate
            /// The same request may be sent again.
            case retry
            /// The market refuses, and nothing has happened.
            case refused
            /// What happened is unknown.
            case unknown
        }

        /// What says how long to wait.
        package struct Wait: Equatable, Sendable {
            /// The header.
            package var header = ""
            /// What it holds.
            package var unit = Unit.seconds

            /// What a time to wait is given in.
            package enum Unit: String, ClosedList {
                /// Seconds from now.
                case seconds
                /// Milliseconds from now.
                case milliseconds
                /// Seconds since 1970.
                case epoch
                /// A date of HTTP.
                case date
            }
        }
    }
}

// MARK: - Tables

extension MarketDescription.ErrorRules: DescriptionSection {
    static var title: String { "errors" }

    static var keys: [SectionKey<Self>] {
        [
            .standard(
                "message",
                \.message,
                .oneOrMore(.pointer, most: 4),
                "Where the market's words are: the first that is there."
            ),
            .standard(
                "rules",
                \.rules,
                .list(.section, most: 32),
                "The first that fits decides; then what the statuses mean by themselves."
            ),
            .optional("wait", \.wait, .section, "What says how long to wait, beside `Retry-After`."),
        ]
    }
}

extension MarketDescription.ErrorRules.Rule: DescriptionSection {
    static var title: String { "errors.rule" }

    static var keys: [SectionKey<Self>] {
        [
            .standard(
                "status",
                \.statuses,
                .oneOrMore(.status(200...599), most: 8),
                "Replies with this status; any without this key."
            ),
            .standard("for", \.operations, .list(.choice), "Replies to these operations; all without this key."),
            SectionKey("at", .pointer, "Replies that hold something at this place.") { rule, place in
                rule.condition = rule.condition ?? MarketDescription.Condition()
                rule.condition?.place = place
            },
        ] + MarketDescription.Condition.tests(\.test) + [
            .required("means", \.meaning, .choice, "What they mean.")
        ]
    }

    /// The condition while it is being read.
    private var test: MarketDescription.Condition {
        get { condition ?? MarketDescription.Condition() }
        set { condition = newValue }
    }

    static var rules: [SectionRule] {
        let tests = MarketDescription.Condition.testNames
        return [.atLeastOne(["status", "at"]), .atMostOne(tests)] + tests.map { .needs($0, "at") }
            + [.needsOne("at", of: tests)]
    }
}

extension MarketDescription.ErrorRules.Wait: DescriptionSection {
    static var title: String { "errors.wait" }

    static var keys: [SectionKey<Self>] {
        [
            .required("header", \.header, .text(.replyHeader), "The header."),
            .required("as", \.unit, .choice, "What it holds."),
        ]
    }
}
