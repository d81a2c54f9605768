extension MarketDescription {
    /// What must hold at a place of a row, a page or a reply.
    package struct Condition: Equatable, Sendable {
        /// The place.
        package var place = JSONPointer.whole
        /// What is asked of it.
        package var test: Test? {
            isValue.map { .equals($0) } ?? isNotValue.map { .differs($0) } ?? anyValue.map { .isOneOf($0) }
                ?? presence.map { .isPresent($0) }
        }

        /// What is asked of a place.
        package enum Test: Equatable, Sendable {
            /// It holds this.
            case equals(Literal)
            /// It holds something else, or is not there.
            case differs(Literal)
            /// It holds one of these.
            case isOneOf([Literal])
            /// It is there and not null, or it is not.
            case isPresent(Bool)
        }

        var isValue: Literal?
        var isNotValue: Literal?
        var anyValue: [Literal]?
        var presence: Bool?

        /// What it compares with.
        var literals: [Literal] { [isValue, isNotValue].compactMap(\.self) + (anyValue ?? []) }
    }
}

extension MarketDescription.Condition: DescriptionSection {
    static var title: String { "condition" }

    static var keys: [SectionKey<Self>] {
        [.required("at", \.place, .pointer, "The place.")] + tests(\.self)
    }

    static var rules: [SectionRule] { [testRule] }

    /// The tests as keys of a section that holds a condition.
    static func tests<Section>(_ condition: WritableKeyPath<Section, Self>) -> [SectionKey<Section>] {
        [
            .optional("is", condition.appending(path: \.isValue), .literal, "It holds this."),
            .optional(
                "is_not",
                condition.appending(path: \.isNotValue),
                .literal,
                "It holds something else, or is not there."
            ),
            .optional("one_of", condition.appending(path: \.anyValue), .list(.literal), "It holds one of these."),
            .optional(
                "present",
                condition.appending(path: \.presence),
                .boolean,
                "It is there and not null; or, if `false`, it is not."
            ),
        ]
    }

    static let testNames = ["is", "is_not", "one_of", "present"]
    static var testRule: SectionRule { .exactlyOne(testNames) }
}
