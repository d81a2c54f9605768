extension MarketDescription {
    /// What makes a product itself, and ours.
    package struct Identity: Equatable, Sendable {
        /// The market's id of a product.
        package var id = ID()
        /// The credentials that belong to the state's scope: another one has another state.
        var scope: [Credential.Slot] = []
        /// Whose a product is.
        package var owner: Owner?
        /// The key of ours that a product carries; `nil` where it cannot.
        package var key: Key?
        /// What shows that a product is ours and changes nothing.
        package var proof: Proof?
        /// How a create is repeated without being doubled.
        var repetition: Repetition?
        /// What holds for rows that are listings; others are never written.
        package var ours: [Condition] = []
        /// What holds for rows that count as deleted.
        package var absent: [Condition] = []
        /// For how many seconds after a write the product may still be unknown to the market.
        var readAfterWrite = 0

        /// The market's id of a product.
        package struct ID: Equatable, Sendable {
            /// Where it is.
            package var place = JSONPointer.whole
            /// What it is.
            package var kind = Kind.integer
            /// Whether later products have greater ones.
            package var order = Order.none
            /// Who chooses it.
            package var chosenBy = Chooser.market

            /// What an id is.
            package enum Kind: String, ClosedList {
                /// A whole number.
                case integer
                /// A text, compared by its bytes.
                case text
            }

            /// Whether later products have greater ids.
            package enum Order: String, ClosedList {
                /// Later products have greater ones.
                case rising
                /// They say nothing about age.
                case none
            }

            /// Who chooses ids.
            package enum Chooser: String, ClosedList {
                /// The market.
                case market
                /// We do, with the request that makes the product.
                case us
            }
        }

        /// Whose a product is.
        package struct Owner: Equatable, Sendable {
            /// Where it is: the first that is there.
            package var places: [JSONPointer] = []
            /// What it is.
            package var kind = ID.Kind.integer
        }

        /// The key of ours that a product carries.
        package struct Key: Equatable, Sendable {
            /// Where it is.
            package var place = JSONPointer.whole
            /// Whether two products can have the same.
            var unique = Uniqueness.unenforced
            /// The request that finds the products of a key.
            package var find: Find?
            /// How many characters it may have.
            package var characters: Int?
            /// The operations that can say it, as the description has them.
            var said: [Operation]?

            /// The operations that can say it.
            var operations: [Operation] { said ?? [.create] }

            /// Whether a change of all fields sends it back as it is shown: without it the market would take it away.
            package var isSentBack: Bool { said?.contains(.update) ?? true }

            /// Whether bodies of an operation may have it.
            func isSent(by operation: Operation, _ write: Write) -> Bool {
                operation == .create
                    || operation == .update
                        && (operations.contains(.update) || write.sending == .whole && isSentBack)
            }

            /// Whether two products can have the same key.
            enum Uniqueness: String, ClosedList {
                /// The market refuses a second one.
                case enforced
                /// The market refuses a second one, but not while another request runs.
                case racy
                /// The market does not look.
                case unenforced
            }

            /// The request that finds the products of a key: the list with these queries.
            package struct Find: Equatable, Sendable {
                /// The path, where it is not the list's.
                package var path: Template?
                /// Queries.
                package var query: [Query] = []
            }
        }

        /// What shows that a product is ours.
        package enum Proof: String, ClosedList {
            /// To ask for what deletes it.
            case deleteKey = "delete_key"
            /// A change of nothing.
            case updateNothing = "update_nothing"
        }

        /// How a create is repeated without being doubled.
        struct Repetition: Equatable, Sendable {
            /// The header that carries the key of the request.
            var header = ""
            /// For how long the market knows it.
            var hours = 0
            /// What it answers a second time.
            var replays = Replays.errors
            /// The operations that have it.
            var operations: [Operation] = []

            /// What a market answers to a repeated key.
            enum Replays: String, ClosedList {
                /// What it answered the first time, refusals included.
                case errors
                /// What it answered the first time, if that was a success.
                case successes
            }
        }
    }
}

// MARK: - Tables

extension MarketDescription.Identity: DescriptionSection {
    static var title: String { "identity" }

    static var keys: [SectionKey<Self>] {
        let key = Shape<Key?>.either(
            Shape<Nothing>.choice.map { _ in nil },
            Shape<Key>.section.map { $0 }
        )
        return [
            .required("id", \.id, .section, "The market's id of a product."),
            .standard(
                "scope",
                \.scope,
                .list(.choice, most: 2),
                "Credentials that belong to the state's scope: another one has another state. None, where they rotate."
            ),
            .optional("owner", \.owner, .section, "Whose a product is, where the market shows it."),
            .standard("key", \.key, key, "The key of ours that a product carries."),
            .optional(
                "proof",
                \.proof,
                .choice,
                "What shows that a product is ours and changes nothing: asking for what deletes it, or a change of nothing."
            ),
            .optional("repeat", \.repetition, .section, "How a create is repeated without being doubled."),
            .standard(
                "ours",
                \.ours,
                .oneOrMore(.section),
                "What holds for rows that are listings. Others are exported and never written."
            ),
            .standard("absent", \.absent, .oneOrMore(.section), "What holds for rows that count as deleted."),
            .standard(
                "read_after_write",
                \.readAfterWrite,
                .whole(0...60),
                "For how many seconds after a write the product may still be unknown to the market."
            ),
        ]
    }

    private enum Nothing: String, ClosedList { case none }
}

extension MarketDescription.Identity.ID: DescriptionSection {
    static var title: String { "identity.id" }

    static var keys: [SectionKey<Self>] {
        [
            .required("at", \.place, .pointer, "Where it is."),
            .required("as", \.kind, .choice, "What it is."),
            .standard("order", \.order, .choice, "`rising`: later products have greater ids."),
            .standard("chosen_by", \.chosenBy, .choice, "`us`: the request that makes a product names its id."),
        ]
    }
}

extension MarketDescription.Identity.Owner: DescriptionSection {
    static var title: String { "identity.owner" }

    static var keys: [SectionKey<Self>] {
        [
            .required(
                "read",
                \.places,
                .oneOrMore(.pointer, most: 4),
                "Where it is: the first that is there and not null."
            ),
            .standard(
                "as",
                \.kind,
                .choice,
                "What it is; `integer` without this key. A text is shown, and never compared with ours."
            ),
        ]
    }
}

extension MarketDescription.Identity.Key: DescriptionSection {
    static var title: String { "identity.key" }

    static var keys: [SectionKey<Self>] {
        [
            .required("at", \.place, .pointer, "Where it is."),
            .required(
                "unique",
                \.unique,
                .choice,
                "Whether the market refuses a second one; `racy`: not while another request runs."
            ),
            .optional(
                "find",
                \.find,
                .section,
                "The request that finds the products of a key. Each row is checked: markets ignore filters that they do not know."
            ),
            .optional("characters", \.characters, .whole(1...10_000), "How many characters it may have."),
            .optional(
                "for",
                \.said,
                .list(.choice),
                "The operations that can say it, `create` among them; without this key `create`, and a change of all fields sends it back. With `update`, a product takes the new key of its listing."
            ),
        ]
    }
}

extension MarketDescription.Identity.Key.Find: DescriptionSection {
    static var title: String { "identity.key.find" }

    static var keys: [SectionKey<Self>] {
        [
            .optional("path", \.path, .template(.path), "The path, where it is not the list's."),
            .standard("query", \.query, .query, "Queries, of which one names `{key}`."),
        ]
    }

    static var rules: [SectionRule] { [.atLeastOne(["path", "query"])] }
}

extension MarketDescription.Identity.Repetition: DescriptionSection {
    static var title: String { "identity.repeat" }

    static var keys: [SectionKey<Self>] {
        [
            .required("header", \.header, .text(.header), "The header that carries the key of a request."),
            .required("hours", \.hours, .whole(1...8760), "For how long the market knows it."),
            .required(
                "replays",
                \.replays,
                .choice,
                "What the market answers a second time: the first answer, or only if that was a success."
            ),
            .required("for", \.operations, .list(.choice), "The operations that have it."),
        ]
    }
}
