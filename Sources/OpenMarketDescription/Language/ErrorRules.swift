import YAML

extension MarketDescription {
    package struct ErrorRules: Equatable, Sendable {
        /// The location of the market's message: the first that is present.
        package var message: [JSONPointer] = []
        /// The first match decides; if none matches, the status decides.
        package var rules: [Rule] = []
        package var wait: Wait?

        /// A rule that interprets a reply.
        package struct Rule: Equatable, Sendable {
            package var statuses: [Int] = []
            /// The operations to whose replies the rule applies; empty for all.
            package var operations: [Operation] = []
            package var condition: Condition?
            package var meaning = Meaning.unknown
        }

        package enum Meaning: String, ClosedList {
            case credentials
            /// These credentials lack the permission.
            case denied
            /// The product does not exist.
            case gone
            /// The key is taken.
            case duplicate
            /// The same request may be sent again.
            case retry
            /// The market refused without a change.
            case refused
            case unknown
        }

        /// The header that states how long to wait.
        package struct Wait: Equatable, Sendable {
            package var header = ""
            package var unit = Unit.seconds

            package enum Unit: String, ClosedList {
                /// Seconds from now.
                case seconds
                case milliseconds
                /// Seconds since 1970.
                case epoch
                /// An HTTP date.
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
                "The place of the market's message; of several, the first that is present."
            ),
            .standard(
                "rules",
                \.rules,
                .list(.section, most: 32),
                "The first rule that fits decides. Without one, the status decides."
            ),
            .optional("wait", \.wait, .section, "How the market asks for a pause, besides `Retry-After`."),
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
            .standard("at", \.condition.begun.place, .pointer, "Replies that hold something at this place."),
        ] + MarketDescription.Condition.tests(\.condition.begun) + [
            .required("means", \.meaning, .choice, "Their meaning.")
        ]
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
            .required("header", \.header, .text(.header), "The header."),
            .required("as", \.unit, .choice, "The form of its value."),
        ]
    }
}
