package import OpenMarket
import YAML

extension MarketDescription {
    /// How a product is identified, and recognized as the vendor's.
    package struct Identity: Equatable, Sendable {
        package var id = ID()
        /// The credentials in the state's scope: another credential has another state.
        var scope: [Credential.Slot] = []
        package var owner: Owner?
        /// The vendor's key in a product; `nil` if products cannot carry one.
        package var key: Key?
        /// A request that proves the vendor's ownership of a product without effect.
        package var proof: Proof?
        var repetition: Repetition?
        /// Conditions of rows that are listings; other rows are never written.
        package var ours: [Condition] = []
        /// Conditions of rows that count as deleted.
        package var absent: [Condition] = []
        /// The number of seconds after a write during which the market may not show the product yet.
        var readAfterWrite = 0

        package struct ID: Equatable, Sendable {
            package var place = JSONPointer.whole
            package var kind = Kind.integer
            package var order = Order.none
            package var chosenBy = Chooser.market

            package enum Kind: String, ClosedList {
                case integer
                /// A text, compared by bytes.
                case text
            }

            /// Whether later products have greater ids.
            package enum Order: String, ClosedList {
                case rising
                /// Ids do not indicate age.
                case none
            }

            package enum Chooser: String, ClosedList {
                case market
                /// The client, in the request that creates the product.
                case us
            }
        }

        package struct Owner: Equatable, Sendable {
            /// The first that is present counts.
            package var places: [JSONPointer] = []
            package var kind = ID.Kind.integer
        }

        /// The vendor's key in a product.
        package struct Key: Equatable, Sendable {
            package var place = JSONPointer.whole
            var unique = Uniqueness.unenforced
            /// The request that finds the products with a key.
            package var find: Find?
            /// The maximum number of characters.
            package var characters: Int?
            /// The operations that can set it, as the description states them.
            var said: [Operation]?

            /// The operations that can set it.
            var operations: [Operation] { said ?? [.create] }

            /// Whether a change of all fields sends it back as shown; otherwise the market would remove it.
            package var isSentBack: Bool { said?.contains(.update) ?? true }

            /// Whether bodies of an operation may contain it.
            func isSent(by operation: Operation, _ write: Write) -> Bool {
                operation == .create
                    || operation == .update
                        && (operations.contains(.update) || write.sending == .whole && isSentBack)
            }

            typealias Uniqueness = MarketCapabilities.KeyUse.Uniqueness

            /// The request that finds the products with a key: the list with these queries.
            package struct Find: Equatable, Sendable {
                /// The path, if it differs from the list's.
                package var path: Template?
                package var query: [Query] = []
            }
        }

        /// The request that proves the vendor's ownership of a product.
        package typealias Proof = MarketCapabilities.OwnershipProof

        /// How a create is repeated without creating a second product.
        struct Repetition: Equatable, Sendable {
            /// The header that carries the request's idempotency key.
            var header = ""
            /// How many hours the market remembers the key.
            var hours = 0
            var replays = Replays.errors
            /// The operations that carry the header.
            var operations: [Operation] = []

            /// The market's answer to a repeated key.
            enum Replays: String, ClosedList {
                /// The first answer, even a refusal.
                case errors
                /// The first answer, if it was a success.
                case successes
            }
        }
    }
}

// MARK: - Tables

extension MarketCapabilities.KeyUse.Uniqueness: ClosedList {}
extension MarketCapabilities.OwnershipProof: ClosedList {}

extension MarketDescription.Identity: DescriptionSection {
    static var title: String { "identity" }

    static var keys: [SectionKey<Self>] {
        let key = Shape<Key?>.either(
            Shape<Key?>.word(["none"]) { $0 == "none" ? .some(nil) : nil },
            Shape<Key>.section.map { $0 }
        )
        return [
            .required("id", \.id, .section, "The market's id of a product."),
            .standard(
                "scope",
                \.scope,
                .list(.choice, most: 2),
                "Credentials that belong to the state's scope: another one has another state. None, if they rotate."
            ),
            .optional("owner", \.owner, .section, "The owner of a product, if the market shows it."),
            .standard("key", \.key, key, "The manifest's key that a product carries."),
            .optional(
                "proof",
                \.proof,
                .choice,
                "The request that proves ownership without effect: the one for the delete key, or an empty change."
            ),
            .optional("repeat", \.repetition, .section, "How a create is repeated without being doubled."),
            .standard(
                "ours",
                \.ours,
                .oneOrMore(.section),
                "The condition of rows that are listings. Other rows are exported but not written."
            ),
            .standard("absent", \.absent, .oneOrMore(.section), "The condition of rows that count as deleted."),
            .standard(
                "read_after_write",
                \.readAfterWrite,
                .whole(0...60),
                "How many seconds after a write the product may still be missing in reads."
            ),
        ]
    }
}

extension MarketDescription.Identity.ID: DescriptionSection {
    static var title: String { "identity.id" }

    static var keys: [SectionKey<Self>] {
        [
            .required("at", \.place, .pointer, "Its place."),
            .required("as", \.kind, .choice, "Its type."),
            .standard("order", \.order, .choice, "`rising`: later products have greater ids."),
            .standard("chosen_by", \.chosenBy, .choice, "`us`: the request that creates a product names its id."),
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
                "Its place; of several, the first that is present and not null."
            ),
            .standard(
                "as",
                \.kind,
                .choice,
                "Its type; `integer` without this key. A text is shown, and not compared with the vendor's."
            ),
        ]
    }
}

extension MarketDescription.Identity.Key: DescriptionSection {
    static var title: String { "identity.key" }

    static var keys: [SectionKey<Self>] {
        [
            .required("at", \.place, .pointer, "Its place."),
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
                "The request that finds the products of a key. Each row is checked, because markets ignore unknown filters."
            ),
            .optional("characters", \.characters, .whole(1...10_000), "How many characters it may have."),
            .optional(
                "for",
                \.said,
                .list(.choice),
                "The operations that can send it, `create` among them; without this key `create`, and a change of all fields sends it back. With `update`, a product takes the new key of its listing."
            ),
        ]
    }
}

extension MarketDescription.Identity.Key.Find: DescriptionSection {
    static var title: String { "identity.key.find" }

    static var keys: [SectionKey<Self>] {
        [
            .optional("path", \.path, .path, "The path, if it is not the list's."),
            .standard("query", \.query, .query, "Queries. One names `{key}`."),
        ]
    }

    static var rules: [SectionRule] { [.atLeastOne(["path", "query"])] }
}

extension MarketDescription.Identity.Repetition: DescriptionSection {
    static var title: String { "identity.repeat" }

    static var keys: [SectionKey<Self>] {
        [
            .required("header", \.header, .header, "The header that carries the key of a request."),
            .required("hours", \.hours, .whole(1...8760), "How long the market keeps it."),
            .required(
                "replays",
                \.replays,
                .choice,
                "The answer to a repeated request: the first answer always, or only if it was a success."
            ),
            .required("for", \.operations, .list(.choice), "The operations that have it."),
        ]
    }
}
