import YAML

extension MarketDescription {
    /// The part of a request that carries a credential of the manifest.
    package enum Credential: Equatable, Sendable {
        case basic(Basic)
        /// A header, also that of `Authorization: Bearer`.
        case header(Header)
        case field(Field)

        package enum Slot: String, ClosedList {
            /// `market.identifier`.
            case identifier
            /// `market.secret`.
            case secret
        }

        /// A half of Basic authentication.
        package enum Half: Equatable, Sendable {
            case slot(Slot)
            /// A fixed value, the same for everyone.
            case constant(String)
        }

        /// `Authorization: Basic`.
        package struct Basic: Equatable, Sendable {
            /// The half before the colon; `nil` for an empty one.
            package var user: Half?
            /// The half after the colon; `nil` for an empty one.
            package var password: Half?
            var audience = Audience.all
        }

        package struct Header: Equatable, Sendable {
            package var name = ""
            /// The text before the credential.
            package var prefix: String?
            package var slot = Slot.secret
            var audience = Audience.all
        }

        /// A member or part of the body.
        package struct Field: Equatable, Sendable {
            package var place = JSONPointer.whole
            package var slot = Slot.secret
            package var audience = Audience.writes
            /// Whether each product may have its own secret.
            package var perProduct: ProductSecret?
        }

        package enum ProductSecret: String, ClosedList {
            case product
        }

        var audience: Audience {
            switch self {
            case .basic(let basic): basic.audience
            case .header(let header): header.audience
            case .field(let field): field.audience
            }
        }

        var slots: [Slot] {
            switch self {
            case .basic(let basic):
                [basic.user, basic.password].compactMap { if case .slot(let slot)? = $0 { slot } else { nil } }
            case .header(let header): [header.slot]
            case .field(let field): [field.slot]
            }
        }
    }

    package enum Audience: Equatable, Sendable {
        case all
        case reads
        /// Requests that create, change or delete.
        case writes
        case operations([Operation])

        package func includes(_ operation: Operation) -> Bool {
            switch self {
            case .all: true
            case .reads: operation.isRead
            case .writes: !operation.isRead
            case .operations(let operations): operations.contains(operation)
            }
        }

        fileprivate enum Word: String, ClosedList { case all, reads, writes }

        static var shape: Shape<Audience> {
            .either(
                Shape<Word>.choice.map { word in
                    switch word {
                    case .all: .all
                    case .reads: .reads
                    case .writes: .writes
                    }
                },
                Shape<[Operation]>.list(.choice).map { .operations($0) }
            )
        }
    }
}

// MARK: - Tables

extension MarketDescription.Credential {
    /// A mapping with one key, which selects the part of the request that carries the credential.
    static var shape: Shape<Self> {
        .section(
            Section(
                "auth",
                .basic(Basic()),
                [
                    SectionKey("basic", .section, "`Authorization: Basic`.") { $0 = .basic($1) },
                    SectionKey("bearer", .section(Header.bearer), "`Authorization: Bearer`.") { $0 = .header($1) },
                    SectionKey("header", .section, "A header.") { $0 = .header($1) },
                    SectionKey("field", .section, "A member of the body, or a part of it, behind all others.") {
                        $0 = .field($1)
                    },
                ],
                rules: [.exactlyOne(["basic", "bearer", "header", "field"])],
                refused: ["query": "credentials are not sent in addresses, because logs keep those"]
            )
        )
    }
}

extension MarketDescription.Credential.Half {
    static var shape: Shape<Self> {
        let meaning = "The same for everybody, such as `api`."
        let constant = SectionKey<String>.required("constant", \.self, .text(.prefix), meaning)
        return .either(
            Shape<MarketDescription.Credential.Slot>.choice.map { .slot($0) },
            Shape<String>.section(Section("auth.constant", "", [constant])).map { .constant($0) }
        )
    }
}

extension MarketDescription.Credential.Basic: DescriptionSection {
    static var title: String { "auth.basic" }

    static var keys: [SectionKey<Self>] {
        [
            .optional(
                "user",
                \.user,
                MarketDescription.Credential.Half.shape,
                "The part before the colon; empty without this key."
            ),
            .optional(
                "password",
                \.password,
                MarketDescription.Credential.Half.shape,
                "The part after the colon; empty without this key."
            ),
            .audience(\.audience),
        ]
    }

    static var rules: [SectionRule] { [.atLeastOne(["user", "password"])] }
}

extension MarketDescription.Credential.Header: DescriptionSection {
    static var title: String { "auth.header" }

    static var keys: [SectionKey<Self>] {
        [
            .required("name", \.name, .header, "The header's name."),
            .optional("prefix", \.prefix, .text(.prefix), "A prefix of the credential: `\"Token \"`."),
        ] + values
    }

    fileprivate static var bearer: Section<Self> {
        Section("auth.bearer", Self(name: "Authorization", prefix: "Bearer "), values)
    }

    private static var values: [SectionKey<Self>] {
        [.required("value", \.slot, .choice, "Which credential of the manifest."), .audience(\.audience)]
    }
}

extension MarketDescription.Credential.Field: DescriptionSection {
    static var title: String { "auth.field" }

    static var keys: [SectionKey<Self>] {
        [
            .required("at", \.place, .pointer, "Its place in the body."),
            .required("value", \.slot, .choice, "Which credential of the manifest."),
            .audience(\.audience, "those that write"),
            .optional("per", \.perProduct, .choice, "`product`: each product may have a secret of its own."),
        ]
    }
}

extension SectionKey {
    fileprivate static func audience(
        _ path: WritableKeyPath<Section, MarketDescription.Audience>,
        _ others: String = "all"
    ) -> Self {
        let meaning = "The requests that have it; \(others) without this key."
        return .standard("for", path, MarketDescription.Audience.shape, meaning)
    }
}
