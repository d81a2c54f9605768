import YAML

extension MarketDescription {
    package struct Operations: Equatable, Sendable {
        package var detail: Detail?
        /// The path of the request that shows whether the market is well.
        var health: Template?
        package var create: Write?
        package var update: Write?
        /// The request for the key that a delete needs.
        package var deleteKey: Write?
        var delete: Write?

        package func write(_ operation: Operation) -> Write? {
            switch operation {
            case .create: create
            case .update: update
            case .deleteKey: deleteKey
            case .delete: delete
            case .list, .total, .detail, .find, .health, .upload, .attach: nil
            }
        }
    }

    package struct Detail: Equatable, Sendable {
        var path = Template.empty
        var query: [Query] = []
        /// Headers, in addition to those of all requests.
        var headers: [NamedValue<String, Template>] = []
        /// The location of the product in the answer.
        package var product = JSONPointer.whole
        package var missing: [Missing] = []
    }

    /// How the market answers for a missing product.
    package enum Missing: Equatable, Sendable {
        case status(Int)
        /// A success without a product.
        case empty
    }

    package struct Write: Equatable, Sendable {
        package var method = Method.post
        var path = Template.empty
        var query: [Query] = []
        /// Headers, in addition to those of all requests.
        var headers: [NamedValue<String, Template>] = []
        package var body: Body?
        /// `nil` if the description does not state it; see ``MarketDescription/leavesPutOpen``.
        package var send: Sending?
        package var sending: Sending { send ?? .changed }
        /// Constants in every body.
        package var values: [PlacedValue] = []
        /// Constants that hide the product from buyers.
        package var hidden: [PlacedValue] = []
        /// Members that are read and sent back, such as a version.
        package var kept: [JSONPointer] = []
        /// The success statuses; `nil` for all from 200 to 299.
        package var success: [Int]?
        /// The location of the product in the answer.
        package var product = JSONPointer.whole
        /// The content of the answer, if it is not the product.
        package var answer: Answer?
        package var missing: [Missing] = []
        /// How long the market may still apply a create without a reply; `nil` for the usual time.
        var settle: Duration?

        /// The fields that a change contains.
        package enum Sending: String, ClosedList {
            case changed
            case whole
            /// All fields that were read, with the changes applied.
            case merged
        }

        package enum Answer: String, ClosedList {
            case id
            /// A text that replaces `{delete_key}`.
            case key
            /// A text with the path of the next request, or its last segment.
            case path
        }
    }

    package struct Body: Equatable, Sendable {
        package var form = Form.json
        /// The part of a multipart body that contains the values as JSON.
        package var part: String?
        /// The media type of JSON.
        package var type: String?
        /// The location of the object that contains all values.
        package var inside: JSONPointer?

        package enum Form: String, ClosedList {
            case json
            /// `application/x-www-form-urlencoded`.
            case form
            /// A multipart body with a part for each value.
            case parts
            /// Only the bytes.
            case raw
        }
    }
}

// MARK: - Tables

extension MarketDescription.Operations: DescriptionSection {
    static var title: String { "operations" }

    static var keys: [SectionKey<Self>] {
        let health = Section(
            "operations.health",
            Template.empty,
            [.required("path", \.self, .path, "The path. Any success means that the market is up.")],
            refused: ["method": "reads are always GET"]
        )
        return [
            .optional("detail", \.detail, .section, "One product."),
            .optional("health", \.health, .section(health), "Whether the market is well."),
            .optional("create", \.create, .section, "A new product."),
            .optional("update", \.update, .section, "A change of a product."),
            .optional("delete_key", \.deleteKey, .section, "The request that must precede the deletion of a product."),
            .optional("delete", \.delete, .section, "The end of a product."),
        ]
    }

    static var refused: [String: String] {
        [
            "list": "the list has a section of its own, 'list'", "upload": "the upload is described in 'pictures'",
            "attach": "added pictures are described in 'pictures'",
        ]
    }
}

extension MarketDescription.Detail: DescriptionSection {
    static var title: String { "operations.detail" }

    static var keys: [SectionKey<Self>] {
        [
            .required("path", \.path, .path, "The path; it or a query names `{id}`."),
            .standard("query", \.query, .query, "Queries."),
            .standard("headers", \.headers, .headers, "Headers, in addition to those of all requests."),
            .product(\.product),
            .missing(\.missing),
        ]
    }

    static var refused: [String: String] {
        ["method": "reads are always GET", "body": "reads are always GET, without a body"]
    }
}

extension MarketDescription.Write: DescriptionSection {
    static var title: String { "operations.write" }

    static var keys: [SectionKey<Self>] {
        [
            .required("method", \.method, .writing, "The method."),
            .required(
                "path",
                \.path,
                .path,
                "The path. Of changes and deletions, it or a query names `{id}`, `{key}` or `{delete_key}`."
            ),
            .standard("query", \.query, .query, "Queries."),
            .standard("headers", \.headers, .headers, "Headers, in addition to those of all requests."),
            .optional("body", \.body, MarketDescription.Body.shape, "The form of the body; none without this key."),
            .optional(
                "send",
                \.send,
                .choice,
                "The fields that a change sends; only changed ones without this key. With `PUT`, writing requires it."
            ),
            .standard("with", \.values, .values, "Values that the body always has."),
            .standard("hidden", \.hidden, .values, "Values that hide the product from buyers."),
            .standard("keep", \.kept, .list(.pointer), "Members that are read and sent back, such as a version."),
            .optional(
                "success",
                \.success,
                .list(.status(200...299), most: 8),
                "The statuses of a success; all from 200 to 299 without this key."
            ),
            .product(\.product),
            .optional("answer", \.answer, .choice, "The content of the answer, if it is not the product."),
            .missing(\.missing),
            .optional(
                "settle",
                \.settle,
                .seconds,
                "How long the market may still work on a create whose answer is lost; `3s` without this key."
            ),
        ]
    }
}

extension SectionKey {
    fileprivate static func product(_ place: WritableKeyPath<Section, JSONPointer>) -> Self {
        .standard("product", place, .pointer, "The product's place in the answer; the answer itself without this key.")
    }

    fileprivate static func missing(_ place: WritableKeyPath<Section, [MarketDescription.Missing]>) -> Self {
        let meaning = "The answer for a product that does not exist; 404 without this key."
        return .standard("missing", place, .list(.missing, most: 4), meaning)
    }
}

extension MarketDescription.Body {
    static var shape: Shape<Self> {
        .either(
            Shape<Form>.choice.map { Self(form: $0) },
            .section(
                Section(
                    "operations.body",
                    Self(),
                    [
                        .standard("as", \.form, .choice, "How values are put into it; `json` without this key."),
                        SectionKey(
                            "parts",
                            .text(.part),
                            "The part of a multipart body that holds the values as JSON."
                        ) { ($0.form, $0.part) = (.parts, $1) },
                        .optional(
                            "type",
                            \.type,
                            .text(.mediaType),
                            "The media type of JSON; `application/json` without this key."
                        ),
                        .optional("inside", \.inside, .pointer, "The place that contains all values."),
                    ],
                    rules: [.atLeastOne(["as", "parts", "type", "inside"]), .atMostOne(["as", "parts"])]
                )
            )
        )
    }
}
