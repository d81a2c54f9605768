import YAML

extension MarketDescription {
    /// A condition on a value in a row, a page or a reply.
    package struct Condition: Equatable, Sendable {
        package var place = JSONPointer.whole
        package var test: Test? {
            isValue.map { .equals($0) } ?? isNotValue.map { .differs($0) } ?? anyValue.map { .isOneOf($0) }
                ?? presence.map { .isPresent($0) }
        }

        package enum Test: Equatable, Sendable {
            case equals(Literal)
            /// The value differs or is absent.
            case differs(Literal)
            case isOneOf([Literal])
            /// Whether the value must be present and not null; if false, it must not be.
            case isPresent(Bool)
        }

        var isValue: Literal?
        var isNotValue: Literal?
        var anyValue: [Literal]?
        var presence: Bool?

        var literals: [Literal] { [isValue, isNotValue].compactMap(\.self) + (anyValue ?? []) }
    }
}

extension MarketDescription.Condition: DescriptionSection {
    static var title: String { "condition" }

    static var keys: [SectionKey<Self>] {
        [.required("at", \.place, .pointer, "The place.")] + tests(\.self)
    }

    static var rules: [SectionRule] { [testRule] }

    /// The tests as keys of a section that contains a condition.
    static func tests<Section>(_ condition: WritableKeyPath<Section, Self>) -> [SectionKey<Section>] {
        [
            .optional("is", condition.appending(path: \.isValue), .literal, "It holds this."),
            .optional(
                "is_not",
                condition.appending(path: \.isNotValue),
                .literal,
                "It holds something else, or is missing."
            ),
            .optional("one_of", condition.appending(path: \.anyValue), .list(.literal), "It holds one of these."),
            .optional(
                "present",
                condition.appending(path: \.presence),
                .boolean,
                "`true`: it is present and not null; `false`: it is missing or null."
            ),
        ]
    }

    static let testNames = ["is", "is_not", "one_of", "present"]
    static var testRule: SectionRule { .exactlyOne(testNames) }
}

extension Optional<MarketDescription.Condition> {
    /// The condition while its keys are being read.
    var begun: MarketDescription.Condition {
        get { self ?? MarketDescription.Condition() }
        set { self = newValue }
    }
}
